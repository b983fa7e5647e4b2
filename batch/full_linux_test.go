package batch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fara/batch"
	"fara/trajectory"
)

// small is a folder on a disk of its own, of so many KiB.
func small(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("no disk could be filled, since none can be mounted here: %v", err)
		}
		t.Skipf("NOT TRIED ON A FULL DISK, which needs the right to mount one: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("the small disk: %v", err)
		}
	})
	return filepath.Join(dir, "batch")
}

func TestAFullDiskStopsTheBatchAndNothingIsLost(t *testing.T) {
	dir := small(t, "size=1500k")
	plan := batch.Plan{Tasks: tasks(12)}
	w := &world{play: func(_ context.Context, r *run) trajectory.Result {
		r.open().visit(nil).see()
		if r.err == nil {
			_, _, r.err = r.w.Frame(append(make([]byte, 200<<10), r.Run...), "image/png")
		}
		result := r.do().end(trajectory.Success, "terminate", "done")
		if r.err != nil { // as runs end that cannot be written
			r.w.Close()
			return trajectory.Result{}
		}
		return result
	}}
	sum, err := done(t.Context(), t, dir, plan, batch.Config{Workers: 3, Retries: 2}, w)
	if !errors.Is(err, batch.ErrStopped) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got error %v, want %v with %v", err, batch.ErrStopped, syscall.ENOSPC)
	}
	if sum.Ended == 0 || sum.Remaining == 0 {
		t.Fatalf("got %d ended and %d remaining, want some of both", sum.Ended, sum.Remaining)
	}
	before := len(w.tries)
	if _, err := done(t.Context(), t, dir, plan, batch.Config{Workers: 3}, w); !errors.Is(err, batch.ErrStopped) && !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("while it is still full: got error %v, want %v", err, syscall.ENOSPC)
	}
	if err := syscall.Mount("", filepath.Dir(dir), "", syscall.MS_REMOUNT, "size=20m"); err != nil {
		t.Fatal(err)
	}
	mustEnd(t, dir, plan, batch.Config{Workers: 3}, w)
	endedOnce(t, dir, 12)
	if again := len(w.tries) - before; again < sum.Remaining || again > sum.Remaining+6 {
		t.Errorf("once there is room: got %d more tries, want one for each of the %d that remained", again, sum.Remaining)
	}
}

func TestAnAttemptThatFailsOnAFullDiskIsNotCounted(t *testing.T) {
	dir := small(t, "size=600k")
	w := &world{play: func(_ context.Context, r *run) trajectory.Result {
		os.WriteFile(filepath.Join(r.Dir, ".ballast"), make([]byte, 1<<20), 0o644) // as much as there is room for
		return trajectory.Result{Version: 1, Status: trajectory.Error, Reason: "internal", Message: "a temp folder could not be made"}
	}}
	plan := batch.Plan{Tasks: tasks(3)}
	sum, err := done(t.Context(), t, dir, plan, batch.Config{}, w)
	if !errors.Is(err, batch.ErrStopped) || !strings.Contains(err.Error(), "make room") || sum.Ended != 0 || len(w.tries) != 1 {
		t.Fatalf("got %d ended, %d tries, error %v; want none, 1, and one that says to make room", sum.Ended, len(w.tries), err)
	}
	os.Remove(filepath.Join(dir, ".ballast"))
	w.play = succeeds
	mustEnd(t, dir, plan, batch.Config{}, w)
	endedOnce(t, dir, 3)
}

func TestAReadOnlyFolderIsAClearError(t *testing.T) {
	dir := small(t, "size=1m")
	plan := batch.Plan{Tasks: tasks(2)}
	opened(t, dir, plan).Close()
	if err := syscall.Mount("", filepath.Dir(dir), "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	var path *os.PathError
	if _, err := batch.Open(dir, plan); !errors.As(err, &path) || !errors.Is(err, syscall.EROFS) {
		t.Errorf("got error %v, want one with the file and %v", err, syscall.EROFS)
	}
	if _, err := batch.Look(dir, plan); err != nil {
		t.Errorf("to look: got error %v, want none", err)
	}
}
