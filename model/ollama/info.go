package ollama

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"fara/model"
	"fara/model/wire"
)

// Info asks the server about itself and the model; it loads nothing. With an
// error of kind model.ErrNotFound, for a model that is not among them, Version and
// Models are filled all the same.
//
// The limit is the model's own: Ollama loads it with what NumCtx asks for, in
// every slot.
func (c *Client) Info(ctx context.Context) (model.Server, error) {
	ctx, cancel := c.patience.Limit(ctx)
	defer cancel()
	info := model.Server{Kind: model.Ollama}
	x := c.exchange()
	var err error
	if info.Version, err = c.api(x).Version(ctx); err != nil {
		return info, c.failure(ctx, x, model.Request{}, err)
	}
	if info.Models, err = c.models(ctx, x); err != nil {
		return info, c.failure(ctx, x, model.Request{}, err)
	}
	if c.cfg.Model == "" {
		return info, errUnnamed
	}
	shown, err := c.show(ctx)
	if err != nil {
		return info, err
	}
	info.Vision = vision(shown)
	if length := trained(shown); length > 0 {
		info.Limits = append(info.Limits, model.Limit{Tokens: length, Source: "the model's training"})
	}
	info.Loaded, err = c.loaded(ctx)
	return info, err
}

func (c *Client) models(ctx context.Context, x *wire.Exchange) ([]string, error) {
	list, err := c.api(x).List(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(list.Models))
	for i, m := range list.Models {
		names[i] = m.Name
	}
	slices.Sort(names)
	return names, nil
}

func (c *Client) show(ctx context.Context) (*api.ShowResponse, error) {
	x := c.exchange()
	shown, err := c.api(x).Show(ctx, &api.ShowRequest{Model: c.cfg.Model})
	if err != nil {
		return nil, c.failure(ctx, x, model.Request{}, err)
	}
	return shown, nil
}

func (c *Client) loaded(ctx context.Context) (int, error) {
	x := c.exchange()
	running, err := c.api(x).ListRunning(ctx)
	if err != nil {
		return 0, c.failure(ctx, x, model.Request{}, err)
	}
	for _, m := range running.Models {
		if strings.TrimSuffix(m.Name, ":latest") == strings.TrimSuffix(c.cfg.Model, ":latest") {
			return m.ContextLength, nil
		}
	}
	return 0, nil
}

// checkVision refuses images for a model that cannot see them.
func (c *Client) checkVision(ctx context.Context, req model.Request) error {
	images := func(m model.Message) bool { return len(m.Images) > 0 }
	if c.sees.Load() || !slices.ContainsFunc(req.Messages, images) {
		return nil
	}
	shown, err := c.show(ctx)
	if err != nil {
		return err
	}
	if sees := vision(shown); sees != nil && !*sees {
		return &model.Error{
			Kind:    model.ErrBadRequest,
			Message: fmt.Sprintf("%s cannot see images", c.cfg.Model),
			Hint:    "choose a vision model; `ollama show` lists what a model can do",
		}
	}
	c.sees.Store(true)
	return nil
}

func vision(shown *api.ShowResponse) *bool {
	if len(shown.Capabilities) == 0 {
		return nil
	}
	sees := slices.Contains(shown.Capabilities, "vision")
	return &sees
}

// trained reads the context length, whose key begins with the architecture.
func trained(shown *api.ShowResponse) int {
	arch, _ := shown.ModelInfo["general.architecture"].(string)
	length, _ := shown.ModelInfo[arch+".context_length"].(float64)
	return int(length)
}
