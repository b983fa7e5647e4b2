package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"

	"fara/model"
	"fara/model/wire"
)

// Info is what a server says about itself.
type Info struct {
	// Models are the names it answers to; nil only when it did not say.
	Models []string
	// Context is the configured model's context in tokens; 0 when the server does not
	// say, which is usual outside vLLM and SGLang.
	Context int
}

// Info asks the server for its models. With an error of kind model.ErrNotFound,
// for a model that is not among them, Models is filled all the same.
func (c *Client) Info(ctx context.Context) (Info, error) {
	ctx, cancel := c.patience.Limit(ctx)
	defer cancel()
	x := &wire.Exchange{Key: c.cfg.APIKey}
	models, err := c.models(ctx, x)
	if err != nil {
		return Info{}, c.failure(ctx, x, model.Request{}, err)
	}
	info := Info{Models: names(models)}
	if c.cfg.Model == "" {
		return info, errUnnamed
	}
	for _, m := range models {
		// Ollama lists a name with a tag that need not be given.
		if strings.TrimSuffix(m.ID, ":latest") == strings.TrimSuffix(c.cfg.Model, ":latest") {
			info.Context = contextLength(m)
			return info, nil
		}
	}
	return info, &model.Error{
		Kind: model.ErrNotFound, Message: fmt.Sprintf("it has no %q", c.cfg.Model),
		Hint: "available: " + strings.Join(info.Models, ", "),
	}
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

func contextLength(m openai.Model) int {
	for _, name := range []string{"max_model_len", "context_length"} {
		var tokens int
		if json.Unmarshal([]byte(m.JSON.ExtraFields[name].Raw()), &tokens) == nil && tokens > 0 {
			return tokens
		}
	}
	return 0
}
