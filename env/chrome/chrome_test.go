package chrome_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
)

// within is how long a condition of these tests may take to come true.
const within = 10 * time.Second

// shared is the browser that most tests use one after the other.
var shared struct {
	once    sync.Once
	browser *chrome.Browser
	err     error
}

func TestMain(m *testing.M) {
	if runChild() {
		return
	}
	code := m.Run()
	if shared.browser != nil {
		if err := shared.browser.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "close the shared browser:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// needBrowser skips a test where there is no browser, and fails it in CI, where
// there must be one.
func needBrowser(t *testing.T) {
	t.Helper()
	_, err := chrome.Find()
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		t.Fatal(err)
	default:
		t.Skipf("NOT TESTED, NO BROWSER: %v", err)
	}
}

// tab is a browser in a test.
type tab struct {
	*chrome.Browser
	t    *testing.T
	site *envtest.Site
}

// sharedTab is the shared browser on an empty page.
func sharedTab(t *testing.T) tab {
	t.Helper()
	needBrowser(t)
	shared.once.Do(func() {
		shared.browser, shared.err = chrome.Launch(context.Background(), chrome.Config{})
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return tab{shared.browser, t, envtest.NewSite(t)}
}

// ownTab is a browser of the test's own.
func ownTab(t *testing.T, cfg chrome.Config) tab {
	t.Helper()
	needBrowser(t)
	b, err := chrome.Launch(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return tab{b, t, envtest.NewSite(t)}
}

// open shows a page of the given HTML and forgets what was noted before.
func (b tab) open(html string) tab {
	b.t.Helper()
	address := b.site.Page("/page", html)
	b.do(env.Action{Kind: env.VisitURL, URL: address})
	b.see()
	return b
}

func (b tab) do(a env.Action) env.Outcome {
	b.t.Helper()
	out, err := b.Perform(b.t.Context(), a)
	if err != nil {
		b.t.Fatalf("%s: %v", a.Kind, err)
	}
	return out
}

// fails performs an action that has to fail with the code, and gives its text.
func (b tab) fails(a env.Action, code env.Code) string {
	b.t.Helper()
	out, err := b.Perform(b.t.Context(), a)
	var action *env.ActionError
	if !errors.As(err, &action) || action.Code != code {
		b.t.Fatalf("%s: got %+v, %v, want an action error %s", a.Kind, out, err, code)
	}
	return action.Text
}

func (b tab) see() env.Observation {
	b.t.Helper()
	obs, err := b.Observe(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return obs
}

// titled waits until the page's title, where test pages write what they saw, is
// as wanted.
func (b tab) titled(want string) {
	b.t.Helper()
	got := ""
	if !eventually(b.t, func() bool { got = b.see().Title; return got == want }) {
		b.t.Errorf("page says %q, want %q", got, want)
	}
}

func eventually(t *testing.T, holds func() bool) bool {
	t.Helper()
	limit := time.NewTimer(within)
	defer limit.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit.C:
			return false
		}
	}
	return true
}

// noted gives the notes of a kind among those given.
func noted(notes []env.Note, kind env.NoteKind) []env.Note {
	var out []env.Note
	for _, n := range notes {
		if n.Kind == kind {
			out = append(out, n)
		}
	}
	return out
}

func at(x, y float64) *env.Point { return &env.Point{X: x, Y: y} }

func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: got %q, want %q in it", what, text, part)
		}
	}
}

func TestChromeConforms(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	envtest.Conform(t, func(t *testing.T) envtest.Subject {
		b, err := chrome.Launch(t.Context(), chrome.Config{Viewport: env.Size{W: 800, H: 600}})
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
}

func TestChromeConformsAsABrowser(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	envtest.ConformBrowser(t, func(t *testing.T, o envtest.Options) envtest.Subject {
		b, err := chrome.Launch(t.Context(), chrome.Config{
			Viewport: o.Viewport, Scale: o.Scale, DownloadDir: o.DownloadDir, Uploads: o.Uploads, Admit: o.Admit,
		})
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
}
