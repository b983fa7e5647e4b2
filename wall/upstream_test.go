package wall_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"fara/wall"
)

// upstream is an HTTP proxy that asks for a password, knows names of its own,
// and counts.
func upstream(t *testing.T, to string) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	n := new(atomic.Int32)
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("me:p@ss"))
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != want {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		n.Add(1)
		if r.Method != http.MethodConnect {
			fmt.Fprintf(w, "for %s", r.URL)
			return
		}
		there, err := net.Dial("tcp", to)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.WriteHeader(http.StatusOK)
		here, _, _ := http.NewResponseController(w).Hijack()
		go func() { defer here.Close(); _, _ = io.Copy(here, there) }()
		go func() { defer there.Close(); _, _ = io.Copy(there, here) }()
	})
	return s, n
}

// by sends everything by one proxy.
func by(t *testing.T, address string) func(*url.URL) (*url.URL, error) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return func(*url.URL) (*url.URL, error) { return u, nil }
}

func secure(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "secret") }))
	t.Cleanup(s.Close)
	return s
}

func TestUpstreamProxyIsUsedWithItsPassword(t *testing.T) {
	origin := secure(t)
	proxy, asked := upstream(t, origin.Listener.Addr().String())
	address := strings.Replace(proxy.URL, "http://", "http://me:p%40ss@", 1)
	_, c := open(t, wall.Config{Proxy: by(t, address)})
	tlsConfig := c.Transport.(*http.Transport).TLSClientConfig
	tlsConfig.RootCAs.AddCert(origin.Certificate())
	tlsConfig.ServerName = "example.com" // whom the test server's certificate is for
	for target, want := range map[string]string{"http://only-there.test/x?y": "for http://only-there.test/x?y", "https://only-there.test/": "secret"} {
		res, err := c.Get(target)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if string(body) != want {
			t.Errorf("%s: got %s %q, want %q", target, res.Status, body, want)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("the proxy was asked %d times, want 2", n)
	}
}

func TestUpstreamProxysTroubleIsTold(t *testing.T) {
	proxy, asked := upstream(t, "127.0.0.1:1")
	dead := httptest.NewServer(nil)
	dead.Close()
	for name, c := range map[string]struct{ address, want string }{
		"password": {strings.Replace(proxy.URL, "http://", "http://me:secret@", 1), "password"},
		"dead":     {strings.Replace(dead.URL, "http://", "http://me:secret@", 1), "cannot be reached"},
		"socks":    {strings.Replace(dead.URL, "http://", "socks5://me:secret@", 1), "cannot be reached"},
	} {
		w, browser := open(t, wall.Config{Proxy: by(t, c.address)})
		for _, scheme := range []string{"http", "https"} {
			res, err := browser.Get(scheme + "://x.test/")
			if err == nil {
				res.Body.Close()
				err = errors.New(res.Status)
			}
			_, port := addressOf(t, map[string]string{"http": "http://x:80", "https": "http://x:443"}[scheme])
			told := w.Failure("x.test", port)
			if !strings.Contains(err.Error(), "Bad Gateway") || told == nil || !strings.Contains(told.Error(), "the proxy 127.0.0.1:") || strings.Contains(told.Error(), "secret") {
				t.Errorf("%s, %s: got %v, told %v", name, scheme, err, told)
			}
			if scheme == "http" && told != nil && !strings.Contains(told.Error(), c.want) {
				t.Errorf("%s: told %v, want %q in it", name, told, c.want)
			}
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the proxy let %d pass", n)
	}
}

func TestRefusalsComeBeforeTheUpstreamProxy(t *testing.T) {
	proxy, asked := upstream(t, "127.0.0.1:1")
	_, c := open(t, wall.Config{
		Proxy:   by(t, strings.Replace(proxy.URL, "http://", "http://me:p%40ss@", 1)),
		Connect: func(host string, _ uint16) error { return errors.New("no") },
	})
	res, err := c.Get("http://10.0.0.1/")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if n := asked.Load(); n != 0 || res.StatusCode != http.StatusForbidden {
		t.Errorf("got %s and %d requests to the proxy", res.Status, n)
	}
}

func TestSOCKSProxyLooksUpNames(t *testing.T) {
	origin := server(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "from ", r.Host) })
	address, names := socks(t, origin.Listener.Addr().String())
	w, c := open(t, wall.Config{Proxy: by(t, "socks5://me:pw@"+address)})
	res, err := c.Get("http://only-there.test/")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if string(body) != "from only-there.test" || <-names != "me:pw only-there.test" {
		t.Errorf("plain: got %s %q", res.Status, body)
	}
	tunnel, err := net.Dial("tcp", strings.TrimPrefix(w.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer tunnel.Close()
	fmt.Fprintf(tunnel, "CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\nGET / HTTP/1.1\r\nHost: inner\r\nConnection: close\r\n\r\n")
	data, err := io.ReadAll(tunnel)
	if !strings.Contains(string(data), "from inner") || <-names != "me:pw other.test" {
		t.Errorf("tunnel: got %q, %v", data, err)
	}
}

// socks is a SOCKS 5 proxy with a password, all of whose names lead to one
// server. It tells whom it was asked by and for.
func socks(t *testing.T, to string) (string, <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	asked := make(chan string, 10)
	serve := func(c net.Conn) {
		defer c.Close()
		text := func(n int) string { b := make([]byte, n); _, _ = io.ReadFull(c, b); return string(b) }
		text(1)
		text(int(text(1)[0])) // methods
		_, _ = c.Write([]byte{5, 2})
		text(1)
		user := text(int(text(1)[0]))
		password := text(int(text(1)[0]))
		_, _ = c.Write([]byte{1, 0})
		text(4)
		name := text(int(text(1)[0]))
		text(2)
		asked <- user + ":" + password + " " + name
		there, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		defer there.Close()
		_, _ = c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		go func() { _, _ = io.Copy(there, c); there.Close() }()
		_, _ = io.Copy(c, there)
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return listener.Addr().String(), asked
}
