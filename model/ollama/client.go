package ollama

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"

	"fara/model"
	"fara/model/wire"
)

// Config says which model on which server. Only Model must be set, and without it
// a client is good for Info.
type Config struct {
	// Endpoint is the server's address, also as people paste it: without a scheme,
	// with /api/chat, with /v1. Empty is http://127.0.0.1:11434.
	Endpoint string
	// Model is a name that `ollama list` shows.
	Model string
	// APIKey is sent as a bearer token; empty sends none.
	APIKey string
	// NumCtx is the context size in tokens, for the prompt and the reply together;
	// 0 is 16384. It is the same in every request, since a change makes Ollama load
	// the model anew.
	NumCtx int
	// KeepAlive is how long the server keeps the model loaded after a request; 0 is
	// 30 minutes, negative is forever.
	KeepAlive time.Duration
	// FirstTimeout bounds each call until one has succeeded, loading the model
	// included; 0 is 10 minutes.
	FirstTimeout time.Duration
	// Timeout bounds each later call; 0 is 2 minutes.
	Timeout time.Duration
	// Think switches a thinking model's reasoning on or off; nil leaves it to the
	// model. True makes a model that cannot think refuse every request.
	Think *bool
}

// Client asks one model. It implements model.Chatter; several goroutines may use
// it, though Ollama answers requests for a vision model one after the other.
type Client struct {
	cfg       Config
	base      *url.URL
	patience  *wire.Patience
	transport http.RoundTripper
	// sees is set once the server has said that the model takes images, or that it
	// cannot say.
	sees atomic.Bool
}

// errUnnamed is the answer to every question to no model.
var errUnnamed = &model.Error{Kind: model.ErrNotFound, Message: "no model is named", Hint: "give one with --model"}

// New checks cfg and connects to nothing yet.
func New(cfg Config) (*Client, error) {
	base, err := normalise(cfg.Endpoint)
	if err != nil {
		return nil, err
	}
	cfg.NumCtx = cmp.Or(cfg.NumCtx, 16384)
	cfg.KeepAlive = cmp.Or(cfg.KeepAlive, 30*time.Minute)
	return &Client{
		cfg:       cfg,
		base:      base,
		patience:  &wire.Patience{First: cfg.FirstTimeout, Later: cfg.Timeout},
		transport: wire.NewTransport(),
	}, nil
}

// Chat sends req and reads the reply's stream until it ends or until says so. A
// prompt longer than NumCtx is an error of kind model.ErrContext, never cut. A
// model without vision is refused with model.ErrBadRequest before an image is
// sent, since Ollama would leave the image out and answer all the same.
//
// Leaving a reply early, by until or ctx, stops the server's generation. In rare
// cases Ollama (0.17.4 at least) then blocks until it is restarted, so a text in
// req.Stop is the better way to end a reply.
func (c *Client) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	if c.cfg.Model == "" {
		return model.Reply{}, errUnnamed
	}
	ctx, cancel := c.patience.Limit(ctx)
	defer cancel()
	if err := c.checkVision(ctx, req); err != nil {
		return model.Reply{}, err
	}
	stream, part, cancel := wire.Parting(ctx)
	defer cancel()
	asked, err := c.request(req)
	if err != nil {
		return model.Reply{}, err
	}
	x := c.exchange()
	r := reader{until: until, part: part}
	err = c.api(x).Chat(stream, asked, r.take)
	if ctx.Err() == nil && r.complete() {
		c.patience.Succeeded()
		return r.reply(), nil
	}
	return model.Reply{}, c.failure(ctx, x, req, err)
}

// Render gives the text that the server makes of req with the model's own
// template, and how many images go with it, without asking the model.
func (c *Client) Render(ctx context.Context, req model.Request) (prompt string, images int, err error) {
	ctx, cancel := c.patience.Limit(ctx)
	defer cancel()
	request, err := c.request(req)
	if err != nil {
		return "", 0, err
	}
	request.DebugRenderOnly = true
	x := c.exchange()
	var info *api.DebugInfo
	err = c.api(x).Chat(ctx, request, func(resp api.ChatResponse) error {
		info = resp.DebugInfo
		return nil
	})
	if err != nil || info == nil {
		return "", 0, c.failure(ctx, x, req, err)
	}
	return info.RenderedTemplate, info.ImageCount, nil
}

func (c *Client) exchange() *wire.Exchange {
	return &wire.Exchange{Key: c.cfg.APIKey, Transport: c.transport}
}

func (c *Client) api(x *wire.Exchange) *api.Client { return api.NewClient(c.base, x.Client()) }
