package envtest

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fara/env"
)

func admissionCases() []browserCase {
	return []browserCase{
		{"no click leads to a page that may not be opened", onlyHere, refusedClicks},
		{"no way back leads there", onlyHere, refusedHistory},
		{"no spelling of an address leads there", onlyHere, refusedSpellings},
		{"a visit that may not be is refused", onlyHere, refusedVisits},
		{"a new tab that may not show its page is closed", onlyHere, refusedTabs},
		{"frames are left empty and told", onlyHere, refusedFrames},
		{"what a page tries by itself is noted", onlyHere, refusedTimers},
		{"a page that tries for ever spoils no action", onlyHere, refusedForEver},
		{"what may be opened is, by every way", onlyHere, admitted},
		{"workers of every kind run", nil, workers},
	}
}

// errElsewhere is what a browser of onlyHere says of other hosts.
var errElsewhere = errors.New("other hosts are not for this test (elsewhere)")

// onlyHere admits documents of 127.0.0.1, and those that its pages make, alone.
func onlyHere(*testing.T) Options {
	return Options{Admit: func(address string) error {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		switch u.Scheme {
		case "http", "https":
			if u.Hostname() == "127.0.0.1" {
				return nil
			}
		case "about", "data", "blob":
			return nil
		}
		return errElsewhere
	}}
}

// forbidden is a server at 127.0.0.2 whose documents may not be asked for.
type forbidden struct {
	port  string
	asked atomic.Int32
}

func newForbidden(t *testing.T) *forbidden {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &forbidden{}
	_, f.port, _ = net.SplitHostPort(listener.Addr().String())
	serve(t, listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		f.asked.Add(1)
		_, _ = w.Write([]byte("<title>forbidden</title>"))
	}))
	return f
}

func (f *forbidden) at(host string) string { return "http://" + host + ":" + f.port + "/secret" }

func (f *forbidden) address() string { return f.at("127.0.0.2") }

// untouched checks that nothing was ever asked of it.
func (f *forbidden) untouched(t *testing.T, by string) {
	t.Helper()
	if n := f.asked.Swap(0); n != 0 {
		t.Errorf("%s: %d requests reached the forbidden server", by, n)
	}
}

// refusedWays are pages that a click takes to FORBIDDEN; "hop" in the name says
// that the page after the click, /hop, is the one that is left in front.
var refusedWays = map[string]string{
	"link":             `<a href="FORBIDDEN"` + target + `>x</a>`,
	"link in an image": `<svg` + target + `viewBox="0 0 9 9"><a href="FORBIDDEN"><rect width=9 height=9 /></a></svg>`,
	"link by base":     `<base href="FORBIDDEN"><a href="secret"` + target + `>x</a>`,
	"form":             `<form action="FORBIDDEN"><input type=hidden name=a value=b><button` + target + `>x</button></form>`,
	"form post":        `<form method=post action="FORBIDDEN"><input type=hidden name=a value=b><button` + target + `>x</button></form>`,
	"formaction":       `<form><button formaction="FORBIDDEN"` + target + `>x</button></form>`,
	"location":         `<button` + target + `onclick="location='FORBIDDEN'">x</button>`,
	"replace":          `<button` + target + `onclick="location.replace('FORBIDDEN')">x</button>`,
	"navigation api":   `<button` + target + `onclick="navigation.navigate('FORBIDDEN').finished.catch(()=>0)">x</button>`,
	"own name":         `<script>name='self'</script><button` + target + `onclick="window.open('FORBIDDEN','self')">x</button>`,
	"javascript link":  `<a href="javascript:location='FORBIDDEN'"` + target + `>x</a>`,
	"frame to top":     `<iframe` + target + `srcdoc="<body style='margin:0'><a target=_top href='FORBIDDEN' style='display:block;height:100px'>x</a>"></iframe>`,
	"302":              `<a href="/302"` + target + `>x</a>`,
	"307 post":         `<form method=post action="/307"><button` + target + `>x</button></form>`,
	"two redirects":    `<a href="/twice"` + target + `>x</a>`,
	"meta hop":         `<a href="/meta"` + target + `>x</a>`,
	"header hop":       `<a href="/header"` + target + `>x</a>`,
	"script hop":       `<a href="/script"` + target + `>x</a>`,
	"script, empty":    `<a href="/empty"` + target + `>x</a>`,
	"submit hop":       `<a href="/submit"` + target + `>x</a>`,
}

// ways serves the pages that lead on to an address.
func ways(s *Site, to string) {
	redirect := func(code int, to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(code)
		}
	}
	s.Handle("/302", redirect(http.StatusFound, to))
	s.Handle("/307", redirect(http.StatusTemporaryRedirect, to))
	s.Handle("/twice", redirect(http.StatusMovedPermanently, "/302"))
	s.Page("/meta", `<title>hop</title><meta http-equiv=refresh content="0;url=`+to+`">`)
	s.Page("/script", `<title>hop</title><body>Wait.<script>location.href='`+to+`'</script>`)
	s.Page("/empty", `<title>hop</title><script>location.replace('`+to+`')</script>`)
	s.Page("/submit", `<title>hop</title><form method=post action="`+to+`"></form><script>document.forms[0].submit()</script>`)
	s.Handle("/header", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Refresh", "0; url="+to)
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>hop</title>"))
	})
}

func refusedClicks(t *testing.T, b *Tab) {
	f := newForbidden(t)
	ways(b.Site, f.address())
	for name, html := range refusedWays {
		title := "start"
		if strings.HasSuffix(name, "hop") { // empty ones are left
			title = "hop"
		}
		b.Open("<title>start</title>" + strings.ReplaceAll(html, "FORBIDDEN", f.address()))
		began := time.Now()
		said := b.refused(name, env.Action{Kind: env.LeftClick, Point: point(50, 50)})
		Contains(t, name, said, "(elsewhere)", "nothing was opened")
		if obs := b.See(); obs.Title != title || len(obs.Tabs) != 1 || len(Noted(obs.Notes, env.NoteError)) != 0 {
			t.Errorf("%s: at %s %q, tabs %+v, notes %+v; want %q still", name, obs.URL, obs.Title, obs.Tabs, obs.Notes, title)
		}
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
		f.untouched(t, name)
	}
}

// refused performs an action that must be refused, and gives what was said.
func (b *Tab) refused(name string, a env.Action) string {
	b.T.Helper()
	out, err := b.Perform(b.T.Context(), a)
	var action *env.ActionError
	if !errors.As(err, &action) || action.Code != env.Refused || !errors.Is(err, errElsewhere) {
		b.T.Errorf("%s: got %+v, %v, want a refusal", name, out, err)
		return ""
	}
	return action.Text
}
