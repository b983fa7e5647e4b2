package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"fara/model"
	"fara/model/wire"
)

// listTimeout bounds asking for the models to complete an error.
const listTimeout = 5 * time.Second

// What servers say about a request that can never succeed, whichever status comes
// with it.
var (
	tooLong = regexp.MustCompile(`(?i)context (length|size|window)|maximum (model|input) length|` +
		`input length .*exceeds|prompt is too long|exceed_context_size`)
	// tooMany names the limit: vLLM's newer and older words.
	tooMany = regexp.MustCompile(`(?i)at most (\d+) image|set image=(\d+)\b.*but passed \d+`)
	blind   = regexp.MustCompile(`(?i)image input is not supported|not a multimodal model|does not support (image|vision|multimodal)`)
	broken  = regexp.MustCompile(`failed to process inputs`) // Ollama's, with status 500
	unknown = regexp.MustCompile(`(?i)model\b.*(does not exist|not found)|no models? (is )?loaded`)
)

// failure says what went wrong in a call that brought no complete reply, with
// what the user can do about it. The library's err is nil when a stream ended
// too early.
func (c *Client) failure(ctx context.Context, x *wire.Exchange, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	e := c.diagnose(x, err)
	e.Hint = cmp.Or(e.Hint, c.hint(ctx, e))
	return e
}

func (c *Client) diagnose(x *wire.Exchange, err error) *model.Error {
	var inStream *ssestream.StreamError
	switch {
	case x.Status == 0:
		return wire.Unreachable(err, "start the model server, or check the endpoint")
	case x.Status >= http.StatusBadRequest:
		return refusal(x, words(x.Body))
	case errors.As(err, &inStream):
		return refusal(x, words(inStream.Event.Data))
	case strings.HasPrefix(x.Header.Get("Content-Type"), "text/html"):
		return &model.Error{Kind: model.ErrNotFound, Status: x.Status, Message: "the answer is a web page", Hint: c.noAPI()}
	}
	e := &model.Error{Kind: model.ErrIncomplete, Message: "the stream ended without a finish reason"}
	if err != nil {
		e.Message = err.Error()
	}
	return e
}

// refusal reads the server's words before its status. Below 400 the error came in
// the middle of a stream.
func refusal(x *wire.Exchange, message string) *model.Error {
	e := &model.Error{Status: x.Status, Message: message, RetryAfter: x.RetryAfter()}
	limit := tooMany.FindStringSubmatch(message)
	switch {
	case x.Status == http.StatusTooManyRequests || x.Status == http.StatusUnauthorized:
		e.Kind = wire.Kind(x.Status)
	case limit != nil:
		e.Kind = model.ErrTooManyImages
		e.MaxImages, _ = strconv.Atoi(limit[1] + limit[2])
	case blind.MatchString(message), broken.MatchString(message):
		e.Kind = model.ErrBadRequest
	case tooLong.MatchString(message):
		e.Kind = model.ErrContext
	case unknown.MatchString(message):
		e.Kind = model.ErrNotFound
	case x.Status < http.StatusBadRequest:
		e.Kind = model.ErrServer
	default:
		e.Kind = wire.Kind(x.Status)
	}
	return e
}

func (c *Client) hint(ctx context.Context, e *model.Error) string {
	switch {
	case e.Kind == model.ErrTooManyImages:
		return "vLLM's --limit-mm-per-prompt raises the limit"
	case e.Kind == model.ErrContext:
		return "start the server with a longer context, or send fewer or smaller images"
	case e.Kind == model.ErrUnauthorized:
		return "set the API key"
	case e.Kind == model.ErrNotFound:
		return c.available(ctx)
	case blind.MatchString(e.Message):
		return fmt.Sprintf("%s cannot see images; choose a vision model, with its projector file for llama.cpp", c.cfg.Model)
	}
	return ""
}

// available lists the models there are instead of the one that is missing.
func (c *Client) available(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	models, err := c.models(ctx, &wire.Exchange{Key: c.cfg.APIKey})
	if err != nil || len(models) == 0 {
		return c.noAPI()
	}
	return "available: " + strings.Join(names(models), ", ")
}

func (c *Client) noAPI() string {
	return fmt.Sprintf("no OpenAI-compatible API with models at %s; check the endpoint", c.base)
}
