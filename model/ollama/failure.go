package ollama

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"fara/model"
	"fara/model/wire"
)

// listTimeout bounds asking for the installed models to complete an error.
const listTimeout = 5 * time.Second

// refused is what Ollama says with status 500 of an option it never takes.
var refused = regexp.MustCompile(`must be of type`)

// failure says what went wrong in a call that brought no complete reply, with
// what the user can do about it: err as Ollama's client gave it, which is nil for
// a stream that broke off and for a refusal with an empty body.
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
	message := words(err)
	switch {
	case x.Status == 0:
		return wire.Unreachable(c.base, err, "run ollama serve")
	case strings.HasPrefix(x.Header.Get("Content-Type"), "text/html") && x.Status < http.StatusInternalServerError:
		return x.WebPage(c.patience, c.noAPI())
	// A line that was cut is handed on as if it were the server's message.
	case x.Status < http.StatusBadRequest && (err == nil || strings.HasPrefix(message, "{")):
		return &model.Error{Kind: model.ErrIncomplete, Message: "the stream ended before the model was done"}
	}
	if len(x.Body) > 0 && !json.Valid(x.Body) {
		message = string(x.Body) // of which the client keeps the first line
	}
	e := wire.Refusal(req, x.Status, message, x.Body)
	e.RetryAfter = x.RetryAfter()
	if refused.MatchString(message) {
		e.Kind = model.ErrBadRequest
	}
	return e
}

// words gives the server's own text without what the client wraps around it.
func words(err error) string {
	var status api.StatusError
	if errors.As(err, &status) {
		return cmp.Or(status.ErrorMessage, status.Status)
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

func (c *Client) hint(ctx context.Context, e *model.Error) string {
	switch {
	case e.Kind == model.ErrContext:
		return fmt.Sprintf("raise num_ctx (now %d) or send fewer or smaller images", c.cfg.NumCtx)
	case strings.Contains(e.Message, "requires more system memory"):
		return "lower num_ctx, or choose a smaller model"
	case e.Kind == model.ErrNotFound:
		return c.available(ctx)
	case e.Status == http.StatusForbidden && e.Message == "":
		return "Ollama on this machine answers to localhost and IP addresses only; use one of them"
	case e.Kind == model.ErrUnauthorized:
		return "set the API key"
	case strings.Contains(e.Message, "does not support thinking"):
		return "leave thinking unset for this model"
	}
	return ""
}

// available lists the models there are instead of the one that is missing.
func (c *Client) available(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	names, err := c.models(ctx, c.exchange())
	switch {
	case err != nil:
		return c.noAPI()
	case len(names) == 0:
		return fmt.Sprintf("no model is installed; ollama pull %s gets it", c.cfg.Model)
	}
	return fmt.Sprintf("available: %s (ollama pull %s gets it)", strings.Join(names, ", "), c.cfg.Model)
}

func (c *Client) noAPI() string {
	return fmt.Sprintf("no Ollama API at %s; check the endpoint", c.base.Redacted())
}
