package chrome_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"fara/env"
	"fara/env/chrome"
)

func TestAServerThatKeepsSilentIsGivenUpOn(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{NavigationLimit: 300 * time.Millisecond})
	b.open(`<title>before</title>`)
	silent := b.site.Handle("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	contains(t, "silence", b.fails(env.Action{Kind: env.VisitURL, URL: silent}, env.TimedOut), "did not answer within 300ms")
	b.titled("before")
}

func TestSettlingShowsWhatTheClickFetched(t *testing.T) {
	b := sharedTab(t)
	b.site.Handle("/api", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(400 * time.Millisecond):
			fmt.Fprint(w, "final")
		case <-r.Context().Done():
		}
	})
	b.open(`<title>-</title><body style="height:500px" onclick="document.title='loading';fetch('/api').then(r=>r.text()).then(t=>document.title=t)"><div id=s></div><script>setInterval(()=>s.textContent=performance.now(),100)</script>`)
	b.do(env.Action{Kind: env.LeftClick, Point: at(50, 50)})
	if got := b.see().Title; got != "final" {
		t.Errorf("first picture after the click: title %q, want %q", got, "final")
	}
}

func TestSettlingDoesNotWaitForPollingPages(t *testing.T) {
	b := sharedTab(t)
	b.site.Handle("/poll", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	b.open(`<title>-</title><style>@keyframes r{to{transform:rotate(360deg)}}div{width:50px;height:50px;animation:r 1s linear infinite}</style><div></div><body style="height:500px" onclick="document.title='clicked'"><script>fetch('/poll')</script>`)
	began := time.Now()
	b.do(env.Action{Kind: env.LeftClick, Point: at(50, 50)})
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("a click beside a long poll took %v", took)
	}
	b.titled("clicked")
}

func TestHistoryBackGoesBack(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{})
	b.fails(env.Action{Kind: env.HistoryBack}, env.NoEffect)
	b.open(`<title>one</title>`)
	b.fails(env.Action{Kind: env.HistoryBack}, env.NoEffect)
	b.do(env.Action{Kind: env.VisitURL, URL: b.site.URL + "/"})
	b.do(env.Action{Kind: env.HistoryBack})
	b.titled("one")
}

func TestAProxyThatAsksForAPasswordIsTold(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Proxy-Authenticate", `Basic realm="gate"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	t.Cleanup(proxy.Close)
	b := ownTab(t, chrome.Config{Proxy: proxy.URL})
	for _, address := range []string{"http://shop.test/", "https://shop.test/"} {
		text := b.fails(env.Action{Kind: env.VisitURL, URL: address}, env.Navigation)
		contains(t, address, text, "proxy", "password")
		b.see()
	}
}
