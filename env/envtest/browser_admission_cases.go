package envtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fara/env"
)

func refusedHistory(t *testing.T, b *Tab) {
	f := newForbidden(t)
	// The entry before is one of this server whose address now leads elsewhere.
	b.Site.Page("/moves", `<title>first</title>`)
	b.Visit(b.Site.URL + "/moves")
	b.Open(`<title>second</title>`)
	ways(b.Site, f.address())
	b.Site.Handle("/moves", b.Site.pages["/302"])
	out, err := b.Perform(t.Context(), env.Action{Kind: env.HistoryBack})
	if err == nil && b.See().Title != "first" { // kept as it was is as good
		t.Errorf("back: %+v, at %q", out, b.See().URL)
	}
	if err != nil && !strings.Contains(err.Error(), "(elsewhere)") {
		t.Errorf("back: got %v, want a refusal", err)
	}
	f.untouched(t, "back")
	b.Open(`<title>third</title><button` + target + `onclick="fetch('/').then(()=>history.back())">x</button>`)
	_, _ = b.Perform(t.Context(), env.Action{Kind: env.LeftClick, Point: point(50, 50)})
	b.Do(env.Action{Kind: env.Wait, For: 300 * time.Millisecond})
	f.untouched(t, "history.back")
}

func refusedSpellings(t *testing.T, b *Tab) {
	f := newForbidden(t)
	for _, host := range []string{
		"127.0.0.2", "2130706434", "0x7f000002", "0177.0.0.2", "127.2", "127.0.2", "0x7F.0.0.0x2", "[::ffff:127.0.0.2]",
		"user:word@127.0.0.2", "127.0.0.1@127.0.0.2", "１２７.０.０.２", "127。0。0。2", "%31%32%37.0.0.2", "127.0.0.2.", "127.0.0.2\u00ad",
		"localhost", "LOCALHOST", "localhost.", "a.localhost", "ｌocalhost", "[::1]", "[0:0:0:0:0:0:0:1]",
	} {
		for _, link := range []string{f.at(host), strings.TrimPrefix(f.at(host), "http:"), strings.ReplaceAll(f.at(host), "/", `\`), strings.Replace(f.at(host), "http:", "\t\nhT\tTp:", 1)} {
			b.Open(fmt.Sprintf(`<title>start</title><a href="%s"%s>x</a>`, link, target))
			b.refused(fmt.Sprintf("%q", link), env.Action{Kind: env.LeftClick, Point: point(50, 50)})
			if host != "127.0.0.2" {
				break // the ways to write the rest are tried with one
			}
		}
	}
	if obs := b.See(); obs.Title != "start" {
		t.Errorf("at %s, want the page still", obs.URL)
	}
	f.untouched(t, "spellings")
	for _, scheme := range []string{"view-source:" + f.address(), "file:///etc/passwd", "chrome://version", "filesystem:" + f.address()} {
		b.Open(fmt.Sprintf(`<title>start</title><a href="%s"%s>x</a>`, scheme, target))
		b.refused(scheme, env.Action{Kind: env.LeftClick, Point: point(50, 50)})
		if obs := b.See(); obs.Title != "start" {
			t.Errorf("%s: at %s, want the page still", scheme, obs.URL)
		}
	}
	f.untouched(t, "schemes")
}

func refusedVisits(t *testing.T, b *Tab) {
	f := newForbidden(t)
	ways(b.Site, f.address())
	for _, address := range []string{f.address(), b.Site.URL + "/302", b.Site.URL + "/twice"} {
		b.Open(`<title>start</title>`)
		began := time.Now()
		b.refused(address, env.Action{Kind: env.VisitURL, URL: address})
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("%s: it took %v", address, took)
		}
		if obs := b.See(); obs.Title != "start" || len(obs.Notes) != 0 {
			t.Errorf("%s: at %q with %+v, want the page still and no more told", address, obs.URL, obs.Notes)
		}
	}
	for _, path := range []string{"/meta", "/script"} { // they open, and what they do then is refused
		b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.URL + path})
		obs := b.until(path+" told", func(obs env.Observation) bool { return len(Noted(obs.Notes, env.NoteRefused)) == 1 })
		if obs.Title != "hop" {
			t.Errorf("%s: at %q, want that page", path, obs.URL)
		}
	}
	f.untouched(t, "visits")
}

func refusedTabs(t *testing.T, b *Tab) {
	f := newForbidden(t)
	ways(b.Site, f.address())
	for name, html := range openers {
		if strings.Contains(html, "/slow") || strings.Contains(html, "setTimeout") { // later than the action
			continue
		}
		for _, to := range []string{f.address(), "/302"} {
			b.Open("<title>start</title>" + strings.ReplaceAll(html, "/two", to))
			_, err := b.Perform(t.Context(), env.Action{Kind: env.LeftClick, Point: point(50, 50)})
			if err != nil {
				Contains(t, name, err.Error(), "(elsewhere)")
			} else { // a tab in the background may ask after the action has ended
				b.until(name+" told", func(obs env.Observation) bool { return len(Noted(obs.Notes, env.NoteRefused)) == 1 })
			}
			obs := b.until("alone", func(obs env.Observation) bool { return len(obs.Tabs) == 1 })
			if obs.Title != "start" {
				t.Errorf("%s: at %q, want the opener", name, obs.URL)
			}
			f.untouched(t, name)
		}
	}
}

func refusedFrames(t *testing.T, b *Tab) {
	f := newForbidden(t)
	ways(b.Site, f.address())
	for name, html := range map[string]string{
		"frame":          `<iframe src="FORBIDDEN"></iframe>`,
		"frame redirect": `<iframe src="/302"></iframe>`,
		"frame meta":     `<iframe src="/meta"></iframe>`,
		"frame script":   `<iframe srcdoc="<script>location='FORBIDDEN'</script>"></iframe>`,
		"frame post":     `<iframe name=in></iframe><form method=post target=in action="FORBIDDEN"></form><script>document.forms[0].submit()</script>`,
		"by script":      `<iframe></iframe><script>frames[0].location='FORBIDDEN'</script>`,
		"nested":         `<iframe srcdoc="<iframe src='FORBIDDEN'></iframe>"></iframe>`,
		"object":         `<object data="FORBIDDEN" type="text/html"></object>`,
		"blob":           `<iframe></iframe><script>frames[0].location=URL.createObjectURL(new Blob(['<iframe src="FORBIDDEN"></iframe>'],{type:'text/html'}))</script>`,
		"data":           `<iframe src="data:text/html,<iframe src='FORBIDDEN'></iframe>"></iframe>`,
	} {
		b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.Page("/framed", "<title>start</title>"+strings.ReplaceAll(html, "FORBIDDEN", f.address()))})
		obs := b.until(name+" told", func(obs env.Observation) bool { return len(Noted(obs.Notes, env.NoteRefused)) > 0 })
		if notes := Noted(obs.Notes, env.NoteRefused); obs.Title != "start" || len(notes) != 1 {
			t.Errorf("%s: at %q, notes %+v; want the page and one note", name, obs.URL, notes)
		}
		f.untouched(t, name)
	}
}

func refusedTimers(t *testing.T, b *Tab) {
	f := newForbidden(t)
	b.Open(`<title>start</title><script>setTimeout(()=>location='` + f.address() + `',1500)</script>`)
	obs := b.until("told", func(obs env.Observation) bool { return len(Noted(obs.Notes, env.NoteRefused)) == 1 })
	if obs.Title != "start" {
		t.Errorf("at %q, want the page still", obs.URL)
	}
	Contains(t, "note", Noted(obs.Notes, env.NoteRefused)[0].Text, "(elsewhere)", "nothing was opened")
	f.untouched(t, "timer")
}

func refusedForEver(t *testing.T, b *Tab) {
	f := newForbidden(t)
	b.Open(`<title>0</title><button` + target + `onclick="document.title=++n">x</button><script>n=0;setInterval(()=>location='` + f.address() + `',100)</script>`)
	b.until("told", func(obs env.Observation) bool { return len(Noted(obs.Notes, env.NoteRefused)) > 0 })
	for _, want := range []string{"1", "2", "3"} {
		b.Click(50, 50)
		b.Says(want)
	}
	f.untouched(t, "for ever")
}

// admitted goes every way to a page that may be opened.
func admitted(t *testing.T, b *Tab) {
	to := b.Site.Page("/two", `<title>two</title>`)
	ways(b.Site, to)
	for name, html := range refusedWays {
		if name == "link by base" {
			continue
		}
		b.Open("<title>start</title>" + strings.ReplaceAll(html, "FORBIDDEN", to))
		b.Click(50, 50)
		if obs := b.until(name, func(obs env.Observation) bool { return obs.Title == "two" }); len(obs.Notes) != 0 {
			t.Errorf("%s: notes %+v, want none", name, obs.Notes)
		}
	}
}
