package chrome_test

import (
	"os"
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

func needBrowser(t *testing.T) {
	t.Helper()
	envtest.NeedBrowser(t, chrome.Find)
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
		cfg := chrome.Config{Viewport: o.Viewport, Scale: o.Scale, DownloadDir: o.DownloadDir, Uploads: o.Uploads}
		if o.Admit != nil {
			cfg.Admit = func(d chrome.Document) error { return o.Admit(d.Address) }
		}
		b, err := chrome.Launch(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
}
