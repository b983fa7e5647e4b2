package chrome

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// ErrNoBrowser means that no Chromium or Chrome was found on this machine.
var ErrNoBrowser = errors.New("no Chromium or Chrome found; " +
	"install one (Debian, Ubuntu: apt-get install chromium) or name it with --browser PATH")

// Find gives the path of the Chromium or Chrome of this machine, or
// ErrNoBrowser. A plain binary comes before a distribution's wrapper script,
// which adds flags of its own.
func Find() (string, error) {
	for _, path := range usualPaths(runtime.GOOS, os.Getenv) {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBrowser
}

func usualPaths(goos string, getenv func(string) string) []string {
	switch goos {
	case "darwin":
		return []string{
			"/Applications/Chromium.app/Contents/MacOS/Chromium",
			"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
			"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
		}
	case "windows":
		var paths []string
		for _, root := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			for _, app := range []string{`Chromium\Application`, `Google\Chrome\Application`, `Microsoft\Edge\Application`} {
				name := "chrome.exe"
				if app == `Microsoft\Edge\Application` {
					name = "msedge.exe"
				}
				if dir := getenv(root); dir != "" {
					paths = append(paths, filepath.Join(dir, app, name))
				}
			}
		}
		return paths
	}
	return []string{"/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser", "/opt/google/chrome/chrome"}
}

// minMajor is the oldest Chromium that can be driven: the first whose headless
// mode is the browser itself and not a different one.
const minMajor = 112

// versionLimit is how long a program may take to say its version. A browser on a
// busy machine takes a second.
const versionLimit = 8 * time.Second

var errNoVersion = fmt.Errorf("it did not say its version within %v", versionLimit)

// release is what a browser says it is.
type release struct {
	name  string // "Chromium"
	full  string // "156.0.8078.114"
	major int
}

// versionPattern is how every browser of the Chromium family names itself. Others
// have fewer numbers, but for those that have its name.
var versionPattern = regexp.MustCompile(`([A-Za-z][A-Za-z ]*?) ?/?((\d{1,4})(?:\.\d+){3})|((?:[A-Za-z]+ )?Chrom[a-z]+)[ /]((\d{1,4})[.\d]*)`)

// parseRelease reads "Chromium 156.0.8078.114 built on …" and "Chrome/156.0.…".
func parseRelease(text string) (release, bool) {
	m := versionPattern.FindStringSubmatch(text)
	if m == nil {
		return release{}, false
	}
	if m[1] == "" {
		m = m[3:]
	}
	major, err := strconv.Atoi(m[3])
	return release{name: m[1], full: m[2], major: major}, err == nil
}

// tooOld says what to do about a browser that is, empty when it is not.
func (r release) tooOld() string {
	if r.major >= minMajor {
		return ""
	}
	return fmt.Sprintf("%s %s is too old: only from version %d on is its headless mode a whole browser; update it or name another one with --browser PATH", r.name, r.full, minMajor)
}

// Release asks a browser for its name and version, such as "Chromium
// 156.0.8078.114", within ten seconds. Its errors are those of Launch.
func Release(ctx context.Context, binary string) (string, error) {
	r, err := releaseOf(ctx, binary)
	if err != nil {
		return "", err
	}
	return r.name + " " + r.full, nil
}

// releaseOf asks a program for its version, so that one that is no browser, and
// may say nothing at all, is found before it is waited for.
func releaseOf(ctx context.Context, binary string) (release, error) {
	const other = "name a Chromium or Chrome with --browser PATH"
	limited, cancel := context.WithTimeoutCause(ctx, versionLimit, errNoVersion)
	defer cancel()
	cmd := exec.CommandContext(limited, binary, "--version")
	out, said := &tail{}, &tail{}
	cmd.Stdout, cmd.Stderr = out, said
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { killGroup(cmd.Process); return nil }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if cmd.Process != nil {
		killGroup(cmd.Process) // whatever it has left behind
	}
	r, ok := parseRelease(out.lines(3))
	switch {
	case ctx.Err() != nil:
		return r, context.Cause(ctx)
	case limited.Err() != nil:
		return r, fmt.Errorf("%s is no browser: %w; %s", binary, errNoVersion, other)
	case cmd.ProcessState == nil:
		return r, fmt.Errorf("%w; %s", err, other)
	case err != nil && !ok:
		return r, fmt.Errorf("%s ended at once (%s)%s; %s", binary, cmd.ProcessState, quote(said.lines(3)), other)
	case !ok:
		return r, fmt.Errorf("%s is no browser: asked for its version it said %q; %s", binary, cut(strings.Join(strings.Fields(out.lines(3)), " "), 100), other)
	case r.tooOld() != "":
		return r, errors.New(r.tooOld())
	}
	return r, nil
}
