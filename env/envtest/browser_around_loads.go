package envtest

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fara/env"
)

func loadCases() []browserCase {
	cases := []browserCase{
		{"a page whose body never ends is shown and told", nil, endlessBody},
		{"a link whose answer never comes is told and the page stays", nil, silentLink},
		{"going back shows the page before, while there is one", func(*testing.T) Options { return Options{} }, backToTheFirst},
		{"titles and addresses are one bounded line", nil, hostileTitles},
		{"a site that asks to be left alone is, for as long", nil, leftAlone},
		{"a site may name the time from which it can be asked again", nil, askedByDate},
	}
	for name, way := range map[string]func(b *Tab){
		"redirects":    func(b *Tab) { b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.URL + "/hop5"}) },
		"meta refresh": func(b *Tab) { b.visitTo(`<meta http-equiv=refresh content="0;url=/end">`) },
		"script":       func(b *Tab) { b.visitTo(`<script>location.href='/end'</script>`) },
		"replacement":  func(b *Tab) { b.visitTo(`<script>location.replace('/end')</script>`) },
		"history":      func(b *Tab) { b.visitTo(`<title>end</title><script>history.pushState(1,'','/end')</script>`) },
		"form":         func(b *Tab) { b.visitTo(`<form id=f action=/end method=post></form><script>f.submit()</script>`) },
		"click, pushed": func(b *Tab) {
			b.Open(`<title>end</title><button` + target + `onclick="history.pushState(1,'','/end')">x</button>`)
			b.Click(50, 50)
		},
	} {
		cases = append(cases, browserCase{"where the page ends up is observed: " + name, nil, func(t *testing.T, b *Tab) {
			for i := 5; i > 0; i-- {
				next := fmt.Sprintf("/hop%d", i-1)
				if i == 1 {
					next = "/end"
				}
				b.Site.Handle(fmt.Sprintf("/hop%d", i), func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, next, http.StatusFound) })
			}
			b.Site.Page("/end", "<title>end</title>")
			way(b)
			if obs := b.See(); obs.URL != b.Site.URL+"/end" || obs.Title != "end" {
				t.Errorf("the first picture is of %s titled %q, want the end", obs.URL, obs.Title)
			}
		}})
	}
	return cases
}

func backToTheFirst(_ *testing.T, b *Tab) {
	b.Fails(env.Action{Kind: env.HistoryBack}, env.NoEffect)
	b.Open(`<title>one</title>`)
	b.Fails(env.Action{Kind: env.HistoryBack}, env.NoEffect)
	b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.URL + "/"})
	b.Do(env.Action{Kind: env.HistoryBack})
	b.Says("one")
}

func (b *Tab) visitTo(html string) {
	b.T.Helper()
	b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.Page("/begin", html)})
}

func endlessBody(t *testing.T, b *Tab) {
	page := b.Site.Handle("/endless", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>half</title><h1>partial</h1>"+strings.Repeat(" ", 4096))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	began := time.Now()
	b.Do(env.Action{Kind: env.VisitURL, URL: page})
	obs := b.See()
	if obs.Title != "half" || len(Noted(obs.Notes, env.NoteSlow)) != 1 || time.Since(began) > Within {
		t.Errorf("got title %q, notes %+v after %v; want what came so far and one note that it is slow", obs.Title, obs.Notes, time.Since(began))
	}
}

func silentLink(t *testing.T, b *Tab) {
	b.Site.Handle("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	b.Open(`<title>before</title><a href=/silent` + target + `>x</a>`)
	began := time.Now()
	b.Click(50, 50)
	obs := b.See()
	if obs.Title != "before" || len(Noted(obs.Notes, env.NoteSlow)) != 1 || time.Since(began) > Within {
		t.Errorf("got title %q, notes %+v after %v; want the page and one note that it is slow", obs.Title, obs.Notes, time.Since(began))
	}
}

func hostileTitles(t *testing.T, b *Tab) {
	b.Open(`<title>-</title><script>document.title='one\ntwo\r\u2028three\u0000 '+'x'.repeat(1e6)</script>`)
	obs := b.See()
	if len(obs.Title) > 2000 || strings.ContainsAny(obs.Title, "\n\r\u2028\x00") || !strings.HasPrefix(obs.Title, "one two") {
		t.Errorf("title of %d bytes: %.60q", len(obs.Title), obs.Title)
	}
	if len(obs.Tabs[0].Title) != len(obs.Title) {
		t.Errorf("the tab's title has %d bytes, the page's %d", len(obs.Tabs[0].Title), len(obs.Title))
	}
	b.Do(env.Action{Kind: env.VisitURL, URL: "data:text/html,<title>data</title>" + strings.Repeat("x", 100000)})
	if obs := b.See(); len(obs.URL) > 10000 || obs.Title != "data" {
		t.Errorf("address of %d bytes, title %q", len(obs.URL), obs.Title)
	}
}

// busy serves a page that answers 429 once, with the header, and then well.
func (b *Tab) busy(retryAfter func() string) (address string, second *atomic.Int64) {
	var asked, at atomic.Int64
	return b.Site.Handle("/busy", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", retryAfter())
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, "<title>busy</title>")
			return
		}
		at.Store(time.Now().UnixMilli())
		fmt.Fprint(w, "<title>well</title>")
	}), &at
}

func leftAlone(t *testing.T, b *Tab) {
	address, second := b.busy(func() string { return "2" })
	b.Do(env.Action{Kind: env.VisitURL, URL: address})
	first := time.Now()
	obs := b.See()
	notes := Noted(obs.Notes, env.NoteBusy)
	if obs.Title != "busy" || len(notes) != 1 {
		t.Fatalf("got %q, notes %+v; want the page and one note", obs.Title, notes)
	}
	Contains(t, "note", notes[0].Text, "429", "2s")
	if notes[0].Wait != 2*time.Second {
		t.Errorf("the site asks for %v, want 2s", notes[0].Wait)
	}
	other := NewSite(t) // another site is not waited for
	if out := b.Do(env.Action{Kind: env.VisitURL, URL: other.URL}); strings.Contains(out.Text, "waited") {
		t.Errorf("another site: %q", out.Text)
	}
	out := b.Do(env.Action{Kind: env.VisitURL, URL: address})
	Contains(t, "outcome", out.Text, "waited", "as the site had asked")
	if got := time.UnixMilli(second.Load()).Sub(first); got < 1500*time.Millisecond || got > 6*time.Second {
		t.Errorf("asked again after %v, want 2s", got)
	}
	b.Says("well")
	if out := b.Do(env.Action{Kind: env.VisitURL, URL: address}); strings.Contains(out.Text, "waited") {
		t.Errorf("third visit: %q", out.Text)
	}
}

// askedByDate has a time in place of seconds, which holds for the whole site.
func askedByDate(t *testing.T, b *Tab) {
	address, _ := b.busy(func() string { return time.Now().Add(3 * time.Second).UTC().Format(http.TimeFormat) })
	b.Do(env.Action{Kind: env.VisitURL, URL: address})
	notes := Noted(b.See().Notes, env.NoteBusy)
	if len(notes) != 1 || !strings.Contains(notes[0].Text, "429") {
		t.Fatalf("notes %+v, want one", notes)
	}
	Contains(t, "outcome", b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.URL + "/"}).Text, "waited")
	hourly := b.Site.Handle("/hourly", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, "<title>down</title>")
	})
	b.Do(env.Action{Kind: env.VisitURL, URL: hourly})
	obs := b.See()
	Contains(t, "note", fmt.Sprint(Noted(obs.Notes, env.NoteBusy)), "503", "1h0m0s", "at most 1m0s")
}
