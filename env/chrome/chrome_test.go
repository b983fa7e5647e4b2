package chrome_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
)

func TestMain(m *testing.M) {
	if runChild() {
		return
	}
	os.Exit(m.Run())
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
	*envtest.Tab
}

func newTab(t *testing.T, b *chrome.Browser) tab { return tab{b, envtest.NewTab(t, b)} }

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
	return newTab(t, b)
}

// logged is a log that is written and read at the same time.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func at(x, y float64) *env.Point { return &env.Point{X: x, Y: y} }

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
