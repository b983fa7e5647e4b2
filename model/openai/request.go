package openai

import (
	"encoding/base64"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"fara/model"
)

func (c *Client) params(req model.Request) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model:       c.cfg.Model,
		Temperature: openai.Float(req.Temperature),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{
			IncludeUsage: openai.Bool(true),
		},
	}
	for _, m := range req.Messages {
		p.Messages = append(p.Messages, message(m))
	}
	if req.MaxTokens > 0 {
		// Its successor max_completion_tokens is not known everywhere.
		p.MaxTokens = openai.Int(int64(req.MaxTokens))
	}
	if req.Seed != nil {
		p.Seed = openai.Int(int64(*req.Seed))
	}
	if len(req.Stop) > 0 {
		p.Stop.OfStringArray = req.Stop
	}
	if req.Schema != nil {
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "reply", Schema: req.Schema},
		}
	}
	return p
}

// message sends a text as a plain string wherever there is no image: not every
// chat template takes a list of parts.
func message(m model.Message) openai.ChatCompletionMessageParamUnion {
	switch {
	case m.Role == model.System:
		return openai.SystemMessage(m.Text)
	case m.Role == model.Assistant:
		return openai.AssistantMessage(m.Text)
	case len(m.Images) == 0:
		return openai.UserMessage(m.Text)
	}
	var parts []openai.ChatCompletionContentPartUnionParam
	for _, img := range m.Images {
		parts = append(parts, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{
			URL: "data:" + img.MIME + ";base64," + base64.StdEncoding.EncodeToString(img.Data),
		}))
	}
	if m.Text != "" {
		parts = append(parts, openai.TextContentPart(m.Text))
	}
	return openai.UserMessage(parts)
}
