package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"fara/model/modeltest"
)

// everyWay is a page that tries to reach TO in every way a page can, each with
// its own path. Its left half is a link, which a click follows.
const everyWay = `<!doctype html><title>start</title><link rel=icon href="data:,">
<link rel=stylesheet href="TO/css"><link rel=preload as=image href="TO/preload"><link rel=modulepreload href="TO/modulepreload.js">
<link rel=prefetch href="TO/prefetch"><link rel=preconnect href="TO"><link rel=dns-prefetch href="TO"><link rel=prerender href="TO/prerender"><link rel=manifest href="TO/manifest">
<script type=speculationrules>{"prefetch":[{"urls":["TO/rules-prefetch"],"eagerness":"immediate"}],"prerender":[{"urls":["TO/rules-prerender"],"eagerness":"immediate"}]}</script>
<style>@import "TO/import"; @font-face{font-family:f;src:url(TO/font)} body{font-family:f;background:url(TO/background)}</style>
<body style="margin:0"><a href="TO/link" ping="TO/ping /ping" onclick="window.open('TO/popup')" style="position:absolute;width:700px;height:890px">link</a>
<div style="position:absolute;left:720px"><img src="TO/img"><img src="/to/img-redirect"><script src="TO/script"></script><iframe src="TO/frame"></iframe><iframe src="/to/frame-redirect"></iframe>
<object data="TO/object" type="image/png"></object><embed src="TO/embed" type="image/png"><video src="TO/video" preload=auto></video><audio src="TO/audio" preload=auto></audio>
<svg><image href="TO/svg" width=9 height=9 /></svg><form target=in method=post action="TO/form-in-frame"></form><iframe name=in></iframe></div>
<script>
const to = 'TO', ws = to.replace('http', 'ws'), quiet = f => { try { Promise.resolve(f()).catch(() => 0) } catch {} };
const worker = code => URL.createObjectURL(new Blob([code], {type: 'text/javascript'}));
quiet(() => fetch(to + '/fetch'));
quiet(() => fetch(to + '/fetch-nocors', {mode: 'no-cors', method: 'POST', body: 'x'}));
quiet(() => fetch(to + '/keepalive', {keepalive: true}));
quiet(() => fetch('/to/fetch-redirect'));
quiet(() => { const x = new XMLHttpRequest(); x.open('GET', to + '/xhr'); x.send(); });
quiet(() => navigator.sendBeacon(to + '/beacon', 'x'));
quiet(() => new WebSocket(ws + '/websocket'));
quiet(() => new EventSource(to + '/eventsource'));
quiet(() => import(to + '/module.js'));
quiet(() => new Worker(worker("fetch('TO/worker').catch(()=>0); try { importScripts('TO/importscripts') } catch {}; new WebSocket('" + ws + "/worker-websocket')")));
quiet(() => new SharedWorker(worker("fetch('TO/shared-worker').catch(()=>0)")));
quiet(() => navigator.serviceWorker.register('/sw.js'));
quiet(() => new WebTransport('https://' + to.slice(7) + '/webtransport'));
quiet(() => { const p = new RTCPeerConnection({iceServers: [{urls: 'stun:STUN'}]}); p.createDataChannel('x'); return p.createOffer().then(o => p.setLocalDescription(o)); });
document.forms[0].submit();
setTimeout(() => { const a = document.createElement('a'); a.href = to + '/download'; a.download = 'x'; a.click(); }, 100);
</script>`

// worker is the page's service worker.
const worker = `oninstall = e => { skipWaiting(); e.waitUntil(Promise.all([fetch('TO/sw-install').catch(() => 0), new Promise(done => { const w = new WebSocket('WS/sw-websocket'); w.onerror = w.onclose = done })])) };
onactivate = e => e.waitUntil(clients.claim());`

// surfing serves everyWay towards an address, and a server for calls.
func surfing(t *testing.T, to string) (address string, calls *int) {
	t.Helper()
	udp, err := net.ListenPacket("udp4", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	calls = new(int)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for buf := make([]byte, 1500); ; *calls++ {
			if _, _, err := udp.ReadFrom(buf); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		udp.Close()
		<-done
	})
	fill := strings.NewReplacer("TO", to, "WS", strings.Replace(to, "http", "ws", 1), "STUN", udp.LocalAddr().String())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path, ok := strings.CutPrefix(r.URL.Path, "/to/"); ok {
			http.Redirect(w, r, to+"/"+path, http.StatusFound)
			return
		}
		if r.URL.Path == "/sw.js" {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, fill.Replace(worker))
			return
		}
		fmt.Fprint(w, fill.Replace(everyWay))
	}))
	t.Cleanup(s.Close)
	return s.URL, calls
}

// go through the page: look, wait for what it does by itself, follow its link.
func surf(t *testing.T, address string, flags ...string) outcome {
	t.Helper()
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(
		tool("I wait.", `{"action": "wait", "time": 2}`), tool("The link.", `{"action": "left_click", "coordinate": [200, 500]}`),
		tool("I wait.", `{"action": "wait", "time": 1}`), tool("x", `{"action": "terminate", "answer": "ok"}`)))
	return fara(t, append([]string{"run", "Look.", "--url", address, "--endpoint", srv.URL(), "--json", "--out", t.TempDir()}, flags...)...)
}

func TestNothingReachesADeniedHostByAnyWay(t *testing.T) {
	needBrowser(t)
	for name, c := range map[string]struct {
		network, address, host string
		flags                  []string
		code                   string
	}{
		"denied":    {"tcp4", "127.0.0.2:0", "127.0.0.2", []string{"--allow-private-network", "--deny-site", "127.0.0.2"}, "site_denied"},
		"network":   {"tcp4", "127.0.0.2:0", "127.0.0.2", []string{"--allow-private-network", "--deny-site", "127.0.0.2/31,x.example"}, "site_denied"},
		"localhost": {"tcp4", "127.0.0.1:0", "localhost", nil, "private_network"},
		"IPv6":      {"tcp6", "[::1]:0", "[::1]", nil, "private_network"},
	} {
		t.Run(name, func(t *testing.T) {
			to := newHost(t, c.network, c.address)
			_, port, _ := net.SplitHostPort(strings.TrimPrefix(to.URL, "http://"))
			address, calls := surfing(t, "http://"+c.host+":"+port)
			began := time.Now()
			got := surf(t, address, c.flags...)
			reasons, _ := steps(t, got.stdout)
			if want := []string{"", "", c.code, "", ""}; got.code != exitSuccess || !slices.Equal(reasons, want) {
				t.Errorf("exit code %d, steps %q, want %q; %s", got.code, reasons, want, got.stderr)
			}
			if n, paths := to.took(); n != 0 || *calls != 0 {
				t.Errorf("%d connections and %d calls reached it, asking for %q", n, *calls, paths)
			}
			t.Logf("took %v", time.Since(began))
		})
	}
}

// TestEveryWayLeadsWhereItMay shows that the page of these tests really tries
// what it says: what is not denied is reached.
func TestEveryWayLeadsWhereItMay(t *testing.T) {
	needBrowser(t)
	to := newHost(t, "tcp4", "127.0.0.2:0")
	address, _ := surfing(t, to.URL)
	got := surf(t, address, "--allow-private-network")
	if got.code != exitSuccess {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	_, paths := to.took()
	t.Logf("%d ways: %q", len(paths), paths)
	for _, want := range []string{
		"audio", "background", "beacon", "css", "download", "embed", "eventsource", "fetch", "fetch-nocors", "fetch-redirect", "form-in-frame", "frame", "frame-redirect",
		"img", "img-redirect", "import", "importscripts", "keepalive", "link", "module.js", "object", "ping", "popup", "prefetch", "script",
		"shared-worker", "svg", "sw-install", "sw-websocket", "video", "websocket", "worker", "worker-websocket", "xhr",
	} {
		if !slices.Contains(paths, want) {
			t.Errorf("%s was not tried", want)
		}
	}
}

func TestAllowListKeepsOtherSitesPagesOut(t *testing.T) {
	needBrowser(t)
	to := newHost(t, "tcp4", "127.0.0.2:0")
	address, _ := surfing(t, to.URL)
	got := surf(t, address, "--allow-private-network", "--allow-site", "shop.example")
	reasons, _ := steps(t, got.stdout)
	if got.code != exitSuccess || !slices.Contains(reasons, "site_not_allowed") {
		t.Errorf("exit code %d, steps %q; %s", got.code, reasons, got.stderr)
	}
	_, paths := to.took()
	for _, page := range []string{"link", "popup", "frame", "frame-redirect", "form-in-frame", "download", "rules-prefetch", "rules-prerender"} {
		if slices.Contains(paths, page) {
			t.Errorf("%s of a site that is not allowed was asked for", page)
		}
	}
	for _, part := range []string{"img", "script", "fetch", "websocket"} {
		if !slices.Contains(paths, part) {
			t.Errorf("%s is part of an allowed page and was not let pass", part)
		}
	}
}
