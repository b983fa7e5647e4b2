//go:build linux

package chrome_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
)

// soon is how long anything that is not a browser may keep us.
const soon = 10 * time.Second

// program writes a script and gives its path.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// answering is a script that knows its version as a browser does.
func answering(version, script string) string {
	return "#!/bin/sh\n[ \"$1\" = --version ] && echo '" + version + "' && exit\n" + script
}

// oneLine checks that an error is one line with the given parts in it.
func oneLine(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has several lines: %q", err)
	}
	envtest.Contains(t, "error", err.Error(), parts...)
}

func TestWhatIsNoBrowserIsSaidSoon(t *testing.T) {
	needBrowser(t)
	folder := t.TempDir()
	const chromium = "Chromium 156.0.1.2"
	for _, c := range []struct {
		name, binary string
		want         []string
	}{
		{"missing", "/nonexistent/chromium", []string{"/nonexistent/chromium", "--browser PATH"}},
		{"folder", folder, []string{folder, "--browser PATH"}},
		{"text", program(t, "no program at all\n"), []string{"--browser PATH"}},
		{"sleeps", program(t, "#!/bin/sh\nsleep 100\n"), []string{"is no browser", "did not say its version", "--browser PATH"}},
		{"talks", program(t, "#!/bin/sh\nyes something\n"), []string{"is no browser", "--browser PATH"}},
		{"other", program(t, "#!/bin/sh\necho Mozilla Firefox 140.0.2\n"), []string{"is no browser", "Mozilla Firefox 140.0.2", "--browser PATH"}},
		{"old", program(t, answering("Chromium 90.0.4430.72", "")), []string{"Chromium 90.0.4430.72 is too old", "112", "--browser PATH"}},
		{"ends", program(t, "#!/bin/sh\necho no libnss3.so here >&2\nexit 7\n"), []string{"ended at once", "exit status 7", "no libnss3.so here"}},
		{"ends later", program(t, answering(chromium, "echo no display here >&2; echo really not >&2; exit 3")), []string{"ended at once", "exit status 3", "no display here really not"}},
		{"nonsense", program(t, answering(chromium, `printf 'nonsense\000' >&4; exec sleep 100`)), []string{"does not speak", "--browser PATH"}},
		{"closes", program(t, answering(chromium, `exec 3<&- 4>&-; exec sleep 100`)), []string{"does not speak", "--browser PATH"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := inTemp(t)
			began := time.Now()
			b, err := chrome.Launch(t.Context(), chrome.Config{Binary: c.binary})
			if err == nil {
				_ = b.Close()
			}
			if took := time.Since(began); took > soon {
				t.Errorf("it took %v", took)
			}
			oneLine(t, err, c.want...)
			if left := profilesIn(dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if pids := append(browsers(dir), browsers(c.binary+"\x00")...); len(pids) > 0 {
				t.Errorf("processes left behind: %v", pids)
			}
		})
	}
}

// children counts this process's children, and those among them that nobody has
// waited for.
func children(t *testing.T) (all, defunct int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if fields[1] == fmt.Sprint(os.Getpid()) {
			all++
			if fields[0] == "Z" {
				defunct++
			}
		}
	}
	return all, defunct
}

func TestFailedLaunchesLeaveNothing(t *testing.T) {
	needBrowser(t)
	dir := inTemp(t)
	before, _ := children(t)
	binaries := []string{program(t, answering("Chromium 156.0.1.2", "exit 1")), program(t, "#!/bin/sh\nexit 1\n"), program(t, answering("Chromium 156.0.1.2", `printf 'x\000' >&4; sleep 50 & exec sleep 60`))}
	for n := range 20 {
		if b, err := chrome.Launch(t.Context(), chrome.Config{Binary: binaries[n%len(binaries)]}); err == nil {
			_ = b.Close()
			t.Fatal("launched")
		}
	}
	if all, defunct := children(t); all != before || defunct > 0 {
		t.Errorf("%d children before, %d after, %d of them defunct", before, all, defunct)
	}
	if left, pids := profilesIn(dir), browsers(dir); len(left)+len(pids) > 0 {
		t.Errorf("left behind: %v, %v", left, pids)
	}
}

func TestRunsInOneProcessLeaveNothing(t *testing.T) {
	needBrowser(t)
	dir := inTemp(t)
	before, _ := children(t)
	for n := range 6 {
		b, err := chrome.Launch(t.Context(), chrome.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if n%2 == 0 { // half of them end by themselves
			signal(t, mainProcess(t, dir))
		}
		if err := b.Close(); err != nil {
			t.Errorf("run %d: close: %v", n, err)
		}
		if all, defunct := children(t); all != before || defunct > 0 {
			t.Errorf("run %d: %d children before, %d after, %d of them defunct", n, before, all, defunct)
		}
		if !envtest.Eventually(func() bool { return len(browsers(dir)) == 0 }) {
			t.Errorf("run %d: processes left: %v", n, browsers(dir))
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("run %d: left in the temporary folder: %v", n, left)
		}
	}
}

func TestSizesOutOfRangeAreSaidBeforeAnythingStarts(t *testing.T) {
	for name, cfg := range map[string]chrome.Config{
		"small": {Viewport: env.Size{W: 10, H: 500}}, "large": {Viewport: env.Size{W: 500, H: 9000}}, "negative": {Viewport: env.Size{W: -1, H: 500}},
		"scale": {Scale: 9}, "tiny scale": {Scale: 0.1}, "both": {Viewport: env.Size{W: 8000, H: 8000}, Scale: 2},
	} {
		cfg.Binary = "/nonexistent"
		_, err := chrome.Launch(t.Context(), cfg)
		oneLine(t, err)
		_, err = chrome.Attach(t.Context(), "127.0.0.1:1", cfg)
		if err == nil || strings.Contains(err.Error(), "attach") || strings.Contains(err.Error(), "start") {
			t.Errorf("%s: attach: got %v, want the range", name, err)
		}
	}
}

// silent accepts connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

func TestAddressesWithoutABrowserAreSaidSoon(t *testing.T) {
	site := envtest.NewSite(t)
	page := envtest.NewSite(t)
	page.Page("/json/version", "<h1>Welcome</h1>")
	speak := func(path, text string) string {
		return "ws" + strings.TrimPrefix(site.Handle(path, func(w http.ResponseWriter, r *http.Request) {
			c, err := websocket.Accept(w, r, nil)
			if err != nil {
				return
			}
			defer c.CloseNow()
			for {
				if _, _, err := c.Read(r.Context()); err != nil {
					return
				}
				if text != "" {
					_ = c.Write(r.Context(), websocket.MessageText, []byte(text))
				}
			}
		}), "http")
	}
	old := speak("/old", `{"id":1,"result":{"product":"Chrome/90.0.4430.72"}}`)
	for name, c := range map[string]struct {
		endpoint string
		want     []string
	}{
		"silent":       {silent(t), []string{"within 9s"}},
		"refused":      {"127.0.0.1:1", []string{"connection refused"}},
		"not found":    {site.URL, []string{"404"}},
		"a web page":   {page.URL, []string{"200", "no browser"}},
		"silent ws":    {speak("/silent", ""), []string{"within 9s"}},
		"garbage ws":   {speak("/garbage", "hello"), []string{"no browser's protocol"}},
		"no ws":        {"ws" + strings.TrimPrefix(site.URL, "http") + "/", []string{"404"}},
		"old":          {old, []string{"Chrome 90.0.4430.72 is too old"}},
		"ftp":          {"ftp://127.0.0.1", []string{"not an address"}},
		"unknown host": {"http://host.invalid:9222", []string{"host.invalid"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			b, err := chrome.Attach(t.Context(), c.endpoint, chrome.Config{})
			if err == nil {
				_ = b.Close()
			}
			if took := time.Since(began); took > soon {
				t.Errorf("it took %v", took)
			}
			oneLine(t, err, c.want...)
		})
	}
}

func TestAProfileInUseNamesWhoHasIt(t *testing.T) {
	needBrowser(t)
	dir := filepath.Join(t.TempDir(), "profile")
	ownTab(t, chrome.Config{ProfileDir: dir})
	_, err := chrome.Launch(t.Context(), chrome.Config{ProfileDir: dir})
	oneLine(t, err, "in use by another run", fmt.Sprintf("process %d", os.Getpid()), "--profile-dir")

	port := foreignBrowser(t, "about:blank")
	pid := portOwner(t, port)
	_, err = chrome.Launch(t.Context(), chrome.Config{ProfileDir: profileOf(pid)})
	oneLine(t, err, "in use by chromium", fmt.Sprintf("process %d", pid), "--profile-dir")
	if got := tabsOf(t, port); len(got) != 1 {
		t.Errorf("the other browser has tabs %v, want its one", got)
	}
}
