//go:build linux

package chrome_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
)

// foreignBrowser is a browser that somebody else started, with one tab at the
// given address. It gives its debugging port.
func foreignBrowser(t *testing.T, address string, flags ...string) (port string) {
	t.Helper()
	needBrowser(t)
	binary, err := chrome.Find()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(binary, append(flags, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--window-size=1600,900", "--remote-debugging-port=0", "--user-data-dir="+dir, address)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		envtest.Eventually(func() bool { return os.RemoveAll(dir) == nil })
	})
	if !envtest.Eventually(func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		port, _, _ = strings.Cut(string(text), "\n")
		return err == nil && port != ""
	}) {
		t.Fatal("the other browser opened no port")
	}
	return port
}

// tabsOf asks a browser's HTTP side for its pages.
func tabsOf(t *testing.T, port string) (addresses []string) {
	t.Helper()
	res, err := http.Get("http://127.0.0.1:" + port + "/json/list")
	if err != nil {
		t.Fatalf("the browser does not answer: %v", err)
	}
	defer res.Body.Close()
	var targets []struct{ Type, URL string }
	if err := json.NewDecoder(res.Body).Decode(&targets); err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		if target.Type == "page" {
			addresses = append(addresses, target.URL)
		}
	}
	return addresses
}

func TestAttachWorksInATabOfItsOwnAndLeavesTheRest(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1") // must not be asked for this machine
	site := envtest.NewSite(t)
	theirs := site.Page("/theirs", `<title>-</title>theirs`)
	port := foreignBrowser(t, theirs)
	for _, endpoint := range []string{port, ":" + port, "http://localhost:" + port + "/", "ws://127.0.0.1:" + port} {
		browser, err := chrome.Attach(t.Context(), endpoint, chrome.Config{Viewport: env.Size{W: 800, H: 600}})
		if err != nil {
			t.Fatal(err)
		}
		b := tab{browser, &envtest.Tab{Subject: browser, T: t, Site: site}}
		b.Open(`<title>mine</title><body onclick="window.open('/','_blank')" style="height:500px">`)
		if obs := b.See(); obs.Title != "mine" || len(obs.Tabs) != 1 || obs.ImageSize != (env.Size{W: 800, H: 600}) {
			t.Errorf("%s: got %q, %v, tabs %+v; want our tab alone at 800x600", endpoint, obs.Title, obs.ImageSize, obs.Tabs)
		}
		b.Do(env.Action{Kind: env.LeftClick, Point: at(50, 50)})
		if !envtest.Eventually(func() bool { return b.See().URL == site.URL+"/" }) {
			t.Errorf("%s: the tab our page opened is not in front", endpoint)
		}
		if err := b.Close(); err != nil {
			t.Errorf("%s: close: %v", endpoint, err)
		}
		if !envtest.Eventually(func() bool { got := tabsOf(t, port); return len(got) == 1 && got[0] == theirs }) {
			t.Errorf("%s: tabs after close: %v, want theirs alone", endpoint, tabsOf(t, port))
		}
	}
}

func TestAttachConforms(t *testing.T) {
	t.Parallel()
	port := foreignBrowser(t, "about:blank")
	envtest.Conform(t, func(t *testing.T) envtest.Subject {
		b, err := chrome.Attach(t.Context(), port, chrome.Config{})
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
}

// TestAnEndedCallIsNotTheEndOfTheConnection ends calls at every moment of their
// way, most of them while they are being sent.
// TestAttachedClicksLandAtTheBrowsersOwnScale loads its page several times: with a
// scale that is not the browser's own, about one load in six missed.
func TestAttachedClicksLandAtTheBrowsersOwnScale(t *testing.T) {
	port := foreignBrowser(t, "about:blank", "--force-device-scale-factor=2")
	browser, err := chrome.Attach(t.Context(), port, chrome.Config{Viewport: env.Size{W: 800, H: 600}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = browser.Close() })
	b, other := newTab(t, browser), envtest.NewSite(t)
	inner := other.Page("/inner", `<style>body{height:280px;margin:0}</style><script>onclick=e=>parent.postMessage(e.clientX+','+e.clientY,'*')</script>`)
	inner = strings.Replace(inner, "127.0.0.1", "localhost", 1)
	for range 12 {
		b.Open(`<title>-</title><iframe src="` + inner + `" style="position:absolute;left:100px;top:80px;width:400px;height:300px;border:0"></iframe><script>onmessage=e=>document.title=e.data</script>`)
		b.Click(163, 133)
		obs := b.See()
		if obs.Title != "63,53" || obs.ImageSize != (env.Size{W: 1600, H: 1200}) {
			t.Fatalf("a click at (63, 53) of the frame: the frame saw %q; a picture of %v, want 1600x1200", obs.Title, obs.ImageSize)
		}
	}
}

func TestAnEndedCallIsNotTheEndOfTheConnection(t *testing.T) {
	port := foreignBrowser(t, "about:blank")
	b, err := chrome.Attach(t.Context(), port, chrome.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for n := range 200 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n)*10*time.Microsecond)
		if _, err := b.Read(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("call %d: got %v, want only deadlines", n, err)
		}
		cancel()
	}
	if _, err := b.Observe(t.Context()); err != nil {
		t.Errorf("after the ended calls: %v", err)
	}
}

func TestAttachErrorsSayWhatToDo(t *testing.T) {
	site := envtest.NewSite(t)
	site.Handle("/json/version", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) })
	for endpoint, want := range map[string]string{
		"127.0.0.1:1":                        "connection refused",
		site.URL:                             "403",
		"http://":                            "not an address",
		"ws://127.0.0.1:1/devtools?key=s3cr": "connection refused",
	} {
		_, err := chrome.Attach(t.Context(), endpoint, chrome.Config{})
		if err == nil {
			t.Errorf("%s: attached", endpoint)
			continue
		}
		envtest.Contains(t, endpoint, err.Error(), want, "--remote-debugging-port")
		if strings.Contains(err.Error(), "s3cr") {
			t.Errorf("the error tells the key: %v", err)
		}
	}
}

func TestAttachToASilentServerEndsWithItsContext(t *testing.T) {
	site := envtest.NewSite(t)
	site.Handle("/json/version", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := chrome.Attach(ctx, site.URL, chrome.Config{}); err == nil || time.Since(began) > 3*time.Second {
		t.Errorf("got %v after %v, want an error soon", err, time.Since(began))
	}
}

// TestHostileServersCannotTakeTheProcessDown has servers that speak WebSocket but
// no browser protocol: what they send must end in an error, not in a panic.
func TestHostileServersCannotTakeTheProcessDown(t *testing.T) {
	site := envtest.NewSite(t)
	for name, message := range map[string]string{
		"not JSON": "hello", "wrong types": `{"id":"one"}`, "unknown answer": `{"id":999,"result":{}}`,
		"empty event": `{"method":"Target.attachedToTarget","params":{}}`, "odd event": `{"method":"Target.targetCreated","params":[1]}`,
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			address := site.Handle("/ws", func(w http.ResponseWriter, r *http.Request) {
				c, err := websocket.Accept(w, r, nil)
				if err != nil {
					return
				}
				ctx, cancel := context.WithTimeout(r.Context(), time.Second)
				defer cancel()
				_, _, _ = c.Read(ctx)
				reading := c.CloseRead(ctx)
				_ = c.Ping(reading)
				_ = c.Write(ctx, websocket.MessageText, []byte(message))
				_ = c.Close(websocket.StatusGoingAway, "bye")
			})
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			if b, err := chrome.Attach(ctx, "ws"+strings.TrimPrefix(address, "http"), chrome.Config{}); err == nil {
				_ = b.Close()
				t.Error("attached to no browser")
			}
			if !envtest.Eventually(func() bool { return runtime.NumGoroutine() <= before+1 }) {
				t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
			}
		})
	}
}

// TestAttachFindsBrowsersBehindProxies: an address may have a path before the
// browser's own, and may need a header on every request.
func TestAttachFindsBrowsersBehindProxies(t *testing.T) {
	port := foreignBrowser(t, "about:blank")
	target, err := url.Parse("http://127.0.0.1:" + port)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	var refused atomic.Int32
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret" {
			refused.Add(1)
			http.Error(w, "who are you", http.StatusForbidden)
			return
		}
		r.Host = target.Host
		http.StripPrefix("/browsers/one", proxy).ServeHTTP(w, r)
	})
	listener, err := net.Listen("tcp6", "[::1]:0")
	if err != nil { // a machine without IPv6 tests all but that
		listener, err = net.Listen("tcp4", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: guarded}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	base := listener.Addr().String() + "/browsers/one"
	with := chrome.Config{Header: http.Header{"Authorization": {"Bearer s3cret"}}}
	var own struct {
		Address string `json:"webSocketDebuggerUrl"`
	}
	res, err := http.Get(target.String() + "/json/version")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&own); err != nil {
		t.Fatal(err)
	}
	_, path, _ := strings.Cut(own.Address, "/devtools/")
	for _, endpoint := range []string{"http://" + base, base + "/", "ws://" + base + "/devtools/" + path} {
		b, err := chrome.Attach(t.Context(), endpoint, with)
		if err != nil {
			t.Errorf("%s: %v", endpoint, err)
			continue
		}
		if _, err := b.Observe(t.Context()); err != nil {
			t.Errorf("%s: %v", endpoint, err)
		}
		_ = b.Close()
		if _, err := chrome.Attach(t.Context(), endpoint, chrome.Config{}); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s without its header: got %v", endpoint, err)
		}
	}
	if got := refused.Load(); got != 3 {
		t.Errorf("%d requests lacked the header, want the three that had none", got)
	}
}
