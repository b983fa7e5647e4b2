package wall_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"fara/wall"
)

// within is how long a condition of these tests may take to come true.
const within = 10 * time.Second

func open(t *testing.T, cfg wall.Config) (*wall.Wall, *http.Client) {
	t.Helper()
	w, err := wall.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return w, client(t, w)
}

// client is a client whose every connection passes the wall.
func client(t *testing.T, w *wall.Wall) *http.Client {
	t.Helper()
	by, err := url.Parse(w.URL())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{
		Proxy: http.ProxyURL(by), DisableCompression: true, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{RootCAs: x509.NewCertPool()},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: within}
}

func server(t *testing.T, serve http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(serve)
	t.Cleanup(s.Close)
	return s
}

// addressOf takes the host and port of a server apart.
func addressOf(t *testing.T, address string) (string, uint16) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	return u.Hostname(), uint16(port)
}

func TestRequestsPassAsTheyAre(t *testing.T) {
	var got *http.Request
	var body, trailer string
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		got, body, trailer = r, string(data), r.Trailer.Get("Late")
		w.Header().Set("Content-Encoding", "br")
		w.Header().Set("Trailer", "Sum")
		w.Header().Set("X-Own", "kept")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "not brotli")
		w.Header().Set("Sum", "42")
	})
	_, c := open(t, wall.Config{})
	req, err := http.NewRequest("PATCH", s.URL+"/a%2Fb;c?x=1;y=%zz&", io.MultiReader(strings.NewReader("hello"), strings.NewReader(" there")))
	if err != nil {
		t.Fatal(err)
	}
	req.Trailer = http.Header{"Late": {"yes"}}
	for name, value := range map[string]string{"X-Forwarded-For": "page", "Forwarded": "by=page", "Keep-Alive": "hop", "Proxy-Connection": "keep-alive", "Te": "trailers", "User-Agent": "own", "Accept-Encoding": "br"} {
		req.Header.Set(name, value)
	}
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	back, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusTeapot || string(back) != "not brotli" || res.Trailer.Get("Sum") != "42" || res.Header.Get("X-Own") != "kept" || res.Header.Get("Content-Encoding") != "br" {
		t.Errorf("answer: %s %q %v, trailer %v, %v", res.Status, back, res.Header, res.Trailer, err)
	}
	if got.Method != "PATCH" || got.RequestURI != "/a%2Fb;c?x=1;y=%zz&" || "http://"+got.Host != s.URL || body != "hello there" || trailer != "yes" {
		t.Errorf("request: %s %s to %s, body %q, trailer %q", got.Method, got.RequestURI, got.Host, body, trailer)
	}
	for name, want := range map[string]string{"X-Forwarded-For": "page", "Forwarded": "by=page", "Keep-Alive": "", "Proxy-Connection": "", "Via": "", "X-Forwarded-Host": "", "User-Agent": "own", "Accept-Encoding": "br"} {
		if v := got.Header.Get(name); v != want {
			t.Errorf("header %s: got %q, want %q", name, v, want)
		}
	}
}

func TestAnswersStream(t *testing.T) {
	more := make(chan struct{})
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "first")
		w.(http.Flusher).Flush()
		<-more
		fmt.Fprintln(w, "second")
	})
	_, c := open(t, wall.Config{})
	res, err := c.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	if line, err := lines.ReadString('\n'); line != "first\n" {
		t.Errorf("got %q, %v before the answer's end", line, err)
	}
	close(more)
	if line, err := lines.ReadString('\n'); line != "second\n" {
		t.Errorf("got %q, %v", line, err)
	}
}

func TestTunnelsCarryHTTP2AndWebSockets(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	_, c := open(t, wall.Config{})
	c.Transport.(*http.Transport).TLSClientConfig.RootCAs.AddCert(s.Certificate())
	res, err := c.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); string(body) != "HTTP/2.0" {
		t.Errorf("got %q, want HTTP/2.0", body)
	}

	echo := server(t, func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		kind, data, _ := ws.Read(r.Context())
		_ = ws.Write(r.Context(), kind, data)
		_ = ws.Close(websocket.StatusNormalClosure, "")
	})
	c.Timeout = 0 // the library's wish
	ws, _, err := websocket.Dial(t.Context(), echo.URL, &websocket.DialOptions{HTTPClient: c})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	if err := ws.Write(t.Context(), websocket.MessageText, []byte("ping")); err != nil {
		t.Fatal(err)
	}
	if _, data, err := ws.Read(t.Context()); string(data) != "ping" {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestNamesOfThisMachineAreKnown(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) })
	_, port := addressOf(t, s.URL)
	_, c := open(t, wall.Config{})
	for _, host := range []string{"localhost", "LOCALHOST.", "app.localhost"} {
		res, err := c.Get(fmt.Sprintf("http://%s:%d/", host, port))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if want := fmt.Sprintf("%s:%d", host, port); string(body) != want {
			t.Errorf("got %s %q, want %q", res.Status, body, want)
		}
	}
}

func TestOrdinaryRequestsAreNotServed(t *testing.T) {
	w, _ := open(t, wall.Config{})
	for _, path := range []string{"/", "/metrics"} {
		res, err := http.Get(w.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: got %s", path, res.Status)
		}
	}
}

func TestCloseEndsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	started := make(chan struct{}, 2)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		started <- struct{}{}
		<-r.Context().Done()
	}))
	w, err := wall.Open(wall.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c := client(t, w)
	res, err := c.Get(s.URL) // an answer without an end
	if err != nil {
		t.Fatal(err)
	}
	<-started
	raw, err := net.Dial("tcp", strings.TrimPrefix(w.URL(), "http://")) // a tunnel
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(raw, "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", strings.TrimPrefix(s.URL, "http://"))
	if line, err := bufio.NewReader(raw).ReadString('\n'); !strings.Contains(line, "200") {
		t.Fatalf("tunnel: %q, %v", line, err)
	}
	began := time.Now()
	for range 2 {
		if err := w.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("closing took %v", took)
	}
	res.Body.Close()
	raw.Close()
	c.CloseIdleConnections()
	s.Close()
	limit := time.After(within)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for over := false; runtime.NumGoroutine() > before && !over; {
		select {
		case <-tick.C:
		case <-limit:
			over = true
		}
	}
	if n := runtime.NumGoroutine(); n > before {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", n, before, stacks[:runtime.Stack(stacks, true)])
	}
}
