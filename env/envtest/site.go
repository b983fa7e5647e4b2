package envtest

import (
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// AlertText is what the dialog of Site's page /alert says.
const AlertText = "only this page knows"

// Site serves pages on this machine. Every site has "/", a page of text, "/alert",
// which opens a dialog while it loads, and "/form", which has the elements that
// FormElements names.
type Site struct {
	// URL is the site's address without a slash at the end.
	URL string

	mu    sync.Mutex
	pages map[string]http.HandlerFunc
}

// NewSite serves until the test ends.
func NewSite(t testing.TB) *Site {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Site{URL: "http://" + listener.Addr().String(), pages: map[string]http.HandlerFunc{}}
	s.Page("/", "<title>Site</title><p>A page of a test site.</p>")
	s.Page("/alert", "<title>Alert</title><script>alert('"+AlertText+"')</script><p>A page with a dialog.</p>")
	s.Page("/form", formPage)
	serve(t, listener, s)
	return s
}

// serve answers until the test ends.
func serve(t testing.TB, listener net.Listener, handler http.Handler) {
	server := &http.Server{Handler: handler}
	done := make(chan struct{})
	go func() {
		_ = server.Serve(listener)
		close(done)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
}

// Page serves HTML at a path and gives its address.
func (s *Site) Page(path, html string) string {
	return s.Handle(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html>"+html)
	})
}

// Handle serves a path by a function and gives its address.
func (s *Site) Handle(path string, serve http.HandlerFunc) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = serve
	return s.URL + path
}

// serveScript answers with JavaScript.
func serveScript(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, text)
	}
}

// ServeHTTP implements http.Handler; what nobody set is not found.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	serve := s.pages[r.URL.Path]
	s.mu.Unlock()
	if serve == nil {
		http.NotFound(w, r)
		return
	}
	serve(w, r)
}
