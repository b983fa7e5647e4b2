package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"fara/model"
	"fara/model/wire"
)

// listTimeout bounds asking for the models to complete an error.
const listTimeout = 5 * time.Second

// failure says what went wrong in a call that brought no complete reply, with
// what the user can do about it. The library's err is nil when a stream ended
// too early.
func (c *Client) failure(ctx context.Context, x *wire.Exchange, req model.Request, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		if errors.Is(cause, model.ErrUnreachable) {
			c.patience.TimedOut()
		}
		return cause
	}
	e := c.diagnose(x, req, err)
	e.Hint = cmp.Or(e.Hint, c.hint(ctx, e))
	return e
}

func (c *Client) diagnose(x *wire.Exchange, req model.Request, err error) *model.Error {
	var inStream *ssestream.StreamError
	switch {
	case x.Status == 0:
		return wire.Unreachable(c.base, err, "start the model server, or check the endpoint")
	case x.Status >= http.StatusBadRequest:
		return refusal(x, req, x.Body)
	case errors.As(err, &inStream):
		return refusal(x, req, inStream.Event.Data)
	case strings.HasPrefix(x.Header.Get("Content-Type"), "text/html"):
		return x.WebPage(c.patience, c.noAPI())
	}
	e := &model.Error{Kind: model.ErrIncomplete, Message: "the stream ended without a finish reason"}
	if err != nil {
		e.Message = err.Error()
	}
	return e
}

func refusal(x *wire.Exchange, req model.Request, body []byte) *model.Error {
	e := wire.Refusal(req, x.Status, words(body), body)
	e.RetryAfter = x.RetryAfter()
	return e
}

func (c *Client) hint(ctx context.Context, e *model.Error) string {
	switch {
	case e.Kind == model.ErrContext:
		return "start the server with a longer context, or send fewer or smaller images"
	case e.Kind == model.ErrUnauthorized:
		return "set the API key"
	case e.Kind == model.ErrNotFound:
		return c.available(ctx)
	}
	return ""
}

// available lists the models there are instead of the one that is missing.
func (c *Client) available(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	models, err := c.models(ctx, c.exchange())
	if err != nil || len(models) == 0 {
		return c.noAPI()
	}
	return "available: " + strings.Join(names(models), ", ")
}

func (c *Client) noAPI() string {
	return fmt.Sprintf("no OpenAI-compatible API with models at %s; check the endpoint", c.base.Redacted())
}
