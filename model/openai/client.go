package openai

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"fara/model"
	"fara/model/wire"
)

// Config says which model on which server. Only Model must be set, and without it
// a client is good for Info.
type Config struct {
	// Endpoint is the server's address, also as people paste it: with or without a
	// scheme, /v1, /chat/completions. Empty is http://127.0.0.1:8000, where vLLM
	// listens.
	Endpoint string
	// Model is the name the server gave it.
	Model string
	// APIKey is sent as a bearer token; empty sends none.
	APIKey string
	// FirstTimeout bounds each call until one has succeeded, since the server may
	// have to load the model; 0 is 10 minutes.
	FirstTimeout time.Duration
	// Timeout bounds each later call; 0 is 2 minutes.
	Timeout time.Duration
	// Extra is added to every request's body, such as chat_template_kwargs. A dot in
	// a name leads into an object.
	Extra map[string]any
}

// Client asks one model. It implements model.Chatter; several goroutines may use
// it.
type Client struct {
	cfg       Config
	base      *url.URL
	patience  *wire.Patience
	transport http.RoundTripper
	ways      ways
}

// errUnnamed is the answer to every question to no model.
var errUnnamed = &model.Error{Kind: model.ErrNotFound, Message: "no model is named", Hint: "give one with --model"}

// New checks cfg and connects to nothing yet.
func New(cfg Config) (*Client, error) {
	base, err := normalise(cfg.Endpoint)
	if err != nil {
		return nil, err
	}
	return &Client{
		cfg:       cfg,
		base:      base,
		patience:  &wire.Patience{First: cfg.FirstTimeout, Later: cfg.Timeout},
		transport: wire.NewTransport(),
	}, nil
}

// Chat sends req and reads the reply's stream until it ends or until says so. A
// stream that ends without a finish reason is an error of kind
// model.ErrIncomplete.
//
// A schema is sent in the way that the server takes, which is found out by its
// refusals and remembered; one that takes none is an error of kind
// model.ErrSchema.
func (c *Client) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	if c.cfg.Model == "" {
		return model.Reply{}, errUnnamed
	}
	ctx, cancel := c.patience.Limit(ctx)
	defer cancel()
	for {
		way := c.ways.current()
		reply, err := c.chat(ctx, req, way, until)
		switch {
		case wayRefused(req, err):
		case err == nil && req.Schema != nil && way != jsonSchema && !held(reply):
			err = &model.Error{Kind: model.ErrSchema, Message: "the reply is not held to the schema"}
		default:
			return reply, err
		}
		if !c.ways.next(way) {
			return model.Reply{}, asSchema(err)
		}
	}
}

func (c *Client) chat(ctx context.Context, req model.Request, way constraint, until model.Until) (model.Reply, error) {
	params, err := c.params(req, way)
	if err != nil {
		return model.Reply{}, err
	}
	streamCtx, part, cancel := wire.Parting(ctx)
	defer cancel()
	x := c.exchange()
	service := openai.NewChatCompletionService(c.options(x)...)
	stream := service.NewStreaming(streamCtx, params, c.extra()...)
	r := reader{until: until, part: part}
	for stream.Next() && r.take(stream.Current()) {
	}
	err = stream.Err()
	if x.Status != 0 {
		err = errors.Join(err, stream.Close())
	}
	if ctx.Err() == nil && r.complete() {
		c.patience.Succeeded()
		return r.reply(), nil
	}
	return model.Reply{}, c.failure(ctx, x, req, err)
}

// options name the server outright, so that nothing is read from the environment.
func (c *Client) options(x *wire.Exchange) []option.RequestOption {
	return []option.RequestOption{
		option.WithBaseURL(c.base.String()),
		option.WithHTTPClient(x.Client()),
		option.WithMaxRetries(0),
		option.WithMiddleware(asStream),
	}
}

func (c *Client) extra() []option.RequestOption {
	var options []option.RequestOption
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Extra)) {
		options = append(options, option.WithJSONSet(name, c.cfg.Extra[name]))
	}
	return options
}

func (c *Client) exchange() *wire.Exchange {
	return &wire.Exchange{Key: c.cfg.APIKey, Transport: c.transport}
}
