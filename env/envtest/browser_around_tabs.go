package envtest

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"fara/env"
)

// own gives a case a browser of its own with nothing special.
func own(*testing.T) Options { return Options{} }

// openers are the ways in which a click opens a tab; "/two" is what opens.
var openers = map[string]string{
	"link":          `<a href=/two target=_blank` + target + `>two</a>`,
	"named":         `<a href=/two target=other` + target + `>two</a>`,
	"noopener":      `<a href=/two target=_blank rel="noopener noreferrer"` + target + `>two</a>`,
	"form":          `<form action=/two target=_blank><button` + target + `>two</button></form>`,
	"post":          `<form action=/two target=_blank method=post><button` + target + `>two</button></form>`,
	"script":        `<button` + target + `onclick="window.open('/two')">two</button>`,
	"sized":         `<button` + target + `onclick="window.open('/two','x','width=300,height=200,left=50,top=50')">two</button>`,
	"blank, filled": `<button` + target + `onclick="let w=window.open();w.location='/two'">two</button>`,
	"after a fetch": `<button` + target + `onclick="fetch('/slow').then(()=>window.open('/two'))">two</button>`,
	"after a timer": `<button` + target + `onclick="setTimeout(()=>window.open('/two'),700)">two</button>`,
	"in background": `<button` + target + `onclick="let a=document.createElement('a');a.href='/two';a.dispatchEvent(new MouseEvent('click',{ctrlKey:true,bubbles:true,cancelable:true}))">two</button>`,
	"from a frame":  `<iframe` + target + `srcdoc="<style>*{margin:0}</style><a href=/two target=_blank style='display:block;height:100px'>two</a>"></iframe>`,
}

func tabCases() []browserCase {
	cases := []browserCase{
		{"a tab that closes itself gives the front back", nil, closingTab},
		{"a login popup can speak to its opener", nil, loginPopup},
		{"tabs opened from tabs fall back one by one", own, chainOfTabs},
		{"a click that opens a tab and leaves its own page shows the tab", own, clickUnder},
		{"the only tab's closing leaves an empty one", own, lastTab},
	}
	for name, html := range openers {
		cases = append(cases, browserCase{"opened by a click: " + name, nil, func(t *testing.T, b *Tab) { newTab(t, b, html) }})
	}
	return cases
}

func newTab(t *testing.T, b *Tab, html string) {
	b.Site.Page("/two", `<title>-</title><script>document.title=innerWidth+'x'+innerHeight</script><body onclick="document.title='clicked'" style="height:500px">`)
	b.Site.Handle("/slow", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(800 * time.Millisecond):
		case <-r.Context().Done():
		}
	})
	size := b.See().Viewport
	b.Open(html)
	b.Click(50, 50)
	obs := b.until("in front", func(obs env.Observation) bool { return len(obs.Tabs) == 2 && obs.Title != "-" && obs.Title != "" })
	if obs.URL != b.Site.URL+"/two" && obs.URL != b.Site.URL+"/two?" || !obs.Tabs[1].Active || active(obs.Tabs) != 1 || len(Noted(obs.Notes, env.NoteTab)) != 1 {
		t.Errorf("got %s, tabs %+v, notes %+v; want the new tab in front, noted once", obs.URL, obs.Tabs, obs.Notes)
	}
	if want := size.String(); obs.Title != want || obs.ImageSize != size {
		t.Errorf("its first script saw %q and the picture is %v, want %v", obs.Title, obs.ImageSize, want)
	}
	b.Click(50, 50)
	b.Says("clicked")
	out := b.Do(env.Action{Kind: env.HistoryBack})
	if obs := b.See(); obs.URL != b.Site.URL+"/page" || len(obs.Tabs) != 1 || !out.Tell {
		t.Errorf("back: at %s with %d tabs, outcome %+v; want the opener, alone, and it told", obs.URL, len(obs.Tabs), out)
	}
}

func closingTab(t *testing.T, b *Tab) {
	b.Site.Page("/pop", `<body onclick="window.close()" style="height:500px">`)
	b.Open(`<title>opener</title><body onclick="window.open('/pop')" style="height:500px">`)
	b.Click(50, 50)
	b.until("at the popup", func(obs env.Observation) bool { return obs.URL == b.Site.URL+"/pop" })
	b.Click(50, 50)
	obs := b.until("back", func(obs env.Observation) bool { return obs.Title == "opener" && len(obs.Tabs) == 1 })
	if len(Noted(obs.Notes, env.NoteTab)) != 1 {
		t.Errorf("notes: got %+v, want one of the tab that closed", obs.Notes)
	}
	b.Open(`<title>opener</title><body onclick="window.open('/pop').close()" style="height:500px">`)
	b.Click(50, 50)
	b.until("alone", func(obs env.Observation) bool { return obs.Title == "opener" && len(obs.Tabs) == 1 })
}

func loginPopup(t *testing.T, b *Tab) {
	b.Site.Page("/login", `<title>login</title><body style="height:500px" onclick="opener.postMessage('ann','*');window.close()">`)
	b.Open(`<title>signed out</title><script>onmessage=e=>document.title='signed in as '+e.data</script><body style="height:500px" onclick="window.open('/login','l','width=400,height=500')">`)
	b.Click(50, 50)
	b.until("at the login", func(obs env.Observation) bool { return obs.Title == "login" })
	b.Click(50, 50)
	obs := b.until("signed in", func(obs env.Observation) bool { return obs.Title == "signed in as ann" })
	if len(obs.Tabs) != 1 {
		t.Errorf("tabs: got %+v, want the opener alone", obs.Tabs)
	}
}

// chainOfTabs has three tabs each opened by the one before; the middle one closes
// first.
func chainOfTabs(t *testing.T, b *Tab) {
	b.Site.Page("/b", `<title>b</title><body style="height:500px" onclick="window.open('/c')"><script>onmessage=()=>close()</script>`)
	b.Site.Page("/c", `<title>c</title><body style="height:500px" onclick="if(opener){opener.postMessage(1,'*')}document.title='told'" oncontextmenu="window.close()">`)
	b.Open(`<title>a</title><body style="height:500px" onclick="window.open('/b')">`)
	b.Click(50, 50)
	b.until("at b", func(obs env.Observation) bool { return obs.Title == "b" })
	b.Click(50, 50)
	b.until("at c", func(obs env.Observation) bool { return obs.Title == "c" })
	b.Click(50, 50)
	obs := b.until("two tabs", func(obs env.Observation) bool { return len(obs.Tabs) == 2 && obs.Title == "told" })
	if !obs.Tabs[1].Active {
		t.Errorf("when the middle tab closed: tabs %+v, want the last in front still", obs.Tabs)
	}
	b.Do(env.Action{Kind: env.RightClick, Point: point(50, 50)})
	b.until("at a", func(obs env.Observation) bool { return obs.Title == "a" && len(obs.Tabs) == 1 })
}

func clickUnder(t *testing.T, b *Tab) {
	b.Site.Page("/next", `<title>next</title>`)
	b.Site.Page("/opened", `<title>opened</title>`)
	b.Open(`<a href=/next` + target + `onclick="window.open('/opened')">next</a>`)
	b.Click(50, 50)
	obs := b.until("at the new tab", func(obs env.Observation) bool {
		return obs.Title == "opened" && len(obs.Tabs) == 2 && obs.Tabs[0].Title == "next"
	})
	if len(Noted(obs.Notes, env.NoteTab)) != 1 {
		t.Errorf("notes: got %+v, want the new tab noted once", obs.Notes)
	}
	b.Do(env.Action{Kind: env.HistoryBack})
	if obs := b.See(); obs.Title != "next" {
		t.Errorf("back: at %q, want what the click led to", obs.Title)
	}
}

func lastTab(t *testing.T, b *Tab) {
	b.Site.Page("/pop", `<title>pop</title><body style="height:500px" onclick="opener.close();window.close()">`)
	b.Open(`<body style="height:500px" onclick="window.open('/pop')">`)
	b.Click(50, 50)
	b.until("at the popup", func(obs env.Observation) bool { return obs.Title == "pop" })
	b.Click(50, 50)
	obs := b.until("empty", func(obs env.Observation) bool { return len(obs.Tabs) == 1 && obs.Title != "pop" })
	Contains(t, "note", fmt.Sprint(Noted(obs.Notes, env.NoteTab)), "closed")
	b.Open(`<title>alive</title>`)
	b.Says("alive")
}
