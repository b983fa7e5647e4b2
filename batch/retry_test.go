package batch_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"fara/batch"
	"fara/env"
	"fara/trajectory"
)

// endsAs are endings of each class.
var endsAs = map[batch.Class]func(r *run) trajectory.Result{
	batch.Done: func(r *run) trajectory.Result { return r.open().see().do().end(trajectory.Stuck, "cycle", "stuck") },
	batch.Person: func(r *run) trajectory.Result {
		return r.open().see().end(trajectory.WaitingForUser, "question", "which?")
	},
	batch.Address:  func(r *run) trajectory.Result { return r.begins("net::ERR_NAME_NOT_RESOLVED") },
	batch.Refused:  func(r *run) trajectory.Result { return r.begins("it is not allowed") },
	batch.Request:  func(r *run) trajectory.Result { return r.open().see().end(trajectory.ModelUnavailable, "tools", "400") },
	batch.Site:     func(r *run) trajectory.Result { return r.begins("net::ERR_TIMED_OUT") },
	batch.Model:    func(r *run) trajectory.Result { return r.open().see().end(trajectory.ModelUnavailable, "busy", "503") },
	batch.Browser:  func(r *run) trajectory.Result { return r.open().see().end(trajectory.BrowserLost, "gone", "it died") },
	batch.Internal: func(r *run) trajectory.Result { return r.open().see().end(trajectory.Error, "internal", "oh") },
}

// begins is a run whose first page cannot be opened.
func (r *run) begins(why string) trajectory.Result {
	return r.open().visit(&trajectory.Problem{Reason: string(env.Navigation), Text: why}).end(trajectory.Failure, "start_url", why)
}

func TestOnlyClassesThatPassAreTriedAgain(t *testing.T) {
	const retries = 3
	passes := []batch.Class{batch.Site, batch.Model, batch.Browser, batch.Internal}
	for class, end := range endsAs {
		t.Run(string(class), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir, began := t.TempDir(), time.Now()
				w := &world{play: func(_ context.Context, r *run) trajectory.Result { return end(r) }}
				sum := mustEnd(t, dir, batch.Plan{Tasks: tasks(1)}, batch.Config{Retries: retries}, w)
				want := 1
				if slices.Contains(passes, class) {
					want += retries
				}
				if len(w.tries) != want || sum.Classes[class] != 1 || sum.Attempts != want-1 {
					t.Fatalf("got %d tries, %v, %d repeated; want %d, one %s, %d", len(w.tries), sum.Classes, sum.Attempts, want, class, want-1)
				}
				if took := time.Since(began); want == 1 && took != 0 {
					t.Errorf("it waited %v for an ending that is not tried again, want 0", took)
				}
				endedOnce(t, dir, 1)
			})
		})
	}
}

func TestPausesBetweenAttemptsGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{play: func(_ context.Context, r *run) trajectory.Result { return endsAs[batch.Browser](r) }}
		mustEnd(t, t.TempDir(), batch.Plan{Tasks: tasks(1)}, batch.Config{Retries: 7}, w)
		var got []time.Duration
		for i := 1; i < len(w.tries); i++ {
			got = append(got, w.tries[i].at.Sub(w.tries[i-1].at).Round(time.Second))
		}
		if want := []time.Duration{2e9, 4e9, 8e9, 16e9, 32e9, 60e9, 60e9}; !slices.Equal(got, want) {
			t.Errorf("pauses: got %v, want %v", got, want)
		}
	})
}

func TestTheRunGoesOnUnlessItsBeginningFailed(t *testing.T) {
	for class, same := range map[batch.Class]bool{batch.Model: true, batch.Browser: true, batch.Internal: true, batch.Site: false} {
		t.Run(string(class), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				n := 0
				w := &world{play: func(ctx context.Context, r *run) trajectory.Result {
					if n++; n < 3 {
						return endsAs[class](r)
					}
					return succeeds(ctx, r)
				}}
				mustEnd(t, dir, batch.Plan{Tasks: tasks(1)}, batch.Config{Retries: 2}, w)
				for i, tr := range w.tries[1:] {
					if tr.Resume != same || (tr.Run == w.tries[i].Run) != same {
						t.Errorf("try %d: got resume %v in %s after %s; want the same run: %v", i+2, tr.Resume, tr.Run, w.tries[i].Run, same)
					}
				}
				wantAside := 0
				if !same {
					wantAside = 2
				}
				if got := aside(t, dir); len(got) != wantAside {
					t.Errorf(".attempts/: got %v, want %d runs", got, wantAside)
				}
				endedOnce(t, dir, 1)
			})
		})
	}
}

func TestARunThatIsAlwaysInterruptedByNobodyIsNotBegunForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{play: func(_ context.Context, r *run) trajectory.Result {
			return r.open().see().end(trajectory.Cancelled, "interrupted", "the run was interrupted")
		}}
		sum := mustEnd(t, t.TempDir(), batch.Plan{Tasks: tasks(1)}, batch.Config{Retries: 2}, w)
		if len(w.tries) != 3 || sum.Classes[batch.Internal] != 1 {
			t.Errorf("got %d tries and %v, want 3 and one internal", len(w.tries), sum.Classes)
		}
	})
}

func TestOtherTasksGoOnWhileOneWaitsForItsNextAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{play: func(ctx context.Context, r *run) trajectory.Result {
			if r.Job.ID == "t01" && !r.Resume {
				return endsAs[batch.Internal](r)
			}
			return succeeds(ctx, r)
		}}
		mustEnd(t, t.TempDir(), batch.Plan{Tasks: tasks(3)}, batch.Config{Retries: 1}, w)
		if got, want := fmt.Sprint(w.keys()), "[t01 t02 t03 t01]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
