package chrome_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
)

// TestPagesThatNeverComeToRestAreStillObserved: a page may be useless, it may not
// take the run with it.
func TestPagesThatNeverComeToRestAreStillObserved(t *testing.T) {
	t.Parallel()
	site := envtest.NewSite(t)
	inf := site.Handle("/inf", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for r.Context().Err() == nil {
			if _, err := fmt.Fprint(w, "<p>and on</p>\n"); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	})
	redir := site.Page("/redir", `<script>location.href = "/redir?" + Math.random()</script>`)
	for name, address := range map[string]string{"endless": inf, "restless": redir} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := ownTab(t, chrome.Config{})
			began := time.Now()
			_, acted := b.Perform(t.Context(), env.Action{Kind: env.VisitURL, URL: address})
			obs, err := b.Observe(t.Context())
			if err != nil || len(obs.Image) == 0 {
				t.Fatalf("observe after %v: %v (visit: %v)", time.Since(began), err, acted)
			}
			if _, err := b.Perform(t.Context(), env.Action{Kind: env.VisitURL, URL: "about:blank"}); err != nil {
				t.Errorf("the page cannot be left: %v", err)
			}
		})
	}
}
