//go:build linux

package chrome_test

import (
	"errors"
	"net/http"
	"strings"
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
	b, err := chrome.Attach(t.Context(), port, chrome.Config{Admit: func(address string) error {
		if strings.Contains(address, "localhost") {
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
