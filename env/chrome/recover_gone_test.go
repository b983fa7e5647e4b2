//go:build linux

package chrome_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
)

func TestAPageThatIsGoneIsToldAfterTheRecovery(t *testing.T) {
	needBrowser(t)
	for _, k := range kills() {
		t.Run(k.name, func(t *testing.T) {
			dir := inTemp(t)
			b := ownTab(t, chrome.Config{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, "<title>-</title>here")
			}))
			b.Do(env.Action{Kind: env.VisitURL, URL: server.URL})
			b.See()
			server.Close()
			k.end(t, dir)
			obs := b.See()
			if told := envtest.Noted(obs.Notes, env.NoteError); len(told) != 1 || !strings.Contains(told[0].Text, "could not be loaded again") {
				t.Errorf("notes %+v, want one that the page could not be loaded", obs.Notes)
			}
			b.Open(`<title>elsewhere</title>`)
			b.Says("elsewhere")
		})
	}
}
