package chrome_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
)

// whoScript gives what a script sees of the browser's name.
const whoScript = `async function who() {
	const d = navigator.userAgentData, h = await d.getHighEntropyValues(['architecture', 'bitness', 'formFactors', 'fullVersionList',
		'model', 'platformVersion', 'uaFullVersion', 'wow64']);
	return JSON.stringify({agent: navigator.userAgent, version: navigator.appVersion, hints: h, low: d.toJSON()});
}
`

// who collects how a browser names itself in every place of a page.
type who struct {
	mu    sync.Mutex
	said  map[string]string // by place
	asked []http.Header
	paths []string
}

func (w *who) places() (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name := range w.said {
		names = append(names, name)
	}
	return names
}

// serve makes a site of a page, a frame of another site, a popup and all three
// kinds of worker, each of which reports.
func (w *who) serve(site *envtest.Site) string {
	w.said = map[string]string{}
	page := func(path, kind, body string) string {
		return site.Handle(path, func(rw http.ResponseWriter, r *http.Request) {
			w.mu.Lock()
			w.asked, w.paths = append(w.asked, r.Header), append(w.paths, r.URL.Path)
			w.mu.Unlock()
			rw.Header().Set("Content-Type", kind)
			rw.Header().Set("Accept-CH", "Sec-CH-UA-Full-Version-List")
			_, _ = io.WriteString(rw, body)
		})
	}
	site.Handle("/say", func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.said[r.URL.RawQuery] = string(text)
	})
	say := `const say = (where, what) => fetch('/say?' + where, {method: 'POST', body: what});`
	page("/worker.js", "text/javascript", whoScript+`who().then(t => postMessage(t))`)
	page("/shared.js", "text/javascript", whoScript+`onconnect = e => who().then(t => e.ports[0].postMessage(t))`)
	page("/service.js", "text/javascript", whoScript+`onmessage = e => who().then(t => e.source.postMessage(t))`)
	page("/popup", "text/html", `<script>`+whoScript+say+`who().then(t => say('popup', t))</script>`)
	page("/frame", "text/html", `<script>`+whoScript+`who().then(t => parent.postMessage(t, '*'))</script>`)
	return page("/who", "text/html", `<!doctype html><title>-</title><body onclick="window.open('/popup')"><script>`+whoScript+say+`
		who().then(t => say('page', t));
		onmessage = e => say('frame', e.data);
		new Worker('/worker.js').onmessage = e => say('worker', e.data);
		new SharedWorker('/shared.js').port.onmessage = e => say('shared', e.data);
		navigator.serviceWorker.onmessage = e => say('service', e.data);
		navigator.serviceWorker.register('/service.js');
		navigator.serviceWorker.ready.then(r => r.active.postMessage(''));
		</script><p style="height:300px">-</p><iframe src="`+strings.Replace(site.URL, "127.0.0.1", "localhost", 1)+`/frame"></iframe>`)
}

func TestTheBrowserHasOneNameEverywhere(t *testing.T) {
	w := &who{}
	b := ownTab(t, chrome.Config{})
	b.Do(env.Action{Kind: env.VisitURL, URL: w.serve(b.Site)})
	b.Do(env.Action{Kind: env.LeftClick, Point: at(50, 50)})
	if !envtest.Eventually(func() bool { return len(w.places()) == 6 }) {
		t.Fatalf("only %v said who they are", w.places())
	}
	for where, said := range w.said {
		if said != w.said["page"] {
			t.Errorf("%s says\n%s, the page\n%s", where, said, w.said["page"])
		}
	}
	var page struct {
		Agent, Version string
		Hints          struct {
			Architecture, Bitness, UaFullVersion string
			FullVersionList                      []struct{ Brand, Version string }
		}
		Low struct {
			Brands []struct{ Brand, Version string }
		}
	}
	if err := json.Unmarshal([]byte(w.said["page"]), &page); err != nil {
		t.Fatal(err)
	}
	major, _, _ := strings.Cut(page.Hints.UaFullVersion, ".")
	if strings.Contains(w.said["page"], "Headless") || major == "" || !strings.Contains(page.Agent, "Chrome/"+major+".0.0.0 ") || page.Hints.Architecture == "" || page.Hints.Bitness == "" {
		t.Errorf("the page says %s", w.said["page"])
	}
	if len(page.Low.Brands) != len(page.Hints.FullVersionList) {
		t.Fatalf("brands %v and %v", page.Low.Brands, page.Hints.FullVersionList)
	}
	for i, low := range page.Low.Brands {
		if full := page.Hints.FullVersionList[i]; full.Brand != low.Brand || !strings.HasPrefix(full.Version, low.Version+".") {
			t.Errorf("brand %d is %v and %v", i, low, full)
		}
	}
	for i, h := range w.asked {
		if h.Get("User-Agent") != page.Agent {
			t.Errorf("the request for %s says %q, the page %q", w.paths[i], h.Get("User-Agent"), page.Agent)
		}
		if hint := h.Get("Sec-Ch-Ua"); hint != "" && !strings.Contains(hint, `"`+page.Low.Brands[0].Brand+`";v="`+page.Low.Brands[0].Version+`"`) {
			t.Errorf("the request for %s hints %s, the page %v", w.paths[i], hint, page.Low.Brands)
		}
	}
}

// TestTheHintsAreTheBrowsersOwn compares what we say with what the browser says
// when it is left to itself.
func TestTheHintsAreTheBrowsersOwn(t *testing.T) {
	said := map[chrome.Identity]string{}
	for _, identity := range []chrome.Identity{chrome.Ordinary, chrome.AsIs} {
		w := &who{}
		b := ownTab(t, chrome.Config{Identity: identity})
		b.Do(env.Action{Kind: env.VisitURL, URL: w.serve(b.Site)})
		if !envtest.Eventually(func() bool { return len(w.places()) == 5 }) {
			t.Fatalf("%s: only %v said who they are", identity, w.places())
		}
		said[identity] = w.said["service"]
	}
	if !strings.Contains(said[chrome.AsIs], "HeadlessChrome/") {
		t.Errorf("left as it is the browser says %s", said[chrome.AsIs])
	}
	if own := strings.ReplaceAll(said[chrome.AsIs], "HeadlessChrome/", "Chrome/"); own != said[chrome.Ordinary] {
		t.Errorf("got\n%s, want the browser's own\n%s", said[chrome.Ordinary], own)
	}
}
