package ollama

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/ollama/ollama/api"

	"fara/model"
)

// imageMark is what Ollama replaces with a request's n-th image wherever it
// stands in the prompt. A page's text must not be able to place one.
var imageMark = regexp.MustCompile(`\[img-(\d+)\]`)

// request gives req in the API's words; the error is a tool definition that the
// API has no place for.
func (c *Client) request(req model.Request) (*api.ChatRequest, error) {
	no := false
	r := &api.ChatRequest{
		Model:     c.cfg.Model,
		Messages:  messages(req.Messages),
		Format:    req.Schema,
		KeepAlive: &api.Duration{Duration: c.cfg.KeepAlive},
		Options:   c.options(req),
		// The defaults cut a long prompt, or forget its start while generating.
		Truncate: &no,
		Shift:    &no,
	}
	if req.Tools != nil {
		if err := json.Unmarshal(req.Tools, &r.Tools); err != nil {
			return nil, &model.Error{Kind: model.ErrTools, Message: fmt.Sprintf("a tool's definition: %v", err)}
		}
	}
	if c.cfg.Think != nil {
		r.Think = &api.ThinkValue{Value: *c.cfg.Think}
	}
	return r, nil
}

func messages(in []model.Message) []api.Message {
	out := make([]api.Message, 0, len(in))
	var names callNames
	for _, m := range in {
		message := api.Message{
			Role:       string(m.Role),
			Content:    imageMark.ReplaceAllString(m.Text, "[img_$1]"),
			ToolCalls:  calls(m.Calls),
			ToolCallID: m.CallID,
		}
		names.add(m.Calls)
		if m.Role == model.Tool {
			message.ToolName = names.take(m.CallID)
		}
		if m.Role == model.Tool && len(m.Images) > 0 {
			out = append(out, message)
			message = api.Message{Role: string(model.User)} // templates drop the images of other roles
		}
		for _, img := range m.Images {
			message.Images = append(message.Images, img.Data)
		}
		out = append(out, message)
	}
	return out
}

func (c *Client) options(req model.Request) map[string]any {
	options := map[string]any{
		"num_ctx":     c.cfg.NumCtx,
		"temperature": req.Temperature,
	}
	if req.MaxTokens > 0 {
		options["num_predict"] = req.MaxTokens
	}
	if req.Seed != nil {
		options["seed"] = *req.Seed
	}
	if len(req.Stop) > 0 {
		options["stop"] = req.Stop
	}
	return options
}
