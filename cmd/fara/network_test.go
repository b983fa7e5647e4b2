package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"fara/env"
	"fara/env/chrome"
	"fara/model/modeltest"
	"fara/policy"
	"fara/trajectory"
	"fara/wall"
	"fara/wall/walltest"
)

// host is a server that counts who connects, and remembers what was asked for.
type host struct {
	URL string

	mu        sync.Mutex
	connected int
	paths     map[string]bool
}

// newHost listens at an address such as "127.0.0.2:0".
func newHost(t *testing.T, network, address string) *host {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	h := &host{paths: map[string]bool{}}
	s := &httptest.Server{Listener: listener, Config: &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.mu.Lock()
			h.paths[strings.TrimPrefix(r.URL.Path, "/")] = true
			h.mu.Unlock()
			w.Header().Set("Access-Control-Allow-Origin", "*")
			if r.URL.Path == "/download" {
				w.Header().Set("Content-Disposition", "attachment")
			}
			fmt.Fprint(w, "<title>reached</title>")
		}),
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				h.mu.Lock()
				h.connected++
				h.mu.Unlock()
			}
		},
	}}
	s.Start()
	t.Cleanup(s.Close)
	h.URL = "http://" + listener.Addr().String()
	return h
}

// took gives how many connected and what they asked for, sorted.
func (h *host) took() (int, []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var paths []string
	for p := range h.paths {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return h.connected, paths
}

// steps gives the reason codes of a run's steps; "" is one that went well.
func steps(t *testing.T, stdout string) (reasons []string, dir string) {
	t.Helper()
	for _, line := range lines(t, stdout) {
		if line["type"] == "result" {
			dir = line["dir"].(string)
			continue
		}
		if line["type"] != "step" {
			continue
		}
		reason := ""
		if problem, ok := line["error"].(map[string]any); ok {
			reason = problem["reason"].(string)
		}
		reasons = append(reasons, reason)
	}
	return reasons, dir
}

func visit(address string) modeltest.Answer {
	return tool("I go there.", fmt.Sprintf(`{"action": "visit_url", "url": %q}`, address))
}

func TestContradictingSitesAreOneLine(t *testing.T) {
	for _, c := range []struct {
		args  []string
		wants []string
	}{
		{[]string{"--allow-site", "shop.example", "--deny-site", "shop.example"}, []string{"contradict", "shop.example"}},
		{[]string{"--allow-site", "a.shop.example", "--deny-site", "x.example,shop.example"}, []string{"a.shop.example", "shop.example"}},
		{[]string{"--url", "https://shop.example/x", "--deny-site", "SHOP.example."}, []string{"shop.example"}},
		{[]string{"--url", "http://127.0.0.1:8080/", "--deny-site", "127.0.0.0/8"}, []string{"127.0.0.1", "127.0.0.0/8"}},
		{[]string{"--search-url", "https://find.example/?q=%s", "--deny-site", "find.example"}, []string{"find.example"}},
		{[]string{"--allow-site", "ex*mple.com"}, []string{"--allow-site", "ex*mple.com"}},
		{[]string{"--deny-site", ""}, []string{"--deny-site"}},
		{[]string{"--deny-site", "https://me:hunter2@a.example"}, []string{"--deny-site"}},
		{[]string{"--proxy", "ftp://a.example:1"}, []string{"--proxy", "socks5"}},
		{[]string{"--proxy", "http://me:hunter2@"}, []string{"--proxy"}},
	} {
		out := filepath.Join(t.TempDir(), "out")
		got := call{args: append([]string{"run", "x", "--out", out}, c.args...)}.run(t)
		got.oneLine(t, exitUsage, c.wants...)
		if strings.Contains(got.stderr, "hunter2") {
			t.Errorf("a password is repeated: %s", got.stderr)
		}
		empty(t, out)
	}
	got := call{args: []string{"run", "x"}, env: map[string]string{"FARA_ALLOW_SITE": "a.example,b.example", "FARA_DENY_SITE": "b.example"}}.run(t)
	got.oneLine(t, exitUsage, "b.example")
}

func TestTypedAddressesAreHeldToTheSites(t *testing.T) {
	needBrowser(t)
	denied := newHost(t, "tcp4", "127.0.0.2:0")
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(denied.URL, "http://"))
	hosts := []string{"127.0.0.2", "2130706434", "0x7f000002", "0177.0.0.2", "127.2", "[::ffff:127.0.0.2]", "me:pw@127.0.0.2", "１２７.０.０.２", "127.0.0.2."}
	var answers []modeltest.Answer
	for _, h := range hosts {
		answers = append(answers, visit("http://"+h+":"+port+"/"), tool("I wait.", `{"action": "wait", "time": 0}`))
	}
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(append(answers, tool("x", `{"action": "terminate", "answer": "ok"}`))...))
	got := fara(t, "run", "Look.", "--url", site(t, "hello"), "--deny-site", "127.0.0.2", "--allow-private-network", "--endpoint", srv.URL(), "--json", "--out", t.TempDir())
	reasons, dir := steps(t, got.stdout)
	if got.code != exitSuccess || len(reasons) != 2*len(hosts)+2 { // the first page and the end beside them
		t.Fatalf("exit code %d, %q, %s", got.code, reasons, got.stderr)
	}
	for i, h := range hosts {
		if got := reasons[1+2*i]; got != policy.CodeDenied {
			t.Errorf("%s: got %q, want %q", h, got, policy.CodeDenied)
		}
	}
	if n, _ := denied.took(); n != 0 {
		t.Errorf("%d connections reached the denied host", n)
	}
	run, err := trajectory.Read(dir)
	if err != nil || !slices.Equal(run.Task.DenySites, []string{"127.0.0.2"}) || !run.Task.PrivateNetwork {
		t.Errorf("task.json: %+v, %v", run.Task, err)
	}
}

func TestNameThatLeadsIntoThePrivateNetworkIsRefused(t *testing.T) {
	needBrowser(t)
	inside := newHost(t, "tcp4", "127.0.0.3:0")
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(inside.URL, "http://"))
	start := site(t, `<title>start</title>`)
	rules := policy.Policy{Trusted: []string{start}}
	way, err := wall.Open(wall.Config{
		Resolver: walltest.Resolver(t, map[string][]string{"rebind.example.": {"127.0.0.3"}, "dead.example.": {"127.0.0.1"}}),
		Connect:  func(host string, port uint16) error { return allowed(rules.Connect(host, port)) },
		Address:  func(host string, to netip.AddrPort) error { return allowed(rules.Address(host, to)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer way.Close()
	browser, err := chrome.Launch(t.Context(), chrome.Config{Proxy: way.URL(), Explain: explain(way), Admit: func(d chrome.Document) error { return allowed(rules.Show(d.Address)) }})
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	for _, scheme := range []string{"http", "https"} {
		_, err := browser.Perform(t.Context(), env.Action{Kind: env.VisitURL, URL: scheme + "://rebind.example:" + port + "/"})
		var fail *env.ActionError
		var refusal *policy.Refusal
		if !errors.As(err, &fail) || fail.Code != env.Refused || !errors.As(err, &refusal) || refusal.Code != policy.CodePrivate {
			t.Errorf("%s: got %v, want a refusal %s", scheme, err, policy.CodePrivate)
		}
		_, err = browser.Perform(t.Context(), env.Action{Kind: env.VisitURL, URL: scheme + "://unknown.example/"})
		if !errors.As(err, &fail) || fail.Code != env.Navigation || !strings.Contains(fail.Text, "does not exist (net::ERR_NAME_NOT_RESOLVED)") {
			t.Errorf("%s: got %v, want an unknown host", scheme, err)
		}
	}
	if n, _ := inside.took(); n != 0 {
		t.Errorf("%d connections went into the private network", n)
	}
}

func TestDeadHostIsToldAsWithoutAWall(t *testing.T) {
	needBrowser(t)
	dead := httptest.NewServer(nil)
	dead.Close()
	for _, address := range []string{dead.URL, strings.Replace(dead.URL, "http:", "https:", 1)} {
		srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(visit(address), tool("x", `{"action": "terminate", "answer": "ok"}`)))
		got := fara(t, "run", "Look.", "--url", site(t, "hello"), "--endpoint", srv.URL(), "--out", t.TempDir())
		if !strings.Contains(got.stderr, "the host refuses connections (net::ERR_CONNECTION_REFUSED)") {
			t.Errorf("%s: %s", address, got.stderr)
		}
	}
}

func TestProxyIsUsedBehindTheWall(t *testing.T) {
	needBrowser(t)
	var asked sync.Map
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, _, ok := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth(); !ok || user != "me" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		asked.Store(r.URL.Host, true)
		fmt.Fprint(w, "<title>by proxy</title>")
	}))
	defer proxy.Close()
	u, _ := url.Parse(proxy.URL)
	u.User = url.UserPassword("me", "hunter2")
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(tool("x", `{"action": "terminate", "answer": "ok"}`)))
	got := fara(t, "run", "Look.", "--url", "http://only-there.example/", "--proxy", u.String(), "--endpoint", srv.URL(), "--json", "--out", t.TempDir())
	_, dir := steps(t, got.stdout)
	run, err := trajectory.Read(dir)
	if err != nil {
		t.Fatalf("%v: %s%s", err, got.stdout, got.stderr)
	}
	if _, ok := asked.Load("only-there.example"); !ok || got.code != exitSuccess || run.Task.Proxy != proxy.URL {
		t.Errorf("exit code %d, asked %v, recorded %q, %s", got.code, ok, run.Task.Proxy, got.stderr)
	}
}
