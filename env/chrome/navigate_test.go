package chrome_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
)

func TestAServerThatKeepsSilentIsGivenUpOn(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{NavigationLimit: 300 * time.Millisecond})
	b.Open(`<title>before</title>`)
	silent := b.Site.Handle("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	envtest.Contains(t, "silence", b.Fails(env.Action{Kind: env.VisitURL, URL: silent}, env.TimedOut), "did not answer within 300ms")
	b.Says("before")
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
		text := b.Fails(env.Action{Kind: env.VisitURL, URL: address}, env.Navigation)
		envtest.Contains(t, address, text, "proxy", "password")
		b.See()
	}
}
