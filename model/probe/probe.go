// Package probe finds out which API speaks at an address, so that a user need
// not know. It asks and reads; nothing is loaded and no model is called.
package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"fara/model"
	"fara/model/wire"
)

// API is a way of talking to a model server.
type API string

// The APIs that Detect tells apart.
const (
	Ollama API = "ollama"
	OpenAI API = "openai"
)

const (
	askLimit = 3 * time.Second // for one question
	maxBody  = 4 << 20         // of an answer, in bytes
)

// Detect asks the server at endpoint which API it speaks. The endpoint may be
// what people type: without a scheme or a port, a port alone, with /v1, with a
// whole path; the ports tried are then those of the usual servers. A server that
// speaks both, as Ollama does, is Ollama. The key is sent as a bearer token; empty
// sends none.
//
// The returned address is what the API's client wants: the root for Ollama, the
// base with its version for OpenAI. The error is a *model.Error that names every
// question asked and what to do, of kind ErrBusy when a server is there that does
// not answer yet, or the context's cause.
func Detect(ctx context.Context, endpoint, key string) (API, string, error) {
	places, err := candidates(endpoint)
	if err != nil {
		return "", "", &model.Error{Kind: model.ErrUnreachable, Message: err.Error(), Final: true}
	}
	transport := wire.NewTransport()
	defer transport.CloseIdleConnections()
	a := asker{key: key, client: &http.Client{Transport: transport}}
	for _, p := range places {
		if api, address := a.place(ctx, p); api != "" {
			return api, address, nil
		}
		if ctx.Err() != nil {
			return "", "", context.Cause(ctx)
		}
		if a.nameless {
			break // no port helps
		}
	}
	return "", "", a.verdict()
}

// asker remembers what was asked and how it failed.
type asker struct {
	key    string
	client *http.Client
	tried  []string
	advice string // the first that something is known of
	kind   error  // what the failures come to; nil for no more than silence
	// nameless: there is no such host.
	nameless bool
}

// verdict is the error when nothing was found.
func (a *asker) verdict() error {
	e := &model.Error{Kind: model.ErrUnreachable, Message: strings.Join(a.tried, ", "), Hint: a.advice}
	switch a.kind {
	case model.ErrBusy:
		e.Kind = a.kind
		e.Hint = cmp.Or(a.advice, "wait until it has loaded its model or has room")
	case model.ErrUnauthorized:
		e.Kind, e.Hint = a.kind, "the server wants an API key; set it, or the right one"
	}
	e.Hint = cmp.Or(e.Hint, "check the endpoint")
	return e
}

// errSilent marks a question that nobody answered in HTTP.
var errSilent = errors.New("no answer")

// place asks at one place, which no further question can help once nobody
// answers there.
func (a *asker) place(ctx context.Context, p place) (API, string) {
	for _, q := range []struct {
		api            API
		address        string
		question, name string
	}{
		{Ollama, p.root, "/api/version", "version"},
		{Ollama, p.root, "/api/tags", "models"},
		{OpenAI, p.base, "/models", "data"},
	} {
		answer, err := a.get(ctx, p, q.address+q.question)
		if _, found := answer[q.name]; found {
			return q.api, q.address
		}
		if err == nil {
			err = fmt.Errorf("no %q in the answer", q.name)
		}
		a.tried = append(a.tried, fmt.Sprintf("%s (%v)", redacted(q.address+q.question), err))
		if errors.Is(err, errSilent) {
			break
		}
	}
	return "", ""
}

func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the endpoint"
	}
	return u.Redacted()
}

func (a *asker) get(ctx context.Context, p place, address string) (map[string]json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, askLimit, fmt.Errorf("no answer within %v", askLimit))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if a.key != "" {
		req.Header.Set("Authorization", "Bearer "+a.key)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, a.silence(ctx, p, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return nil, err
	}
	return a.read(p, resp, body)
}

// read takes what was answered.
func (a *asker) read(p place, resp *http.Response, body []byte) (map[string]json.RawMessage, error) {
	switch kind := wire.Kind(resp.StatusCode); {
	case resp.StatusCode == http.StatusOK:
	case wire.WantsTLS(string(body)):
		a.advise("the server there speaks https; write https://" + p.server.Host)
		return nil, fmt.Errorf("HTTP %d: it speaks https", resp.StatusCode)
	case kind == model.ErrBusy || kind == model.ErrUnauthorized:
		a.kind = kind
		fallthrough
	default:
		return nil, fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	var object map[string]json.RawMessage
	switch {
	case json.Unmarshal(body, &object) == nil:
		return object, nil
	case strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html"):
		return nil, errors.New("a web page")
	}
	return nil, errors.New("no JSON object")
}

func (a *asker) advise(what string) {
	a.advice = cmp.Or(a.advice, what)
}

// silence says in few words why nobody answered.
func (a *asker) silence(ctx context.Context, p place, err error) error {
	a.advise(wire.Advice(p.server, err, "start the server, for example with ollama serve, or check the endpoint"))
	var failed *url.Error
	var lookup *net.DNSError
	a.nameless = errors.As(err, &lookup)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%w: connection refused", errSilent)
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", errSilent, context.Cause(ctx))
	case errors.As(err, &failed):
		err = failed.Err // without the address, which is named already
	}
	return fmt.Errorf("%w: %w", errSilent, err)
}
