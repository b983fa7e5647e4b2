package openai

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"

	"fara/model"
	"fara/model/wire"
)

// Info asks the server for its models and what kind of server it is. With an
// error of kind model.ErrNotFound, for a model that is not among them, Models is
// filled all the same.
func (c *Client) Info(ctx context.Context) (model.Server, error) {
	ctx, cancel := c.patience.Limit(ctx)
	defer cancel()
	x := c.exchange()
	models, err := c.models(ctx, x)
	if err != nil {
		return model.Server{}, c.failure(ctx, x, model.Request{}, err)
	}
	info := model.Server{Kind: model.Compatible, Models: names(models)}
	if c.cfg.Model == "" {
		return info, errUnnamed
	}
	for _, m := range models {
		if same(m.ID, c.cfg.Model) {
			c.describe(ctx, &info, m, x.Header)
			return info, nil
		}
	}
	return info, &model.Error{
		Kind: model.ErrNotFound, Message: fmt.Sprintf("it has no %q", c.cfg.Model),
		Hint: "available: " + strings.Join(info.Models, ", "),
	}
}

// same compares names as Ollama does, which lists one with a tag that need not be
// given.
func same(a, b string) bool {
	return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

func (c *Client) models(ctx context.Context, x *wire.Exchange) ([]openai.Model, error) {
	service := openai.NewModelService(c.options(x)...)
	page, err := service.List(ctx)
	if err != nil {
		return nil, err
	}
	return page.Data, nil
}

func names(models []openai.Model) []string {
	all := []string{}
	for _, m := range models {
		all = append(all, m.ID)
	}
	slices.Sort(all)
	return all
}
