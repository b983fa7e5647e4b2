package chrome

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
