package batch_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fara/batch"
	"fara/trajectory"
)

func TestEveryJobEndsExactlyOnceInItsOrder(t *testing.T) {
	dir, w := t.TempDir(), &world{play: succeeds}
	plan := batch.Plan{Tasks: tasks(5), Samples: 2}
	var told []string
	sum := mustEnd(t, dir, plan, batch.Config{Notify: func(n batch.Notice) {
		if n.Ending != nil {
			told = append(told, n.Ending.Job.Key())
		}
	}}, w)
	want := []string{"t01", "t02", "t03", "t04", "t05", "t01#2", "t02#2", "t03#2", "t04#2", "t05#2"}
	if got := w.keys(); !slices.Equal(got, want) {
		t.Errorf("tried: got %v, want %v", got, want)
	}
	if !slices.Equal(told, want) {
		t.Errorf("told: got %v, want %v", told, want)
	}
	if sum.Jobs != 10 || sum.Statuses[trajectory.Success] != 10 {
		t.Errorf("got %d jobs and %v, want 10 successes", sum.Jobs, sum.Statuses)
	}
	endedOnce(t, dir, 10)

	mustEnd(t, dir, plan, batch.Config{}, w)
	if got := len(w.keys()); got != 10 {
		t.Errorf("after all have ended: got %d tries, want still 10", got)
	}
}

func TestManyWorkersDoEveryJobOnceAndNeverMoreAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := &world{play: func(ctx context.Context, r *run) trajectory.Result {
			pause(ctx, time.Duration(1+r.Job.Line%3)*time.Second)
			return succeeds(ctx, r)
		}}
		mustEnd(t, dir, batch.Plan{Tasks: tasks(40)}, batch.Config{Workers: 4}, w)
		if w.most != 4 {
			t.Errorf("got %d runs at a time, want 4", w.most)
		}
		if got := len(w.keys()); got != 40 {
			t.Errorf("got %d tries, want 40", got)
		}
		endedOnce(t, dir, 40)
	})
}

// pause waits, as long as ctx lasts.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func TestKeyNamesASampleFromTheSecondOn(t *testing.T) {
	for sample, want := range map[int]string{0: "tea", 1: "tea", 2: "tea#2", 11: "tea#11"} {
		if got := (batch.Job{Task: batch.Task{ID: "tea"}, Sample: sample}).Key(); got != want {
			t.Errorf("Key of sample %d: got %q, want %q", sample, got, want)
		}
	}
}

func TestOddIDsHaveFoldersOfTheirOwnBelowTheBatch(t *testing.T) {
	dir, w := t.TempDir(), &world{play: succeeds}
	long := strings.Repeat("x", 200)
	ids := []string{"a/b", "a-b", "..", ".", "ü", "ö", long, long + "y", "../../up", `c:\d`, "a b", "attempts", "-rf", "\x00nul", "#2", "ledger.jsonl"}
	var plan batch.Plan
	for i, id := range ids {
		plan.Tasks = append(plan.Tasks, batch.Task{ID: id, Task: "x", Line: i + 1})
	}
	plan.Samples = 2
	mustEnd(t, dir, plan, batch.Config{Workers: 3}, w)
	seen := map[string]bool{}
	for _, tr := range w.tries {
		if filepath.Base(tr.Run) != tr.Run || strings.HasPrefix(tr.Run, ".") || strings.HasPrefix(tr.Run, "-") || len(tr.Run) > 110 || seen[tr.Run] {
			t.Errorf("the run of %q: got the folder %q (seen before: %v), want one of its own with a plain name", tr.Job.Key(), tr.Run, seen[tr.Run])
		}
		seen[tr.Run] = true
	}
	if got := len(folders(t, dir)); got != 2*len(ids) {
		t.Errorf("got %d folders, want %d", got, 2*len(ids))
	}
	endedOnce(t, dir, 2*len(ids))
	mustEnd(t, dir, plan, batch.Config{}, w)
	if got := len(w.tries); got != 2*len(ids) {
		t.Errorf("once more: got %d tries, want still %d", got, 2*len(ids))
	}
}

func TestOnlyDoesOneSampleOfATask(t *testing.T) {
	dir, w := t.TempDir(), &world{play: succeeds}
	mustEnd(t, dir, batch.Plan{Tasks: tasks(2), Samples: 3, Only: 2}, batch.Config{}, w)
	if got, want := w.keys(), []string{"t01#2", "t02#2"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNotifyMayAskTheBatch(t *testing.T) {
	dir, w := t.TempDir(), &world{play: succeeds}
	s := opened(t, dir, batch.Plan{Tasks: tasks(6)})
	w.id = s.ID
	var b *batch.Batch
	var seen []string
	b = batch.New(batch.Config{Workers: 3, Notify: func(n batch.Notice) {
		p := b.Progress()
		seen = append(seen, fmt.Sprint(n.Ending.Job.ID, p.Ended >= len(seen)+1))
	}}, s, w)
	if _, err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(seen)
	if want := []string{"t01true", "t02true", "t03true", "t04true", "t05true", "t06true"}; !slices.Equal(seen, want) {
		t.Errorf("told: got %v, want %v", seen, want)
	}
}
