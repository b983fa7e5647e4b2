package ollama_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"fara/model/ollama"
)

// fake is a server for what a real one cannot be made to do. It answers
// /api/chat with handler, sees images, and has two models.
type fake struct {
	*httptest.Server

	mu    sync.Mutex
	chats []map[string]any
}

func newFake(t *testing.T, handler http.HandlerFunc) *fake {
	t.Helper()
	f := &fake{}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/chat", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var chat map[string]any
		if err := json.Unmarshal(body, &chat); err != nil {
			t.Errorf("body %q: %v", body, err)
		}
		f.mu.Lock()
		f.chats = append(f.chats, chat)
		f.mu.Unlock()
		handler(w, r)
	})
	mux.HandleFunc("/api/tags", says(200, "application/json", `{"models":[{"name":"b"},{"name":"a"}]}`))
	mux.HandleFunc("/api/show", says(200, "application/json", `{"capabilities":["completion","vision"]}`))
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) connect(t *testing.T, cfg ollama.Config) *ollama.Client {
	t.Helper()
	cfg.Endpoint, cfg.Model = f.URL, "m"
	return connect(t, cfg)
}

func says(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// streams answers with lines, each sent at once.
func streams(lines ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		for _, line := range lines {
			_, _ = io.WriteString(w, line)
			w.(http.Flusher).Flush()
		}
	}
}

// hangs holds the answer back for a time, or until the client has left.
func hangs(wait time.Duration, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(wait):
			next(w, r)
		case <-r.Context().Done():
		}
	}
}

// Lines of a stream.
const (
	hello = `{"model":"m","message":{"role":"assistant","content":"hello"}}` + "\n"
	space = `{"model":"m","message":{"role":"assistant","content":"\n"}}` + "\n"
	done  = `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":2,"eval_duration":-9223372036854775808}` + "\n"
)
