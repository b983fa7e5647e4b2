package batch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"fara/batch"
	"fara/trajectory"
)

// restarts does a batch in a folder that is copied while the first job is under way, and
// goes on with the copy, as after so many kills. play is what an attempt does before.
func restarts(t *testing.T, plan batch.Plan, cfg batch.Config, play func(r *run)) (dir string, w *world, kills int) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "0")
	w = &world{}
	for kills = 0; kills < 12; kills++ {
		next := filepath.Join(filepath.Dir(dir), fmt.Sprint(kills+1))
		killed := false
		w.play = func(ctx context.Context, r *run) trajectory.Result {
			if r.Job.ID != plan.Tasks[0].ID {
				return succeeds(ctx, r)
			}
			play(r)
			if err := os.CopyFS(next, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			killed = true
			if r.w != nil {
				r.w.Close()
			}
			r.err = context.Canceled
			return trajectory.Result{}
		}
		done(t.Context(), t, dir, plan, cfg, w)
		if !killed {
			return dir, w, kills
		}
		dir = next
	}
	return dir, w, kills
}

func TestATaskThatKillsTheProgramAtTheSameStepIsGivenUp(t *testing.T) {
	for _, c := range []struct {
		name string
		half batch.HalfDone
		play func(r *run)
		step int
	}{
		{"before it has a folder", batch.Resume, func(*run) {}, 0},
		{"before its first page", batch.Resume, func(r *run) { r.open() }, 0},
		{"at its second step", batch.Resume, func(r *run) {
			if r.open(); !r.Resume {
				r.visit(nil).see().do().see()
			}
		}, 2},
		{"each time anew", batch.Anew, func(r *run) { r.open().visit(nil).see().do().see() }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, w, kills := restarts(t, batch.Plan{Tasks: tasks(2)}, batch.Config{Takes: 3, HalfDone: c.half}, c.play)
			least, most := 3, 3
			if c.step > 0 && c.half == batch.Resume {
				most = 4 // the first attempt got to the step, the others got no further
			}
			if kills < least || kills > most {
				t.Errorf("got %d kills before it was given up, want %d to %d", kills, least, most)
			}
			end := endings(t, dir)["t01"]
			if end.Status != trajectory.Error || end.Reason != "poisoned" || end.Steps != c.step {
				t.Errorf("got %s/%s at step %d, want error/poisoned at step %d: %q", end.Status, end.Reason, end.Steps, c.step, end.Message)
			}
			if n := len(w.of("t02")); n != 1 {
				t.Errorf("the other task was tried %d times, want once", n)
			}
			endedOnce(t, dir, 2)
		})
	}
}

func TestARunThatGetsFurtherEachTimeIsNotGivenUp(t *testing.T) {
	dir, w, kills := restarts(t, batch.Plan{Tasks: tasks(1)}, batch.Config{Takes: 2}, func(r *run) { r.open().see().do() })
	if kills != 12 || len(w.tries) != 12 {
		t.Fatalf("got %d kills and %d tries, want 12 and 12", kills, len(w.tries))
	}
	w.play = succeeds
	mustEnd(t, dir, batch.Plan{Tasks: tasks(1)}, batch.Config{Takes: 2}, w)
	if end := endings(t, dir)["t01"]; end.Status != trajectory.Success || end.Steps != 13 {
		t.Errorf("got %s after %d steps, want success after 13", end.Status, end.Steps)
	}
}
