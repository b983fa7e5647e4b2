package probe_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fara/model/probe"
)

// server answers the given paths with a JSON body, and others with 404.
func server(t *testing.T, bodies map[string]string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, found := bodies[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s
}

func TestDetectsTheAPIInWhatPeopleType(t *testing.T) {
	ollama := server(t, map[string]string{"/api/version": `{"version":"0.17.4"}`, "/api/tags": `{"models":[]}`, "/v1/models": `{"data":[]}`})
	behindPath := server(t, map[string]string{"/ollama/api/tags": `{"models":[]}`})
	vllm := server(t, map[string]string{"/v1/models": `{"object":"list","data":[]}`})
	other := server(t, map[string]string{"/api/paas/v4/models": `{"data":[]}`})
	for _, tt := range []struct {
		endpoint string
		api      probe.API
		address  string
	}{
		{ollama.URL, probe.Ollama, ollama.URL},
		{ollama.URL + "/", probe.Ollama, ollama.URL},
		{ollama.URL + "/v1", probe.Ollama, ollama.URL},
		{ollama.URL + "/api/generate", probe.Ollama, ollama.URL},
		{strings.TrimPrefix(ollama.URL, "http://"), probe.Ollama, ollama.URL},
		{strings.Replace(ollama.URL, "127.0.0.1", "0.0.0.0", 1), probe.Ollama, ollama.URL},
		{behindPath.URL + "/ollama", probe.Ollama, behindPath.URL + "/ollama"},
		{vllm.URL, probe.OpenAI, vllm.URL + "/v1"},
		{vllm.URL + "/v1/", probe.OpenAI, vllm.URL + "/v1"},
		{vllm.URL + "/v1/chat/completions", probe.OpenAI, vllm.URL + "/v1"},
		{vllm.URL + "/api/generate", probe.OpenAI, vllm.URL + "/v1"},
		{other.URL + "/api/paas/v4", probe.OpenAI, other.URL + "/api/paas/v4"},
	} {
		api, address, err := probe.Detect(t.Context(), tt.endpoint, "")
		if err != nil || api != tt.api || address != tt.address {
			t.Errorf("%q: got %q at %q and error %v, want %q at %q", tt.endpoint, api, address, err, tt.api, tt.address)
		}
	}
}

func TestKeyIsSent(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"data":[]}`))
	}))
	t.Cleanup(s.Close)
	if api, _, err := probe.Detect(t.Context(), s.URL, "s3cret"); err != nil || api != probe.OpenAI {
		t.Errorf("right key: got %q and error %v, want openai", api, err)
	}
	_, _, err := probe.Detect(t.Context(), s.URL, "")
	if err == nil || !strings.Contains(err.Error(), "wants an API key") {
		t.Errorf("no key: got error %v, want it to ask for one", err)
	}
}

func TestFailureNamesWhatWasTried(t *testing.T) {
	s := server(t, nil)
	_, _, err := probe.Detect(t.Context(), s.URL, "")
	for _, want := range []string{s.URL + "/api/version (HTTP 404)", s.URL + "/api/tags (", s.URL + "/v1/models (", "check the endpoint"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want it to say %q", err, want)
		}
	}
	if _, _, err := probe.Detect(t.Context(), "ftp://host", ""); err == nil {
		t.Error("ftp: got no error, want one")
	}
}

func TestRefusedConnectionSaysWhatToStart(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	_, _, err = probe.Detect(t.Context(), listener.Addr().String(), "")
	if err == nil || !strings.Contains(err.Error(), "connection refused") || strings.Contains(err.Error(), "/v1/models") {
		t.Errorf("got error %v, want one refused question and no further ones", err)
	}
}

func TestCancelEndsTheSearch(t *testing.T) {
	asked := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	gone := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-asked; cancel(gone) }()
	start := time.Now()
	_, _, err := probe.Detect(ctx, s.URL, "")
	if took := time.Since(start); !errors.Is(err, gone) || took > time.Second {
		t.Errorf("got error %v after %v, want the cause at once", err, took)
	}
}
