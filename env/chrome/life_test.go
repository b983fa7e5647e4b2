//go:build linux

package chrome_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
	"fara/scripts/commandtest"
)

// childMark makes the test binary act as a program that owns a browser.
const childMark = "CHROME_TEST_CHILD"

// runChild launches a browser, or attaches to the one whose port it is given, says
// so and waits to be killed.
func runChild() bool {
	port := os.Getenv(childMark)
	if port == "" {
		return false
	}
	open := func() (*chrome.Browser, error) { return chrome.Attach(context.Background(), port, chrome.Config{}) }
	if port == "launch" {
		open = func() (*chrome.Browser, error) { return chrome.Launch(context.Background(), chrome.Config{}) }
	}
	b, err := open()
	if err != nil {
		fmt.Println("failed", err)
		return true
	}
	fmt.Println("ready")
	<-b.Lost()
	return true
}

// browsers gives the processes whose command line has the mark in it.
func browsers(mark string) (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range dirs {
		line, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(line), mark) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// inTemp has temporary profiles made in a folder of the test's own, whose name
// then marks the browser's processes.
func inTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "life") // the test's name would make it long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return dir
}

// main finds the browser's first process: the one that no --type names.
func mainProcess(t *testing.T, mark string) int {
	t.Helper()
	for _, pid := range browsers(mark) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if strings.Contains(string(line), "--remote-debugging-pipe") && !strings.Contains(string(line), "--type=") {
			return pid
		}
	}
	t.Fatalf("no browser process carries %s", mark)
	return 0
}

func TestCloseLeavesNothing(t *testing.T) {
	needBrowser(t)
	dir := inTemp(t)
	before := runtime.NumGoroutine()
	site := envtest.NewSite(t)
	for range 2 {
		browser, err := chrome.Launch(t.Context(), chrome.Config{})
		if err != nil {
			t.Fatal(err)
		}
		b := tab{browser, &envtest.Tab{Subject: browser, T: t, Site: site}}
		b.Open(`<title>-</title><body onclick="window.open('/')" style="height:400px">`)
		b.Do(env.Action{Kind: env.LeftClick, Point: at(50, 50)})
		if len(browsers(dir)) == 0 {
			t.Fatal("a running browser has no process: the test looks in the wrong place")
		}
		began := time.Now()
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("close took %v", took)
		}
		if pids := browsers(dir); len(pids) > 0 {
			t.Errorf("processes left after close: %v", pids)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "fara-*")); len(left) > 0 {
			t.Errorf("folders left after close: %v", left)
		}
	}
	if !envtest.Eventually(func() bool { return runtime.NumGoroutine() <= before+2 }) { // the site's two
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
	}
}

func TestNothingOutlivesAKilledOwner(t *testing.T) {
	needBrowser(t)
	for name, kill := range map[string]func(pid int) error{
		"alone":          func(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) },
		"with its group": func(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) },
		"terminated":     func(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := inTemp(t)
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), childMark+"=launch")
			child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			out, err := child.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(out).ReadString('\n')
			if strings.TrimSpace(line) != "ready" || len(browsers(dir)) == 0 {
				t.Fatalf("child said %q with processes %v", line, browsers(dir))
			}
			if err := kill(child.Process.Pid); err != nil {
				t.Fatal(err)
			}
			_ = child.Wait()
			began := time.Now()
			if !envtest.Eventually(func() bool { left, _ := os.ReadDir(dir); return len(left)+len(browsers(dir)) == 0 }) {
				left, _ := os.ReadDir(dir)
				t.Errorf("left of a killed owner: %v, %v", browsers(dir), left)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("browser and profile were gone after %v", took)
			} else {
				t.Logf("gone after %v", took)
			}
		})
	}
}

// profilesIn are the temporary profiles in a folder.
func profilesIn(dir string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, "fara-*"))
	return found
}

func TestTheNextLaunchSweepsWhatNobodyOwns(t *testing.T) {
	needBrowser(t)
	dir := inTemp(t)
	stale := filepath.Join(dir, "fara-profile-stale")
	if err := os.MkdirAll(filepath.Join(stale, "Default"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(stale, "owner.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := ownTab(t, chrome.Config{})
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("the launch left the profile %s, which nobody has", stale)
	}
	other := ownTab(t, chrome.Config{})
	b.See()
	other.See() // launching it did not take the first one's profile away
}

func TestAPageStuckInALoopIsFreed(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{ActionLimit: 500 * time.Millisecond})
	b.Open(`<title>-</title><body onmousedown="for(;;);" onkeydown="document.title='alive'" style="height:500px">`)
	began := time.Now()
	b.Fails(env.Action{Kind: env.LeftClick, Point: at(50, 50)}, env.TimedOut)
	b.Do(env.Action{Kind: env.Key, Keys: []string{"x"}})
	b.Says("alive")
	if took := time.Since(began); took > envtest.Within {
		t.Errorf("a loop held us for %v", took)
	}
}

func TestShowingABrowserNeedsAScreen(t *testing.T) {
	needBrowser(t)
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	b, err := chrome.Launch(t.Context(), chrome.Config{Window: chrome.Headful})
	if err == nil {
		_ = b.Close()
	}
	oneLine(t, err, "DISPLAY")
}

func TestLaunchGivesUpWithItsContext(t *testing.T) {
	needBrowser(t)
	inTemp(t)
	silent := filepath.Join(t.TempDir(), "silent")
	if err := os.WriteFile(silent, []byte("#!/bin/sh\nexec sleep 100\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := chrome.Launch(ctx, chrome.Config{Binary: silent})
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 5*time.Second {
		t.Errorf("a browser that never speaks: got %v after %v, want %v", err, took, context.DeadlineExceeded)
	}
}

func TestAKeptProfileIsKeptAndHeldByOne(t *testing.T) {
	needBrowser(t)
	dir := filepath.Join(t.TempDir(), "profile")
	b := ownTab(t, chrome.Config{ProfileDir: dir})
	b.Open(`<title>-</title><script>localStorage.seen='yes'</script>`)
	if second, err := chrome.Launch(t.Context(), chrome.Config{ProfileDir: dir}); err == nil {
		_ = second.Close()
		t.Error("two browsers share one profile")
	} else {
		envtest.Contains(t, "second launch", err.Error(), "in use by another run")
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "Default")); err != nil {
		t.Errorf("the kept profile is gone: %v", err)
	}
}

func TestRunningWithoutASandboxIsSaidOnce(t *testing.T) {
	needBrowser(t)
	want := 0 // the sandbox works
	if os.Geteuid() == 0 {
		want = 1
	}
	dir := inTemp(t)
	var log commandtest.Output
	b := ownTab(t, chrome.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	signal(t, mainProcess(t, dir))
	b.See()
	if n := strings.Count(log.String(), "without its sandbox"); n != want {
		t.Errorf("said %d times, want %d: %s", n, want, log.String())
	}
}
