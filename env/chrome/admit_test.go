//go:build linux

package chrome_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
)

// TestAttachedTabsAskAndOthersDoNot: in somebody else's browser only what we
// opened is held to Config.Admit.
func TestAttachedTabsAskAndOthersDoNot(t *testing.T) {
	site := envtest.NewSite(t)
	asked := make(chan string, 100)
	site.Handle("/secret", func(w http.ResponseWriter, r *http.Request) { asked <- r.Header.Get("Referer") })
	secret := strings.Replace(site.URL, "127.0.0.1", "localhost", 1) + "/secret"
	theirs := site.Page("/theirs", `<title>theirs</title><script>setInterval(()=>fetch('/go').then(r=>{if(r.ok)location='`+secret+`'}),100)</script>`)
	port := foreignBrowser(t, theirs)
	elsewhere := errors.New("not here")
	b, err := chrome.Attach(t.Context(), port, chrome.Config{Admit: func(d chrome.Document) error {
		if strings.Contains(d.Address, "localhost") {
			return elsewhere
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for name, html := range map[string]string{
		"link":  `<a href="` + secret + `" style="position:absolute;inset:0">x</a>`,
		"form":  `<form method=post action="` + secret + `"><button style="position:absolute;inset:0">x</button></form>`,
		"frame": `<iframe srcdoc="<script>location='` + secret + `'</script>"></iframe><button style="position:absolute;inset:0" onclick="frames[0].location='` + secret + `'">x</button>`,
	} {
		if _, err := b.Perform(t.Context(), env.Action{Kind: env.VisitURL, URL: site.Page("/"+name, "<title>start</title>"+html)}); err != nil {
			t.Fatal(err)
		}
		_, err := b.Perform(t.Context(), env.Action{Kind: env.LeftClick, Point: &env.Point{X: 700, Y: 400}})
		if refused := errors.Is(err, elsewhere); refused != (name != "frame") {
			t.Errorf("%s: got %v", name, err)
		}
		if obs, err := b.Observe(t.Context()); err != nil || obs.Title != "start" {
			t.Errorf("%s: at %q, %v, want the page still", name, obs.URL, err)
		}
	}
	if len(asked) != 0 {
		t.Errorf("%d requests of ours reached the server", len(asked))
	}
	site.Page("/go", "go")
	select {
	case <-asked: // their tab goes where it wants
	case <-time.After(envtest.Within):
		t.Error("the owner's own tab was held back")
	}
}

func TestProxyIsTheOnlyWayOut(t *testing.T) {
	needBrowser(t)
	site := envtest.NewSite(t)
	address := site.Page("/direct", `<title>direct</title>`)
	b, err := chrome.Launch(t.Context(), chrome.Config{
		Proxy:   "http://127.0.0.1:1",
		Explain: func(string) error { return errors.New("never asked: the proxy itself is dead") },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, to := range []string{address, strings.Replace(address, "127.0.0.1", "localhost", 1)} {
		_, err = b.Perform(t.Context(), env.Action{Kind: env.VisitURL, URL: to})
		var fail *env.ActionError
		if !errors.As(err, &fail) || !strings.Contains(fail.Text, "ERR_PROXY_CONNECTION_FAILED") {
			t.Errorf("%s: got %v, want the proxy missed", to, err)
		}
	}
}

// TestNoFormIsSentThatMayNotBe: whatever sends a form by POST, nothing reaches the
// server, and what may be asked for still is.
func TestNoFormIsSentThatMayNotBe(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	site := envtest.NewSite(t)
	var posts atomic.Int32
	seen := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			posts.Add(1)
		}
		fmt.Fprint(w, "<title>sent</title>")
	}
	site.Handle("/to", seen)
	site.Handle("/turned", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/to", http.StatusTemporaryRedirect) })
	no := errors.New("nothing may be sent")
	var from atomic.Value
	b := ownTab(t, chrome.Config{Admit: func(d chrome.Document) error {
		if d.Method == http.MethodPost {
			from.Store(d.From)
			return no
		}
		return nil
	}})
	const post = `<form id=f method=post action=/to><input name=words value=hello></form>`
	const button = `<button style="position:absolute;inset:0" onclick="%s">x</button>`
	for name, html := range map[string]string{
		"by its button":     `<form method=post action=/to><input name=a value=b><button style="position:absolute;inset:0">x</button></form>`,
		"by a script":       post + fmt.Sprintf(button, "f.submit()"),
		"by a late script":  post + fmt.Sprintf(button, "setTimeout(() => f.submit(), 100)"),
		"into a new tab":    strings.Replace(post, "id=f", "id=f target=_blank", 1) + fmt.Sprintf(button, "f.submit()"),
		"into a frame":      strings.Replace(post, "id=f", "id=f target=i", 1) + `<iframe name=i></iframe>` + fmt.Sprintf(button, "f.submit()"),
		"out of a frame":    `<iframe id=i srcdoc='` + strings.Replace(post, "id=f", "id=f target=_top", 1) + `'></iframe>` + fmt.Sprintf(button, "i.contentDocument.forms[0].submit()"),
		"by the button's":   `<form action=/to><input name=a value=b><button formmethod=post style="position:absolute;inset:0">x</button></form>`,
		"by a made-up form": fmt.Sprintf(button, "const g = document.createElement('form'); g.method = 'post'; g.action = '/to'; document.body.append(g); g.requestSubmit()"),
		"with a file":       strings.Replace(post, "id=f", "id=f enctype=multipart/form-data", 1) + fmt.Sprintf(button, "f.submit()"),
	} {
		page := site.Page("/"+strings.ReplaceAll(name, " ", "-"), "<title>start</title>"+html)
		b.Visit(page)
		from.Store("")
		_, err := b.Perform(t.Context(), env.Action{Kind: env.LeftClick, Point: at(700, 400)})
		if refused := errors.Is(err, no); !refused && name != "into a frame" && name != "by a late script" && name != "into a new tab" {
			t.Errorf("%s: got %v, want it refused", name, err)
		}
		if !envtest.Eventually(func() bool { return from.Load() != "" }) {
			t.Errorf("%s: nobody was asked", name)
		}
		if from.Load() != page && name != "into a new tab" {
			t.Errorf("%s: got it asked for from %v, want %v", name, from.Load(), page)
		}
	}
	if n := posts.Load(); n > 0 {
		t.Errorf("%d forms reached the server", n)
	}
	b.Visit(site.URL + "/to")
	if title := b.See().Title; title != "sent" {
		t.Errorf("got the page %q by GET, want it opened", title)
	}
}
