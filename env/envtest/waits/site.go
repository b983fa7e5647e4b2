package waits

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Site serves the pages on this machine.
type Site struct {
	home, foreign string // addresses of one server, which browsers take for two sites
	server        *http.Server
	ended         chan struct{}
	pages         []Page
	texts         map[string]string
}

// Serve starts a Site. Close ends it.
func Serve() (*Site, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Site{home: "http://" + listener.Addr().String(), ended: make(chan struct{}), texts: map[string]string{}}
	s.foreign = strings.Replace(s.home, "127.0.0.1", "localhost", 1)
	for _, d := range drafts() {
		s.add(d)
	}
	s.server = &http.Server{Handler: s}
	go func() {
		_ = s.server.Serve(listener)
		close(s.ended)
	}()
	return s, nil
}

// Pages lists every page. They may be run in any order, on one browser or many.
func (s *Site) Pages() []Page { return s.pages }

// Close stops serving.
func (s *Site) Close() error {
	err := s.server.Close()
	<-s.ended
	return err
}

// draft is a page as it is written down.
type draft struct {
	name  string
	due   int // ms
	html  string
	steps []step // none: one click on the button
	idle  bool
	// endless: what the action started never ends.
	endless bool
}

func (s *Site) add(d draft) {
	path := "/page/" + strconv.Itoa(len(s.pages))
	p := Page{Name: d.name, Due: time.Duration(d.due) * time.Millisecond, Cap: 4 * time.Second, Idle: d.idle, address: s.home + path}
	if d.endless {
		p.Cap = 8 * time.Second
	}
	for _, st := range d.steps {
		if st.Kind == visits {
			st.URL = p.address
		}
		p.steps = append(p.steps, st)
	}
	if len(p.steps) == 0 {
		p.steps = []step{{clicking, !d.idle}}
	}
	s.pages = append(s.pages, p)
	s.texts[path] = strings.ReplaceAll(strings.ReplaceAll(d.html, "HOME", s.home), "FOREIGN", s.foreign)
}

// head is the beginning of every page: a button in the corner, the effect, and
// the words that the pages are written in.
const head = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>waits</title><style>
body { margin: 0 }
#go, #text, .box { position: absolute; left: 0; top: 0; width: 200px; height: 100px; border: 0 }
.effect { position: absolute; left: 300px; top: 0; width: 100px; height: 100px; background: rgb(0, 128, 0) }
</style><script>
const show = (root = document.body) => { const i = document.createElement('i'); i.className = 'effect'; root.append(i); };
const hide = () => { for (const i of document.querySelectorAll('.effect')) i.remove(); };
const ask = (ms, path = '/slow') => fetch(path + '?ms=' + ms).then(r => r.text());
const sleep = ms => new Promise(done => setTimeout(done, ms));
</script><body>`

// ServeHTTP implements http.Handler. Beside the pages there are /slow, which
// answers after ?ms=, /drip, which sends its answer in pieces over as long,
// /stream, which never ends it, /never, which never begins it, /socket, a
// WebSocket that answers late, and /moving.gif.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.URL.Query().Get("ms"))
	late := time.Duration(n) * time.Millisecond
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case strings.HasPrefix(r.URL.Path, "/slow"):
		pause(r, late)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		fmt.Fprint(w, "ok")
	case r.URL.Path == "/frame":
		page(w, frames[r.URL.RawQuery])
	case r.URL.Path == "/later":
		pause(r, late)
		page(w, `<script>show()</script>`)
	case r.URL.Path == "/picture.svg":
		pause(r, late)
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="100" height="100" fill="rgb(0,128,0)"/></svg>`)
	case r.URL.Path == "/show.js":
		pause(r, late)
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, `show()`)
	case r.URL.Path == "/worker.js":
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, `onmessage = e => setTimeout(() => postMessage(e.data), 300)`)
	case r.URL.Path == "/drip", r.URL.Path == "/stream":
		drip(w, r, late)
	case r.URL.Path == "/never":
		<-r.Context().Done()
	case r.URL.Path == "/socket":
		answerLate(w, r, 300*time.Millisecond)
	case r.URL.Path == "/moving.gif":
		w.Header().Set("Content-Type", "image/gif")
		_, _ = w.Write(moving())
	case s.texts[r.URL.Path] != "":
		if strings.Contains(s.texts[r.URL.Path], "CACHED") { // an unstorable page has no back-forward cache
			w.Header().Del("Cache-Control")
		}
		page(w, s.texts[r.URL.Path])
	default:
		http.NotFound(w, r)
	}
}

func page(w http.ResponseWriter, html string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, head, html)
}

// pause waits, or until the browser has gone away.
func pause(r *http.Request, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
}

// drip sends ten pieces over d; with none it goes on for ever.
func drip(w http.ResponseWriter, r *http.Request, d time.Duration) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	for i := 0; (d == 0 || i < 10) && r.Context().Err() == nil; i++ {
		fmt.Fprintln(w, i)
		if err := http.NewResponseController(w).Flush(); errors.Is(err, http.ErrNotSupported) {
			return
		}
		pause(r, max(d/10, 20*time.Millisecond))
	}
}
