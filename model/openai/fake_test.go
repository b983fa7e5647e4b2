package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"fara/model/openai"
)

// fake is a server that answers chat completions with handler and has two models,
// one with a stated context.
type fake struct {
	*httptest.Server

	mu    sync.Mutex
	chats []map[string]any
}

func newFake(t *testing.T, handler http.HandlerFunc) *fake {
	t.Helper()
	f := &fake{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var chat map[string]any
		if err := json.Unmarshal(body, &chat); err != nil {
			t.Errorf("body %q: %v", body, err)
		}
		f.mu.Lock()
		f.chats = append(f.chats, chat)
		f.mu.Unlock()
		if got := r.Header.Get("Authorization"); got != "Bearer s3cret" {
			t.Errorf("got authorization %q, want the key", got)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler(w, r)
	})
	mux.HandleFunc("GET /v1/models", says(200, "application/json",
		`{"object":"list","data":[{"id":"m","object":"model","max_model_len":8192},{"id":"a","object":"model"}]}`))
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) connect(t *testing.T, cfg openai.Config) *openai.Client {
	t.Helper()
	cfg.Endpoint, cfg.Model, cfg.APIKey = f.URL, "m", "s3cret"
	return connect(t, cfg)
}

func says(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// refuses answers with a message in OpenAI's shape.
func refuses(status int, message string) http.HandlerFunc {
	return says(status, "application/json", fmt.Sprintf(`{"error":{"message":%q,"type":"x","code":%d}}`, message, status))
}

// streams answers with events, each sent at once.
func streams(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range events {
			_, _ = fmt.Fprintf(w, "data: %s\n\n", event)
			w.(http.Flusher).Flush()
		}
	}
}

// hangs holds the rest of an answer back for a time, or until the client has left.
func hangs(wait time.Duration, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(wait):
			next(w, r)
		case <-r.Context().Done():
		}
	}
}

// Events of a stream.
const (
	role  = `{"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}`
	hello = `{"model":"m","choices":[{"index":0,"delta":{"content":"hello"}}]}`
	space = `{"model":"m","choices":[{"index":0,"delta":{"content":"\n"}}]}`
	stop  = `{"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	usage = `{"model":"m","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}`
	done  = `[DONE]`
)
