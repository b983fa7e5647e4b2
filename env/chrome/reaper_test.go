//go:build linux

package chrome

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// lairOf makes folders under a temporary one and gives it.
func lairOf(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// abandoned starts a reaper as an owner that is killed leaves it: without a word.
func abandoned(t *testing.T, dir string, before func(r *reaper)) {
	t.Helper()
	r := startReaper(dir)
	if r == nil {
		t.Fatal("no reaper")
	}
	if before != nil {
		before(r)
	}
	_ = r.in.Close()
	ended := time.AfterFunc(20*time.Second, func() { _ = r.cmd.Process.Kill() })
	defer ended.Stop()
	_ = r.cmd.Wait()
}

func TestTheReaperRemovesNothingButAProfileOfOurs(t *testing.T) {
	dir := lairOf(t, "fara-profile-1/owner.lock", "fara-profile-1/Default/Cookies", "fara-profile-2/Default/Cookies",
		"profile/owner.lock", "fara-profile-/owner.lock", "real/fara-profile-3/owner.lock", "with space/fara-profile-4/owner.lock")
	if err := os.Symlink(filepath.Join(dir, "real/fara-profile-3"), filepath.Join(dir, "fara-profile-5")); err != nil {
		t.Fatal(err)
	}
	for path, gone := range map[string]bool{
		dir + "/fara-profile-1": true, dir + "/with space/fara-profile-4": true,
		dir + "/fara-profile-2": false, dir + "/profile": false, dir + "/fara-profile-": false, dir + "/fara-profile-5": false,
		dir + "/profile/../fara-profile-2": false, dir + "/./real/fara-profile-3": false, dir + "//real/fara-profile-3": false,
	} {
		abandoned(t, path, nil)
		if exists(path) == gone {
			t.Errorf("%s: gone is %v, want %v", path, !gone, gone)
		}
	}
	for _, path := range []string{"profile/owner.lock", "real/fara-profile-3/owner.lock", "fara-profile-2/Default/Cookies"} {
		if !exists(filepath.Join(dir, path)) {
			t.Errorf("%s is gone", path)
		}
	}
	abandoned(t, "fara-profile-6", nil) // no absolute path
	abandoned(t, "", nil)
	abandoned(t, "/", nil)
}

// listens waits until a process has said that it minds no signal.
func listens(t *testing.T, pid int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := poll(ctx, time.Millisecond, func() (bool, error) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, rest, _ := strings.Cut(string(status), "SigIgn:")
		mask, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		ignored, _ := strconv.ParseUint(mask, 16, 64)
		return ignored&(1<<(syscall.SIGTERM-1)) != 0, err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestADismissedReaperRemovesNothing(t *testing.T) {
	dir := lairOf(t, "fara-profile-1/owner.lock") + "/fara-profile-1"
	r := startReaper(dir)
	r.watch(1)
	began := time.Now()
	r.dismiss()
	if took := time.Since(began); !exists(dir) || took > time.Second {
		t.Errorf("the profile is there: %v, after %v; want it there at once", exists(dir), took)
	}
}

func TestTheReaperWaitsForTheBrowserAndMindsNoSignal(t *testing.T) {
	dir := lairOf(t, "fara-profile-1/owner.lock") + "/fara-profile-1"
	browser := exec.Command("/bin/sh", "-c", "sleep 0.7; [ -d '"+dir+"' ] && echo there")
	out := &strings.Builder{}
	browser.Stdout = out
	if err := browser.Start(); err != nil {
		t.Fatal(err)
	}
	waited := make(chan error)
	go func() { waited <- browser.Wait() }()
	abandoned(t, dir, func(r *reaper) {
		r.watch(browser.Process.Pid)
		listens(t, r.cmd.Process.Pid)
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			if err := r.cmd.Process.Signal(sig); err != nil {
				t.Error(err)
			}
		}
	})
	if err := <-waited; err != nil || strings.TrimSpace(out.String()) != "there" {
		t.Errorf("the browser found its profile: %q, %v; want it to find it until it ended", out.String(), err)
	}
	if exists(dir) {
		t.Error("the profile is still there")
	}
}

func TestTidyRemovesTheSocketsFolderAlone(t *testing.T) {
	dir := lairOf(t, "fara-profile-1/owner.lock", "sock/SingletonSocket", "sock/SingletonCookie", "other/SingletonSocket", "other/mine")
	link := filepath.Join(dir, "fara-profile-1", "SingletonSocket")
	for target, gone := range map[string]bool{"sock/SingletonSocket": true, "other/SingletonSocket": false, "other/mine": false} {
		if err := os.Symlink(filepath.Join(dir, target), link); err != nil {
			t.Fatal(err)
		}
		(&profile{dir: filepath.Dir(link)}).tidy()
		if folder := filepath.Join(dir, filepath.Dir(target)); exists(folder) == gone {
			t.Errorf("%s: gone is %v, want %v", folder, !gone, gone)
		}
		_ = os.Remove(link)
	}
	if !exists(filepath.Join(dir, "other/mine")) {
		t.Error("a file that is no browser's is gone")
	}
}
