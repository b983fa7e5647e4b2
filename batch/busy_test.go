package batch_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"fara/batch"
	"fara/env"
	"fara/trajectory"
)

// busy is a site that gets too many requests.
func busy(wait time.Duration) *trajectory.Problem {
	return &trajectory.Problem{Reason: string(env.Busy), Text: "429", Wait: wait}
}

func TestASiteThatAsksForItIsLeftAloneThatLong(t *testing.T) {
	for _, c := range []struct {
		name string
		wait time.Duration
		want []time.Duration // between the attempts
	}{
		{"with Retry-After", 90 * time.Second, []time.Duration{90e9, 90e9}},
		{"without", 0, []time.Duration{5e9, 10e9}},
		{"for longer than anybody waits", 24 * time.Hour, []time.Duration{time.Hour, time.Hour}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir, n := t.TempDir(), 0
				w := &world{play: func(ctx context.Context, r *run) trajectory.Result {
					if n++; n <= 2 {
						return r.open().visit(busy(c.wait)).end(trajectory.Failure, "start_url", "too many requests")
					}
					return succeeds(ctx, r)
				}}
				sum := mustEnd(t, dir, batch.Plan{Tasks: onSite("busy.test", "", 3)}, batch.Config{}, w)
				var got []time.Duration
				for i := 1; i <= 2; i++ {
					got = append(got, w.tries[i].at.Sub(w.tries[i-1].at))
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("between the attempts: got %v, want %v", got, c.want)
				}
				if sum.Classes[batch.Done] != 3 || sum.Attempts != 0 {
					t.Errorf("got %v and %d failed attempts, want 3 done and none", sum.Classes, sum.Attempts)
				}
				if len(w.tries) != 5 {
					t.Errorf("got %d tries, want 5", len(w.tries))
				}
				endedOnce(t, dir, 3)
			})
		})
	}
}

func TestARunThatABusyPageGreetsComesBackLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var cause error
		w := &world{play: func(ctx context.Context, r *run) trajectory.Result {
			if time.Now().Second() == 0 {
				r.open().visit(nil).see(env.Note{Kind: env.NoteBusy, Wait: 7 * time.Second})
				cause = context.Cause(ctx)
				return r.end(trajectory.Cancelled, "interrupted", "the run was interrupted")
			}
			return succeeds(ctx, r)
		}}
		sum := mustEnd(t, dir, batch.Plan{Tasks: onSite("busy.test", "", 2)}, batch.Config{}, w)
		if cause == nil {
			t.Error("the run was let go on although the model had not been asked yet")
		}
		if sum.Classes[batch.Done] != 2 || sum.Attempts != 0 || len(w.tries) != 3 {
			t.Errorf("got %v, %d failed, %d tries; want 2 done, none, 3", sum.Classes, sum.Attempts, len(w.tries))
		}
		if wait := w.tries[1].at.Sub(w.tries[0].at); wait != 7*time.Second {
			t.Errorf("the next run on the site came after %v, want 7s", wait)
		}
		endedOnce(t, dir, 2)
	})
}

func TestASiteThatIsBusyMidRunHoldsOthersOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{play: func(ctx context.Context, r *run) trajectory.Result {
			r.open().visit(nil).see().do()
			if r.Job.ID == "t01" {
				r.see(env.Note{Kind: env.NoteBusy, Wait: 30 * time.Second})
			}
			if err := context.Cause(ctx); err != nil {
				t.Errorf("%s was ended: %v", r.Job.ID, err)
			}
			return r.do().end(trajectory.Success, "terminate", "done")
		}}
		all := append(onSite("busy.test", "", 2), batch.Task{ID: "other", Task: "x", URL: "https://other.test"})
		mustEnd(t, t.TempDir(), batch.Plan{Tasks: all}, batch.Config{}, w)
		if got, want := w.keys(), []string{"t01", "other", "t02"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if wait := w.tries[2].at.Sub(w.tries[0].at); wait != 30*time.Second {
			t.Errorf("the next run on the site came after %v, want 30s", wait)
		}
	})
}

func TestAHalfDoneRunThatABusySiteGreetsIsNotThrownAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := &world{play: func(ctx context.Context, r *run) trajectory.Result {
			r.open()
			if !r.Resume {
				return r.see().do("buy").end(trajectory.BrowserLost, "gone", "it died")
			}
			r.see(env.Note{Kind: env.NoteBusy})
			if ctx.Err() != nil {
				return r.end(trajectory.Cancelled, "interrupted", "the run was interrupted")
			}
			return r.do().end(trajectory.Success, "terminate", "done")
		}}
		mustEnd(t, dir, batch.Plan{Tasks: tasks(1)}, batch.Config{Retries: 1}, w)
		if len(w.tries) != 2 || !w.tries[1].Resume || len(aside(t, dir)) != 0 {
			t.Errorf("got %d tries and %v aside; want 2, the second of the same run, and none aside: what it bought would be bought twice", len(w.tries), aside(t, dir))
		}
	})
}

func TestASiteThatIsAlwaysBusyEndsItsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := &world{play: func(_ context.Context, r *run) trajectory.Result {
			return r.open().visit(busy(0)).end(trajectory.Failure, "start_url", "too many requests")
		}}
		sum := mustEnd(t, dir, batch.Plan{Tasks: tasks(1)}, batch.Config{Retries: 1}, w)
		if len(w.tries) != 7 || sum.Reasons["error/site_down"] != 1 {
			t.Errorf("got %d tries and %v; want 5 sent away, 1 retry more, and site_down", len(w.tries), sum.Reasons)
		}
		endedOnce(t, dir, 1)
	})
}
