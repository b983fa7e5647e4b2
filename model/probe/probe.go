// Package probe finds out which API speaks at an address, so that a user need
// not know. It asks and reads; nothing is loaded and no model is called.
package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"time"
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
// what people type: without a scheme or a port, with /v1, with a whole path; the
// ports tried are then those of the usual servers. A server that speaks both, as
// Ollama does, is Ollama. The key is sent as a bearer token; empty sends none.
//
// The returned address is what the API's client wants: the root for Ollama, the
// base with its version for OpenAI. The error names every question asked and
// what to do, or is the context's cause.
func Detect(ctx context.Context, endpoint, key string) (API, string, error) {
	places, err := candidates(endpoint)
	if err != nil {
		return "", "", err
	}
	a := asker{key: key}
	for _, p := range places {
		if api, address := a.place(ctx, p); api != "" {
			return api, address, nil
		}
		if ctx.Err() != nil {
			return "", "", context.Cause(ctx)
		}
	}
	return "", "", fmt.Errorf("no model server answers: %s; %s", strings.Join(a.tried, ", "), a.advice(places[0], fileExists))
}

// asker remembers what was asked and how it failed.
type asker struct {
	key     string
	tried   []string
	refused bool // a connection was
	locked  bool // by a key that is missing or wrong
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
		answer, err := a.get(ctx, q.address+q.question)
		if _, found := answer[q.name]; found {
			return q.api, q.address
		}
		if err == nil {
			err = fmt.Errorf("no %q in the answer", q.name)
		}
		a.tried = append(a.tried, fmt.Sprintf("%s (%v)", q.address+q.question, err))
		if errors.Is(err, errSilent) {
			break
		}
	}
	return "", ""
}

func (a *asker) get(ctx context.Context, address string) (map[string]json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, askLimit, fmt.Errorf("no answer within %v", askLimit))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if a.key != "" {
		req.Header.Set("Authorization", "Bearer "+a.key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.refused = a.refused || errors.Is(err, syscall.ECONNREFUSED)
		return nil, silence(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		a.locked = a.locked || resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden
		return nil, fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	var object map[string]json.RawMessage
	if json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(&object) != nil {
		return nil, errors.New("no JSON object")
	}
	return object, nil
}
