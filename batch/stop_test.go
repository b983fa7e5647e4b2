package batch_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fara/batch"
	"fara/trajectory"
)

// patient is a run that takes ten seconds, or is interrupted.
func patient(ctx context.Context, r *run) trajectory.Result {
	r.open().visit(nil).see()
	pause(ctx, 10*time.Second)
	if ctx.Err() != nil {
		return r.end(trajectory.Cancelled, "interrupted", "the run was interrupted")
	}
	return r.do().end(trajectory.Success, "terminate", "done")
}

func TestDrainingLetsWhatIsUnderWayEndAndBeginsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, w, drain := t.TempDir(), &world{play: patient}, make(chan struct{})
		plan := batch.Plan{Tasks: tasks(10)}
		time.AfterFunc(15*time.Second, func() { close(drain) })
		sum, err := done(t.Context(), t, dir, plan, batch.Config{Workers: 3, Drain: drain}, w)
		if err != nil || sum.Ended != 6 || sum.Remaining != 4 || len(w.tries) != 6 {
			t.Fatalf("got %d ended, %d remaining, %d tries, error %v; want 6, 4, 6 and none", sum.Ended, sum.Remaining, len(w.tries), err)
		}
		mustEnd(t, dir, plan, batch.Config{Workers: 3}, w)
		if len(w.tries) != 10 {
			t.Errorf("in all: got %d tries, want 10", len(w.tries))
		}
		endedOnce(t, dir, 10)
	})
}

func TestABatchThatIsDrainedOrCancelledFromTheStartBeginsNothing(t *testing.T) {
	drain := make(chan struct{})
	close(drain)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		drain chan struct{}
		want  error
	}{"drained": {t.Context(), drain, nil}, "cancelled": {ctx, nil, context.Canceled}} {
		w := &world{play: succeeds}
		sum, err := done(c.ctx, t, t.TempDir(), batch.Plan{Tasks: tasks(3)}, batch.Config{Workers: 3, Drain: c.drain}, w)
		if len(w.tries) != 0 || sum.Remaining != 3 || !errors.Is(err, c.want) {
			t.Errorf("%s: got %d tries, %d remaining, error %v; want 0, 3, %v", name, len(w.tries), sum.Remaining, err, c.want)
		}
	}
}

func TestCancellingLeavesRunsToGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, w := t.TempDir(), &world{play: patient}
		plan := batch.Plan{Tasks: tasks(6)}
		stop := errors.New("somebody pressed Ctrl-C")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(15*time.Second, func() { cancel(stop) })
		sum, err := done(ctx, t, dir, plan, batch.Config{Workers: 2}, w)
		if !errors.Is(err, stop) || sum.Ended != 2 || sum.Remaining != 4 {
			t.Fatalf("got %d ended, %d remaining, error %v; want 2, 4 and %v", sum.Ended, sum.Remaining, err, stop)
		}
		first := []string{w.tries[2].Run, w.tries[3].Run}
		mustEnd(t, dir, plan, batch.Config{Workers: 2}, w)
		var resumed []string
		for _, tr := range w.tries[4:] {
			if tr.Resume {
				resumed = append(resumed, tr.Run)
			}
		}
		slices.Sort(first)
		slices.Sort(resumed)
		if !slices.Equal(first, resumed) || len(w.tries) != 8 {
			t.Errorf("resumed: got %v in %d tries, want %v in 8", resumed, len(w.tries), first)
		}
		endedOnce(t, dir, 6)
	})
}

// serverless is a world whose servers are gone until they are back.
func serverless(back time.Time) *world {
	return &world{
		play: func(ctx context.Context, r *run) trajectory.Result {
			pause(ctx, time.Second)
			if time.Now().Before(back) {
				return r.open().see().end(trajectory.ModelUnavailable, "unreachable", "connection refused")
			}
			return succeeds(ctx, r)
		},
		await: func(ctx context.Context) error {
			pause(ctx, time.Until(back))
			return context.Cause(ctx)
		},
	}
}

func TestAllWaitOnceWhileNoServerIsOfUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, began := t.TempDir(), time.Now()
		w := serverless(began.Add(5 * time.Minute))
		var said []string
		sum := mustEnd(t, dir, batch.Plan{Tasks: tasks(12)}, batch.Config{Workers: 4, Retries: 1, Notify: func(n batch.Notice) {
			if n.Ending == nil && n.Job == nil {
				said = append(said, n.Text)
			}
		}}, w)
		if w.awaited != 1 || sum.Classes[batch.Done] != 12 || sum.Attempts != 4 {
			t.Errorf("got %d waits, %v, %d failed attempts; want 1, 12 done, the 4 that were under way", w.awaited, sum.Classes, sum.Attempts)
		}
		for _, tr := range w.tries[4:] {
			if since := tr.at.Sub(began); since < 5*time.Minute {
				t.Errorf("%s was begun after %v, while no server was of use", tr.Job.ID, since)
			}
		}
		if len(said) != 2 || !strings.Contains(said[0], "no model server") || !strings.Contains(said[1], "goes on") {
			t.Errorf("told: got %q, want that servers are gone and that they are back", said)
		}
		endedOnce(t, dir, 12)
	})
}

func TestServersThatStayAwayStopTheBatchAndNothingIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, gone := t.TempDir(), errors.New("no server came back in 10m; run ollama serve")
		w := serverless(time.Now().Add(time.Hour))
		w.await = func(ctx context.Context) error { pause(ctx, 10*time.Minute); return gone }
		plan := batch.Plan{Tasks: tasks(5)}
		sum, err := done(t.Context(), t, dir, plan, batch.Config{Workers: 2, Retries: 1}, w)
		if !errors.Is(err, batch.ErrStopped) || !errors.Is(err, gone) || sum.Remaining != 5 {
			t.Fatalf("got %d remaining and error %v, want 5 and %v within %v", sum.Remaining, err, gone, batch.ErrStopped)
		}
		w.play = succeeds
		mustEnd(t, dir, plan, batch.Config{}, w)
		endedOnce(t, dir, 5)
	})
}

func TestADrainEndsTheWaitForAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, drain := time.Now(), make(chan struct{})
		w := serverless(began.Add(time.Hour))
		time.AfterFunc(time.Minute, func() { close(drain) })
		sum, err := done(t.Context(), t, t.TempDir(), batch.Plan{Tasks: tasks(3)}, batch.Config{Retries: 1, Drain: drain}, w)
		if took := time.Since(began); err != nil || sum.Remaining != 3 || took > 2*time.Minute {
			t.Errorf("got %d remaining, error %v after %v; want 3 and none after 1m", sum.Remaining, err, took)
		}
	})
}

func TestARunnerThatCanRecordNothingStopsTheBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, full := t.TempDir(), errors.New("no space left on device")
		w := &world{play: func(ctx context.Context, r *run) trajectory.Result {
			if r.Job.ID != "t03" {
				return patient(ctx, r)
			}
			r.open().visit(nil).see()
			r.w.Close()
			r.err = full
			return trajectory.Result{}
		}}
		plan := batch.Plan{Tasks: tasks(6)}
		sum, err := done(t.Context(), t, dir, plan, batch.Config{Workers: 2}, w)
		if !errors.Is(err, batch.ErrStopped) || !errors.Is(err, full) || sum.Ended != 2 {
			t.Fatalf("got %d ended and error %v, want 2 and %v within %v", sum.Ended, err, full, batch.ErrStopped)
		}
		w.play = patient
		mustEnd(t, dir, plan, batch.Config{}, w)
		if tries := w.of("t03"); len(tries) != 2 || !tries[1].Resume || tries[1].Run != tries[0].Run {
			t.Errorf("t03: got %d tries; want a second that goes on with the run of the first", len(tries))
		}
		endedOnce(t, dir, 6)
	})
}
