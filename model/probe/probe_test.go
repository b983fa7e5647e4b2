package probe_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fara/model"
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

func TestWrongAddressesAreNamed(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<h1>Welcome</h1>"))
	}))
	t.Cleanup(page.Close)
	plain := server(t, nil)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(secure.Close)
	for name, tt := range map[string]struct{ endpoint, want string }{
		"a web page":    {page.URL, "/v1/models (a web page)"},
		"https at http": {strings.Replace(plain.URL, "http:", "https:", 1), "speaks http, not https; write " + plain.URL},
		"http at https": {strings.Replace(secure.URL, "https:", "http:", 1), "speaks https; write " + secure.URL},
		"a password":    {strings.Replace(plain.URL, "http://", "http://me:s3cret@", 1), "me:xxxxx@"},
		"no address":    {"http://host:port", "write it like"},
		"a certificate": {secure.URL, "certificate"},
	} {
		_, _, err := probe.Detect(t.Context(), tt.endpoint, "")
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: got %v, want %q in it", name, err, tt.want)
		}
		if !errors.Is(err, model.ErrUnreachable) {
			t.Errorf("%s: got %v, want ErrUnreachable", name, err)
		}
	}
}

func TestServerThatIsBusyEverywhereIsBusy(t *testing.T) {
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"Loading model","code":503}}`, http.StatusServiceUnavailable)
	}))
	t.Cleanup(busy.Close)
	_, _, err := probe.Detect(t.Context(), busy.URL, "")
	if !errors.Is(err, model.ErrBusy) || strings.Contains(err.Error(), "no model server") {
		t.Errorf("got %v, want ErrBusy", err)
	}
}

func TestProxyIsNotAskedForThisMachine(t *testing.T) {
	s := server(t, map[string]string{"/api/version": `{"version":"1"}`})
	for _, name := range []string{"HTTP_PROXY", "http_proxy"} {
		t.Setenv(name, "http://127.0.0.1:9")
	}
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	for _, endpoint := range []string{s.URL, port, "localhost" + port, "model.localhost" + port} {
		if api, _, err := probe.Detect(t.Context(), endpoint, ""); err != nil || api != probe.Ollama {
			t.Errorf("%q: got %q and error %v, want ollama", endpoint, api, err)
		}
	}
}
