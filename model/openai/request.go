package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"

	"fara/model"
)

// params gives req in the API's words; the error is a tool definition that is
// none.
func (c *Client) params(req model.Request, held constraint) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{
		Model:       c.cfg.Model,
		Messages:    messages(req.Messages),
		Temperature: openai.Float(req.Temperature),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{
			IncludeUsage: openai.Bool(true),
		},
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
	extra := map[string]any{}
	if req.Tools != nil {
		var tools []json.RawMessage
		if err := json.Unmarshal(req.Tools, &tools); err != nil {
			return p, &model.Error{Kind: model.ErrTools, Message: fmt.Sprintf("the tools' definitions: %v", err)}
		}
		extra["tools"] = req.Tools
	}
	if req.Schema != nil {
		name, value := held.field(req.Schema)
		extra[name] = value
	}
	p.SetExtraFields(extra)
	return p, nil
}

// messages sends a text as a plain string wherever there is no image: not every
// chat template takes a list of parts.
func messages(in []model.Message) []openai.ChatCompletionMessageParamUnion {
	var out []openai.ChatCompletionMessageParamUnion
	var ids callIDs
	for _, m := range in {
		switch {
		case m.Role == model.System:
			out = append(out, openai.SystemMessage(m.Text))
		case m.Role == model.Assistant:
			out = append(out, assistant(m, ids.give(m.Calls)))
		case m.Role == model.Tool:
			out = append(out, openai.ToolMessage(m.Text, ids.take(m.CallID)))
			if len(m.Images) > 0 { // a tool's turn takes text alone
				out = append(out, user(m.Images, ""))
			}
		default:
			out = append(out, user(m.Images, m.Text))
		}
	}
	return out
}

func user(images []model.Image, text string) openai.ChatCompletionMessageParamUnion {
	if len(images) == 0 {
		return openai.UserMessage(text)
	}
	var parts []openai.ChatCompletionContentPartUnionParam
	for _, img := range images {
		parts = append(parts, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{
			URL: "data:" + img.MIME + ";base64," + base64.StdEncoding.EncodeToString(img.Data),
		}))
	}
	if text != "" {
		parts = append(parts, openai.TextContentPart(text))
	}
	return openai.UserMessage(parts)
}
