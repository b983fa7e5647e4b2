package chrome_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"fara/captcha"
	"fara/env"
	"fara/env/chrome"
)

// watching is a browser that looks for captchas, with a site whose pages imitate
// those of their makers; every path that is not the page's is a frame.
type watching struct {
	tab
	t    *testing.T
	page string
	site *httptest.Server
}

func newWatching(t *testing.T, watch bool) *watching {
	t.Helper()
	w := &watching{t: t}
	w.site = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch {
		case r.URL.Path == "/page":
			fmt.Fprint(rw, w.page)
		case strings.Contains(r.URL.Path, "ticked"):
			fmt.Fprint(rw, `<span id=recaptcha-anchor role=checkbox aria-checked=true></span>`)
		case r.URL.Path == "/form":
			fmt.Fprint(rw, `<!doctype html><body style="margin:0"><div class=h-captcha style="position:absolute;left:20px;top:10px;width:303px;height:78px"></div>`)
		default:
			fmt.Fprint(rw, `<!doctype html><body><label><input type=checkbox> I'm not a robot</label>`)
		}
	}))
	t.Cleanup(w.site.Close)
	cfg := chrome.Config{Viewport: env.Size{W: 1000, H: 700}}
	if watch {
		for _, c := range captcha.Widgets() {
			cfg.Watch = append(cfg.Watch, chrome.Watched{Name: c.Name, Selector: c.Selector, Solved: c.Solved})
		}
	}
	w.tab = ownTab(t, cfg)
	return w
}

func (w *watching) show(html string) []env.Widget {
	w.t.Helper()
	w.page = strings.ReplaceAll(html, "OTHER", "http://"+elsewhereHost(w.site.URL))
	w.Visit(w.site.URL + "/page?" + fmt.Sprint(time.Now().UnixNano()))
	return w.See().Widgets
}

const (
	boxAt   = `style="position:absolute;left:100px;top:200px;width:304px;height:78px;border:0"`
	aForm   = `<form><label>Name <input name=n></label><label>Mail <input name=m></label><button>Send</button></form>`
	anchor  = `<iframe src="OTHER/recaptcha/api2/anchor?size=normal" ` + boxAt + `></iframe>`
	unasked = `<div class="grecaptcha-badge" style="position:fixed;right:0;bottom:14px;width:256px;height:60px"><iframe src="OTHER/recaptcha/api2/anchor?size=invisible" width=256 height=60></iframe></div>`
)

func TestWatchTellsWhatCanBeSeen(t *testing.T) {
	t.Parallel()
	w := newWatching(t, true)
	box := env.Rect{X: 100, Y: 200, W: 304, H: 78}
	for name, c := range map[string]struct {
		html string
		want []env.Widget
	}{
		"none":                    {aForm + `<p>captcha</p>`, nil},
		"a box in a form":         {aForm + anchor, []env.Widget{{Name: "reCAPTCHA", Box: box}}},
		"a box in its holder":     {aForm + `<div class=g-recaptcha ` + boxAt + `><iframe title=reCAPTCHA src="OTHER/recaptcha/api2/anchor" width=304 height=78 style="border:0"></iframe></div>`, []env.Widget{{Name: "reCAPTCHA", Box: box}}},
		"a box alone":             {`<h1>One more step</h1><p>Please show that you are no robot.</p>` + anchor + `<button>Continue</button>`, []env.Widget{{Name: "reCAPTCHA", Box: box, Alone: true}}},
		"a box in a long text":    {anchor + `<p>` + strings.Repeat("Many words about something else. ", 60), []env.Widget{{Name: "reCAPTCHA", Box: box}}},
		"the badge":               {aForm + unasked, nil},
		"the badge alone":         {`<p>Thank you.</p>` + unasked, nil},
		"a box that is ticked":    {aForm + strings.Replace(anchor, "anchor?", "anchor/ticked?", 1), []env.Widget{{Name: "reCAPTCHA", Box: box, Solved: true}}},
		"one that is not shown":   {aForm + `<div style="visibility:hidden">` + anchor + `</div>`, nil},
		"one far above":           {aForm + `<div style="position:absolute;top:-10000px">` + anchor + `</div>`, nil},
		"one without a box":       {aForm + `<div style="display:none">` + anchor + `</div>`, nil},
		"one behind a pale cloth": {aForm + `<div style="opacity:0">` + anchor + `</div>`, nil},
		"one over the edge":       {aForm + strings.Replace(anchor, "left:100px", "left:900px", 1), []env.Widget{{Name: "reCAPTCHA", Box: env.Rect{X: 900, Y: 200, W: 100, H: 78}}}},
		"in an open root":         {aForm + `<div id=h></div><script>h.attachShadow({mode: "open"}).innerHTML = '` + anchor + `'</script>`, []env.Widget{{Name: "reCAPTCHA", Box: box}}},
		"in a closed root":        {aForm + `<div id=h></div><script>h.attachShadow({mode: "closed"}).innerHTML = '` + anchor + `'</script>`, []env.Widget{{Name: "reCAPTCHA", Box: box}}},
		"in a closed root of one": {aForm + `<div id=h></div><script>const o = document.createElement("div"); const r = o.attachShadow({mode: "closed"}); r.innerHTML = '<div></div>'; r.firstChild.attachShadow({mode: "closed"}).innerHTML = '` + anchor + `'; h.append(o)</script>`, []env.Widget{{Name: "reCAPTCHA", Box: box}}},
		"in a frame elsewhere":    {aForm + `<iframe src=OTHER/form style="position:absolute;left:77px;top:187px;width:500px;height:200px;border:3px solid"></iframe>`, []env.Widget{{Name: "hCaptcha", Box: env.Rect{X: 100, Y: 200, W: 303, H: 78}}}},
		"in a hidden frame":       {aForm + `<iframe src=OTHER/form style="visibility:hidden;position:absolute;left:77px;top:187px;width:500px;height:200px"></iframe>`, nil},
		"two":                     {aForm + anchor + `<div class=cf-turnstile style="position:absolute;left:100px;top:400px;width:300px;height:65px"><input type=hidden name=cf-turnstile-response value=0.x></div>`, []env.Widget{{Name: "reCAPTCHA", Box: box}, {Name: "Turnstile", Box: env.Rect{X: 100, Y: 400, W: 300, H: 65}, Solved: true}}},
	} {
		got := w.show(`<!doctype html><meta charset=utf-8>` + c.html)
		same := func(a, b env.Widget) bool {
			near := func(x, y float64) bool { return math.Abs(x-y) <= 1 }
			return a.Name == b.Name && a.Solved == b.Solved && a.Alone == b.Alone &&
				near(a.Box.X, b.Box.X) && near(a.Box.Y, b.Box.Y) && near(a.Box.W, b.Box.W) && near(a.Box.H, b.Box.H)
		}
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func TestWatchSeesABoxBeingTicked(t *testing.T) {
	t.Parallel()
	w := newWatching(t, true)
	got := w.show(`<!doctype html>` + aForm + `<span id=recaptcha-anchor aria-checked=false></span>` + anchor + `<button style="position:absolute;left:0;top:500px;width:90px;height:30px" onclick="document.querySelector('#recaptcha-anchor').setAttribute('aria-checked', true)">Tick</button>`)
	if len(got) != 1 || got[0].Solved {
		t.Fatalf("before: got %+v, want one that is not solved", got)
	}
	w.Click(45, 515)
	if got = w.See().Widgets; len(got) != 1 || !got[0].Solved {
		t.Errorf("after: got %+v, want one that is solved", got)
	}
}

func TestWatchIsQuick(t *testing.T) {
	var rows strings.Builder
	for i := range 300 {
		fmt.Fprintf(&rows, `<p class=row>Some <b>words</b> of row %d and <a href="/x/%d">a link</a></p>`, i, i)
	}
	for _, watch := range []bool{false, true} {
		w := newWatching(t, watch)
		if got := w.show(`<!doctype html>` + rows.String()); len(got) > 0 {
			t.Errorf("got %+v, want nothing", got)
		}
		began := time.Now()
		for range 20 {
			w.See()
		}
		t.Logf("watching %v: %v", watch, time.Since(began)/20)
	}
}
