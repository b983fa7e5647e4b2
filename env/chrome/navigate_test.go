package chrome_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fara/env"
	"fara/env/chrome"
)

func TestNetworkErrorsAreSaidInPlainWords(t *testing.T) {
	b := sharedTab(t)
	text := b.fails(env.Action{Kind: env.VisitURL, URL: "http://no-such-host.invalid/"}, env.Navigation)
	contains(t, "unknown host", text, "the host does not exist", "net::ERR_NAME_NOT_RESOLVED")
	if obs := b.see(); obs.URL != "http://no-such-host.invalid/" || len(obs.Image) == 0 || len(obs.Notes) != 0 {
		t.Errorf("error page: at %q with notes %+v, want its address and nothing told twice", obs.URL, obs.Notes)
	}
	b.open(`<a href="http://127.0.0.1:1/" style="position:absolute;left:0;top:0;width:100px;height:50px">broken</a>`)
	b.do(env.Action{Kind: env.LeftClick, Point: at(50, 20)})
	notes := noted(b.see().Notes, env.NoteError)
	if len(notes) != 1 || !strings.Contains(notes[0].Text, "net::ERR_") {
		t.Errorf("a link to nowhere: notes %+v, want one page_error with the error's name", notes)
	}
}

func TestHTTPErrorsArePages(t *testing.T) {
	b := sharedTab(t)
	page := b.site.Handle("/teapot", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "<title>short and stout</title>")
	})
	b.do(env.Action{Kind: env.VisitURL, URL: page})
	b.titled("short and stout")
}

func TestAServerThatKeepsSilentIsGivenUpOn(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{NavigationLimit: 300 * time.Millisecond})
	b.open(`<title>before</title>`)
	silent := b.site.Handle("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	contains(t, "silence", b.fails(env.Action{Kind: env.VisitURL, URL: silent}, env.TimedOut), "did not answer within 300ms")
	b.titled("before")
}

func TestAPageThatNeverFinishesIsObservable(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{SettleLimit: 300 * time.Millisecond})
	page := b.site.Handle("/endless", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>half</title><h1>partial</h1>"+strings.Repeat(" ", 4096))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	b.do(env.Action{Kind: env.VisitURL, URL: page})
	obs := b.see()
	if obs.Title != "half" || len(noted(obs.Notes, env.NoteSlow)) != 1 {
		t.Errorf("got title %q, notes %+v; want what came so far and one note that it is slow", obs.Title, obs.Notes)
	}
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
