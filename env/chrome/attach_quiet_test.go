//go:build linux

package chrome_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
)

// owner is somebody's own page in somebody's own browser, which tells of whatever
// is done to it.
type owner struct {
	port, address string

	mu     sync.Mutex
	events []string
}

func newOwner(t *testing.T, site *envtest.Site) *owner {
	t.Helper()
	o := &owner{}
	site.Handle("/event", func(_ http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.events = append(o.events, r.URL.RawQuery)
	})
	o.address = site.Page("/theirs", `<title>-</title><script>
		const tell = what => navigator.sendBeacon('/event?' + what);
		for (const n of ['blur', 'focus', 'resize', 'pagehide']) addEventListener(n, () => tell(n));
		document.addEventListener('visibilitychange', () => tell(document.visibilityState));
		const state = () => tell('state,' + [innerWidth, innerHeight, devicePixelRatio, screen.width, Notification.permission, document.visibilityState,
			navigator.userAgent.replace(/[^A-Za-z0-9.]/g, '')].join());
		onload = state;
		setInterval(state, 200);
	</script>`)
	o.port = foreignBrowser(t, o.address)
	if !envtest.Eventually(func() bool {
		seen := o.seen()
		n := len(seen)
		return n > 2 && seen[n-1] == seen[n-2] && seen[n-2] == seen[n-3]
	}) {
		t.Fatal("the owner's page does not say anything")
	}
	return o
}

func (o *owner) seen() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.events)
}

// undisturbed checks that since the first n events the page told nothing but what
// it told in the last of them, and still does.
func (o *owner) undisturbed(t *testing.T, n int) {
	t.Helper()
	before := len(o.seen())
	if !envtest.Eventually(func() bool { return len(o.seen()) > before+1 }) {
		t.Fatal("the owner's page is gone")
	}
	seen := o.seen()
	for _, what := range seen[n:] {
		if what != seen[n-1] {
			t.Errorf("the owner's page noticed %q; it was %q before", what, seen[n-1])
			return
		}
	}
}

func attached(t *testing.T, o *owner, site *envtest.Site) tab {
	t.Helper()
	b, err := chrome.Attach(t.Context(), o.port, chrome.Config{Viewport: env.Size{W: 800, H: 600}, DownloadDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return tab{b, &envtest.Tab{Subject: b, T: t, Site: site}}
}

func TestAttachDisturbsNobody(t *testing.T) {
	site := envtest.NewSite(t)
	o := newOwner(t, site)
	n := len(o.seen())
	one := attached(t, o, site)
	two := newTab(t, attached(t, o, site).Browser)
	for _, b := range []tab{one, two} {
		b.Open(`<title>-</title><body onclick="document.title='clicked';window.open('/')" style="height:3000px">`)
	}
	for _, b := range []tab{one, two} {
		b.Do(env.Action{Kind: env.Scroll, Point: at(50, 50), DY: 200})
		b.Do(env.Action{Kind: env.LeftClick, Point: at(50, 50)})
		if !envtest.Eventually(func() bool { return b.See().URL == b.Site.URL+"/" }) {
			t.Errorf("the tab that our page opened is not in front, but %s", b.See().URL)
		}
		if obs := b.See(); len(obs.Tabs) != 2 || obs.ImageSize != (env.Size{W: 800, H: 600}) {
			t.Errorf("got %v, tabs %+v; want our two at 800x600", obs.ImageSize, obs.Tabs)
		}
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if obs := two.See(); len(obs.Tabs) != 2 {
		t.Errorf("closing one took tabs of the other: %+v", obs.Tabs)
	}
	if err := two.Close(); err != nil {
		t.Error(err)
	}
	o.undisturbed(t, n)
	if got := tabsOf(t, o.port); len(got) != 1 || got[0] != o.address {
		t.Errorf("tabs after close: %v, want theirs alone", got)
	}
}

func TestAnOwnersBrowserOutlivesUs(t *testing.T) {
	site := envtest.NewSite(t)
	o := newOwner(t, site)
	for name, sig := range map[string]os.Signal{"killed": syscall.SIGKILL, "interrupted": syscall.SIGINT} {
		n := len(o.seen())
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childMark+"="+o.port)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if line, _ := bufio.NewReader(out).ReadString('\n'); strings.TrimSpace(line) != "ready" {
			t.Fatalf("child said %q", line)
		}
		_ = child.Process.Signal(sig)
		_ = child.Wait()
		o.undisturbed(t, n)
		if got := tabsOf(t, o.port); !slices.Contains(got, o.address) {
			t.Errorf("%s: the owner's tab is gone: %v", name, got)
		}
	}
}

func TestALostOwnersBrowserIsNotStarted(t *testing.T) {
	site := envtest.NewSite(t)
	o := newOwner(t, site)
	b := attached(t, o, site)
	signal(t, portOwner(t, o.port))
	select {
	case <-b.Lost():
	case <-time.After(noticed):
		t.Errorf("Lost was not closed within %v", noticed)
	}
}

// portOwner finds the browser whose profile says that it listens at the port.
func portOwner(t *testing.T, port string) int {
	t.Helper()
	for _, pid := range browsers("--remote-debugging-port=0") {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		text, _ := os.ReadFile(profileOf(pid) + "/DevToolsActivePort")
		if got, _, _ := strings.Cut(string(text), "\n"); got == port && !strings.Contains(string(line), "--type=") {
			return pid
		}
	}
	t.Fatalf("no browser listens at %s", port)
	return 0
}

// profileOf is the profile folder of a browser.
func profileOf(pid int) string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	_, rest, _ := strings.Cut(string(line), "--user-data-dir=")
	dir, _, _ := strings.Cut(rest, "\x00")
	return dir
}
