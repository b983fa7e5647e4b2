package chrome_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
)

// diary is a site that writes down what it is asked for.
type diary struct {
	*envtest.Site
	mu    sync.Mutex
	asked []string
}

func newDiary(t *testing.T) *diary { return &diary{Site: envtest.NewSite(t)} }

// page serves a page under 127.0.0.1 and localhost alike.
func (d *diary) page(path, html string) string {
	return d.Handle(path, func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		d.asked = append(d.asked, r.Method+" "+r.URL.Path)
		d.mu.Unlock()
		http.SetCookie(w, &http.Cookie{Name: "login", Value: "yes", HttpOnly: true})
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<!doctype html>", html)
	})
}

// since gives what was asked for since the last call.
func (d *diary) since() (asked string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	asked, d.asked = strings.Join(d.asked, ", "), nil
	return asked
}

func foreign(address string) string { return strings.Replace(address, "127.0.0.1", "localhost", 1) }

// keeping counts its visits in both storages and says what it finds, with the
// cookies and how far it is scrolled.
const keeping = `<body style="margin:0;height:4000px"><script>
const n = store => store.n = 1 + +(store.n || 0);
n(localStorage); n(sessionStorage);
const tell = () => { document.title = ['local', localStorage.n, 'session', sessionStorage.n, document.cookie, scrollY].join(' ') };
tell(); addEventListener('scroll', tell);
</script>`

// stateOf gives the browser's state.
func stateOf(t *testing.T, b tab) []byte {
	t.Helper()
	state, err := b.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func TestABrowserGoesOnWhereAnotherWas(t *testing.T) {
	t.Parallel()
	site := newDiary(t)
	shop, other := site.page("/shop", keeping+`<script>document.cookie = 'seen=1'</script>`), foreign(site.page("/other", keeping))
	first := ownTab(t, chrome.Config{})
	first.Visit(other)
	stateOf(t, first) // as after each step
	first.Visit(shop)
	first.Do(env.Action{Kind: env.Scroll, DY: 700, Point: at(300, 300)})
	first.Says("local 1 session 1 seen=1 700")
	state := stateOf(t, first)
	site.since()

	next := ownTab(t, chrome.Config{Resume: state})
	if got, want := site.since(), "GET /shop"; got != want {
		t.Errorf("to go on it asked for %q, want %q alone", got, want)
	}
	obs := next.See()
	if len(obs.Tabs) != 1 || len(obs.Notes) != 1 || obs.Notes[0].Kind != env.NoteRecovered {
		t.Errorf("got tabs %+v, notes %+v, want one tab and a note that it is another browser", obs.Tabs, obs.Notes)
	}
	next.Says("local 2 session 2 seen=1 700")
	if text := next.Fails(env.Action{Kind: env.HistoryBack}, env.NoEffect); !strings.Contains(text, "no earlier page") {
		t.Errorf("back: got %q, want that there is no earlier page", text)
	}
	next.Visit(other)
	next.Says("local 2 session 2 0") // cookies have a host
	next.Visit(shop)                 // what is put back is put back once
	next.Says("local 3 session 3 seen=1 0")
}

func TestFramesOfOtherSitesKeepWhatTheyHad(t *testing.T) {
	t.Parallel()
	site := newDiary(t)
	inner := foreign(site.page("/inner", `<body><script>localStorage.n = 1 + +(localStorage.n || 0); sessionStorage.n = 1 + +(sessionStorage.n || 0);
parent.postMessage(localStorage.n + ' ' + sessionStorage.n, '*')</script>`))
	page := site.page("/page", `<title>-</title><script>onmessage = e => document.title = e.data</script><iframe src="`+inner+`"></iframe>`)
	first := ownTab(t, chrome.Config{})
	first.Visit(page)
	first.Says("1 1")
	state := stateOf(t, first)
	next := ownTab(t, chrome.Config{Resume: state})
	next.Says("2 2")
}

func TestAFormIsNotSentAgain(t *testing.T) {
	t.Parallel()
	site := newDiary(t)
	site.page("/ordered", `<title>-</title><p>Thank you`)
	b := ownTab(t, chrome.Config{})
	b.Visit(site.page("/form", `<body style="margin:0"><form method=post action="/ordered"><button style="width:200px;height:100px">Order</button></form>`))
	b.Click(50, 50)
	if got := site.since(); got != "GET /form, POST /ordered" {
		t.Fatalf("asked for %q, want the form and one order", got)
	}
	next := ownTab(t, chrome.Config{Resume: stateOf(t, b)})
	if got := site.since(); got != "GET /ordered" {
		t.Errorf("to go on it asked for %q, want its address by GET alone", got)
	}
	told := ""
	for _, n := range next.See().Notes {
		told += n.Text + "\n"
	}
	envtest.Contains(t, "notes", told, "was not sent again", "a new browser")
}

func TestAllTabsComeBack(t *testing.T) {
	t.Parallel()
	site := newDiary(t)
	second := site.page("/second", keeping)
	first := site.page("/first", keeping+`<a href="/second" target=_blank style="position:absolute;left:0;top:0;width:200px;height:100px">x</a>`)
	b := ownTab(t, chrome.Config{})
	b.Visit(first)
	b.Click(50, 50)
	b.Says("local 2 session 1 0")
	next := ownTab(t, chrome.Config{Resume: stateOf(t, b)})
	obs := next.See()
	if len(obs.Tabs) != 2 || obs.Tabs[0].URL != first || obs.Tabs[1].URL != second || !obs.Tabs[1].Active {
		t.Errorf("got %+v, want %s and in front %s", obs.Tabs, first, second)
	}
	next.Says("local 4 session 2 0")
	next.Do(env.Action{Kind: env.HistoryBack}) // closes the tab, as before
	if obs := next.See(); len(obs.Tabs) != 1 || obs.URL != first {
		t.Errorf("after going back: got %+v, want %s alone", obs.Tabs, first)
	}
}

func TestGoingOnKeepsToTheRules(t *testing.T) {
	t.Parallel()
	site := newDiary(t)
	page := site.page("/page", keeping)
	b := ownTab(t, chrome.Config{})
	b.Visit(page)
	state := stateOf(t, b)
	site.since()
	next := ownTab(t, chrome.Config{Resume: state, Admit: func(chrome.Document) error { return errors.New("no") }})
	if got := site.since(); got != "" {
		t.Errorf("asked for %q, want nothing of a site that is not allowed any more", got)
	}
	if obs := next.See(); obs.URL != "about:blank" {
		t.Errorf("got %s, want an empty page", obs.URL)
	}
}

func TestAStateThatCannotBeReadIsToldBeforeTheStart(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"x", "[]", `{"version":2}`, `{"version":1`} {
		if b, err := chrome.Launch(t.Context(), chrome.Config{Resume: []byte(state), Binary: "/nothing"}); err == nil || !strings.Contains(err.Error(), "state cannot be read") {
			t.Errorf("%s: got %v, %v, want that it cannot be read", state, b, err)
		}
	}
}

func TestAStateIsOneOfAPageAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := ownTab(t, chrome.Config{})
	b.Open(`<input value="typed words">`)
	state := stateOf(t, b)
	if !json.Valid(state) || strings.Contains(string(state), "typed words") {
		t.Errorf("got %s, want JSON without what is typed", state)
	}
	for _, address := range []string{"data:text/html,<p>x", "file://" + dir + "/a.txt", "about:blank"} {
		b.Do(env.Action{Kind: env.VisitURL, URL: address})
		next := ownTab(t, chrome.Config{Resume: stateOf(t, b)})
		if obs := next.See(); obs.URL != "about:blank" {
			t.Errorf("after %s: got %s, want an empty page", address, obs.URL)
		}
	}
}

func TestWhatWasTypedAndNotSentIsThereAgain(t *testing.T) {
	t.Parallel()
	site := newDiary(t)
	inner := foreign(site.page("/inner", `<body style="margin:0"><textarea style="position:absolute;left:0;top:0;width:200px;height:60px"></textarea>`))
	form := site.page("/form", `<title>-</title><body style="margin:0"><style>*{position:absolute;left:0;height:20px}</style>
<form method=post action=/ordered onchange="this.submit()">
<input id=name style="top:0;width:200px"><input id=pass type=password style="top:30px;width:200px"><input id=code autocomplete="one-time-code" style="top:60px;width:200px">
<select id=size style="top:90px"><option>small<option>large</select><input type=checkbox id=agree style="top:120px"><input type=hidden id=token value=1></form>
<iframe src="`+inner+`" style="top:200px;width:300px;height:100px;border:0"></iframe>
<script>const heard = []; document.querySelector('form').onchange = null; name_ = document.getElementById('name');
name_.oninput = () => heard.push(name_.value);
const tell = () => document.title = [name_.value, pass.value, code.value, size.value, agree.checked, heard.length > 0].join('/'); tell(); setInterval(tell, 50)</script>`)
	first := ownTab(t, chrome.Config{})
	first.Visit(form)
	for y, text := range map[float64]string{10: "Ada", 40: "sesame", 70: "123456", 230: "inside"} {
		first.Do(env.Action{Kind: env.Type, Point: at(50, y), Text: text})
	}
	first.Do(env.Action{Kind: env.LeftClick, Point: at(10, 130)})
	first.Do(env.Action{Kind: env.LeftClick, Point: at(20, 100)})
	first.Do(env.Action{Kind: env.Key, Keys: []string{"ArrowDown"}})
	first.Do(env.Action{Kind: env.Key, Keys: []string{"Enter"}})
	first.Says("Ada/sesame/123456/large/true/true")
	state := stateOf(t, first)
	for _, secret := range []string{"sesame", "123456"} {
		if strings.Contains(string(state), secret) {
			t.Errorf("the state holds %q", secret)
		}
	}
	site.since()
	next := ownTab(t, chrome.Config{Resume: state})
	next.Says("Ada///large/true/true")
	if got, want := site.since(), "GET /form, GET /inner"; got != want {
		t.Errorf("to go on it asked for %q, want %q", got, want)
	}
	found, err := next.Inspect(t.Context(), env.Query{Selectors: []string{"textarea"}})
	if err != nil || len(found.Elements[0].Found) != 1 || found.Elements[0].Found[0].Value != "inside" {
		t.Errorf("in the frame: got %+v, %v", found.Elements, err)
	}
}

func TestFieldsThatAreNotTheSameStayEmpty(t *testing.T) {
	t.Parallel()
	visits := 0
	site := newDiary(t)
	form := site.Handle("/form", func(w http.ResponseWriter, _ *http.Request) {
		visits++
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>-</title><input id=field%d style="position:absolute;left:0;top:0" oninput="document.title=this.value">`, visits)
	})
	first := ownTab(t, chrome.Config{})
	first.Visit(form)
	first.Do(env.Action{Kind: env.Type, Point: at(20, 10), Text: "Ada"})
	first.Says("Ada")
	ownTab(t, chrome.Config{Resume: stateOf(t, first)}).Says("-")
}
