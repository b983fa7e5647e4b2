package envtest

import (
	"fmt"
	"testing"
	"time"

	"fara/env"
)

func adCases() []browserCase {
	return []browserCase{
		{"a tab opened long after a click stays behind", own, lateAd},
		{"tabs that open by themselves do not pile up", own, manyAds},
		{"what a page opens while it loads is not in front", own, loadAd},
	}
}

// lateAd opens a tab by a timer that the click set and that no one waits for.
func lateAd(t *testing.T, b *Tab) {
	b.Site.Page("/ad", `<title>ad</title>`)
	b.Open(`<title>-</title><body style="height:500px" onclick="document.title='clicked';setTimeout(()=>window.open('/ad'),3000)">`)
	b.Click(50, 50)
	b.Do(env.Action{Kind: env.Wait, For: 3500 * time.Millisecond})
	obs := b.until("two tabs", func(obs env.Observation) bool { return len(obs.Tabs) == 2 })
	if obs.URL != b.Site.URL+"/page" || !obs.Tabs[0].Active || len(Noted(obs.Notes, env.NoteTab)) != 1 {
		t.Errorf("got %s, tabs %+v, notes %+v; want the page in front still and the ad noted once", obs.URL, obs.Tabs, obs.Notes)
	}
	began := time.Now()
	b.See()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("a picture beside the ad took %v", took)
	}
	b.Click(50, 60)
	b.Says("clicked")
}

// manyAds has every click open a tab that comes after the next action, of which
// nobody expects one.
func manyAds(t *testing.T, b *Tab) {
	b.Site.Page("/ad", `<title>ad</title>`)
	b.Open(`<title>0</title><body style="height:500px"><script>onhashchange=()=>{document.title=location.hash.slice(1);window.open('/ad')}</script>`)
	for i := range 13 {
		b.Click(50, float64(50+10*i))
		b.Do(env.Action{Kind: env.VisitURL, URL: fmt.Sprintf("%s/page#%d", b.Site.URL, i+1)})
	}
	obs := b.until("thinned out", func(obs env.Observation) bool { return obs.Title == "13" && len(obs.Tabs) == 11 })
	if obs.URL != b.Site.URL+"/page#13" || !obs.Tabs[0].Active {
		t.Errorf("got %s of %+v, want the page in front", obs.URL, obs.Tabs)
	}
}

func loadAd(t *testing.T, b *Tab) {
	b.Site.Page("/ad", `<title>ad</title>`)
	b.Open(`<title>page</title><script>window.open('/ad')</script>`)
	if obs := b.See(); obs.Title != "page" {
		t.Errorf("at %q of %+v, want the page that was asked for", obs.Title, obs.Tabs)
	}
}
