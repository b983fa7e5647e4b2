package envtest

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"fara/env"
	"fara/env/envtest/waits"
)

func waitingCases() []browserCase {
	return slices.Concat([]browserCase{
		{name: "every picture shows what the action did", run: everyEffect},
		{name: "a page whose headers never come is given up and told", run: noHeaders},
		{name: "a page that never ends is shown as far as it came", run: endlessPage},
	}, unnoticedCases())
}

// everyEffect goes through all pages that answer an action late.
func everyEffect(t *testing.T, b *Tab) {
	site, err := waits.Serve()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := site.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, p := range site.Pages() {
		row, err := p.Run(t.Context(), b)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		if row.Seen != row.Pictures {
			t.Errorf("%s: %d of %d pictures show the effect", p.Name, row.Seen, row.Pictures)
		}
		if row.Added > p.Cap {
			t.Errorf("%s: the action took %v longer than its effect, want at most %v", p.Name, row.Added, p.Cap)
		}
	}
}

func noHeaders(t *testing.T, b *Tab) {
	b.Site.Handle("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	b.Open(`<title>here</title><a href="/never"` + target + `>on</a>`)
	began := time.Now()
	b.Click(50, 50)
	took := time.Since(began)
	obs := b.See()
	if took > Within || obs.Title != "here" || len(Noted(obs.Notes, env.NoteSlow)) != 1 {
		t.Errorf("after %v at %q with %+v, want the page before, soon, and one note of slowness", took, obs.Title, obs.Notes)
	}
	b.Visit(b.Site.URL + "/")
}

func endlessPage(t *testing.T, b *Tab) {
	address := b.Site.Handle("/endless", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>first words</title>`)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for r.Context().Err() == nil {
			fmt.Fprint(w, "<p>more")
			if http.NewResponseController(w).Flush() != nil {
				return
			}
			<-tick.C
		}
	})
	began := time.Now()
	b.Do(env.Action{Kind: env.VisitURL, URL: address})
	took := time.Since(began)
	obs := b.See()
	if took > Within || obs.Title != "first words" || len(Noted(obs.Notes, env.NoteSlow)) != 1 {
		t.Errorf("after %v at %q with %+v, want what had come, soon, and one note of slowness", took, obs.Title, obs.Notes)
	}
	b.Visit(b.Site.URL + "/")
}
