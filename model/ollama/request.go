package ollama

import (
	"regexp"

	"github.com/ollama/ollama/api"

	"fara/model"
)

// imageMark is what Ollama replaces with a request's n-th image wherever it
// stands in the prompt. A page's text must not be able to place one.
var imageMark = regexp.MustCompile(`\[img-(\d+)\]`)

func (c *Client) request(req model.Request) *api.ChatRequest {
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
	if c.cfg.Think != nil {
		r.Think = &api.ThinkValue{Value: *c.cfg.Think}
	}
	return r
}

func messages(in []model.Message) []api.Message {
	out := make([]api.Message, len(in))
	for i, m := range in {
		out[i] = api.Message{
			Role:    string(m.Role),
			Content: imageMark.ReplaceAllString(m.Text, "[img_$1]"),
		}
		for _, img := range m.Images {
			out[i].Images = append(out[i].Images, img.Data)
		}
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
