package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fara/calibrate"
	"fara/env/chrome"
	"fara/model/modeltest"
	"fara/model/modeltest/aim"
	"fara/scripts/commandtest"
)

// foreign is a browser that somebody else started, at twice the pixels; it gives
// its debugging port.
func foreign(t *testing.T) (port string) {
	t.Helper()
	binary, err := chrome.Find()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "profile")
	cmd := exec.Command(binary, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--force-device-scale-factor=2", "--window-size=900,700", "--remote-debugging-port=0", "--user-data-dir="+dir, "about:blank")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
		commandtest.Eventually(t, 10*time.Second, "its profile is removed", func() bool { return os.RemoveAll(dir) == nil })
	})
	commandtest.Eventually(t, time.Minute, "the other browser opens a port", func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		port, _, _ = strings.Cut(string(text), "\n")
		return err == nil && port != ""
	})
	return port
}

func TestCalibrateInABrowserThatRuns(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{Model: "fara-7b"}, aim.Model{Space: aim.Pixels})
	save := filepath.Join(t.TempDir(), "c.json")
	got := fara(t, "calibrate", "--endpoint", srv.URL(), "--cdp", foreign(t), "--clicks", "10", "--viewport", "1001x777", "--save", save)
	file, err := calibrate.Load(save)
	if got.code != exitSuccess || err != nil || file.Space != "pixels" || file.Worst > 2 || file.Scale != 0 {
		t.Errorf("exit code %d, %+v, %v: %s%s", got.code, file, err, got.stdout, got.stderr)
	}
}

func TestCtrlCEndsACalibrationAndLeavesNothing(t *testing.T) {
	needBrowser(t)
	address, asked := hanging(t)
	folder := t.TempDir()
	p := start(t, nil, "calibrate", "--endpoint", address, "--save", filepath.Join(folder, "c.json"))
	<-asked
	p.interrupt(t)
	empty(t, folder)
}
