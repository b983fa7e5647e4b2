package batch_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fara/batch"
	"fara/trajectory"
)

func TestADeadSiteIsGivenUpAfterFewAttemptsWhileOthersGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		w := &world{play: func(ctx context.Context, r *run) trajectory.Result {
			pause(ctx, time.Second)
			if batch.SiteOf(r.Job.URL) == "dead.test" {
				return unreachable(r)
			}
			return succeeds(ctx, r)
		}}
		dir := t.TempDir()
		all := append(onSite("dead.test", "d", 40), onSite("alive.test", "a", 10)...)
		sum := mustEnd(t, dir, batch.Plan{Tasks: all}, batch.Config{Workers: 2, Retries: 2}, w)
		tries, alive := 0, began
		for _, tr := range w.tries {
			if strings.HasPrefix(tr.Job.ID, "d") {
				tries++
			} else {
				alive = tr.at
			}
		}
		if tries > 8 {
			t.Errorf("got %d attempts on the dead site, want 8 or fewer", tries)
		}
		if sum.Classes[batch.Site] != 40 || sum.Classes[batch.Done] != 10 {
			t.Errorf("got %v, want 40 that could not reach their site and 10 done", sum.Classes)
		}
		if n := sum.Reasons["error/site_down"]; n < 35 {
			t.Errorf("got %d given up as site_down, want 35 or more: %v", n, sum.Reasons)
		}
		if took := alive.Sub(began); took > 15*time.Second {
			t.Errorf("the tasks of the other site were begun within %v, want 15s or less", took)
		}
		if took := time.Since(began); took > 2*time.Minute {
			t.Errorf("the dead site took %v, want 2m or less", took)
		}
		endedOnce(t, dir, 50)
	})
}

func TestASiteThatComesBackIsUsedAgainAfterOneProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		failed := 0
		w := &world{}
		w.play = func(ctx context.Context, r *run) trajectory.Result {
			pause(ctx, 100*time.Millisecond)
			if failed >= 3 {
				w.mu.Lock()
				if n := w.sites["flaky.test"]; time.Since(began) < 20*time.Second && n > 1 {
					t.Errorf("after %v: got %d runs at a time, want one that finds out whether the site is back", time.Since(began), n)
				}
				w.mu.Unlock()
			}
			if time.Since(began) < 20*time.Second { // the third probe finds it back
				failed++
				return unreachable(r)
			}
			return succeeds(ctx, r)
		}
		sum := mustEnd(t, t.TempDir(), batch.Plan{Tasks: onSite("flaky.test", "", 20)}, batch.Config{Workers: 1, Retries: 5}, w)
		if sum.Classes[batch.Done] != 20 {
			t.Errorf("got %v, want 20 done", sum.Classes)
		}
		if failed < 4 || failed > 6 {
			t.Errorf("got %d attempts that failed, want 3 and one or two probes", failed)
		}
	})
}

func TestOneProbeAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		w := &world{}
		most := 0
		w.play = func(ctx context.Context, r *run) trajectory.Result {
			if time.Since(began) > 4*time.Second {
				w.mu.Lock()
				most = max(most, w.running)
				w.mu.Unlock()
			}
			pause(ctx, time.Second)
			return unreachable(r)
		}
		mustEnd(t, t.TempDir(), batch.Plan{Tasks: onSite("dead.test", "", 30)}, batch.Config{Workers: 8, Retries: 1}, w)
		if most != 1 {
			t.Errorf("once the site was left alone: got %d runs on it at a time, want 1", most)
		}
	})
}

func TestPerSiteAndSitePauseBoundEachSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{play: func(ctx context.Context, r *run) trajectory.Result {
			pause(ctx, 10*time.Second)
			return succeeds(ctx, r)
		}}
		all := append(onSite("a.test", "a", 8), onSite("b.test", "b", 8)...)
		mustEnd(t, t.TempDir(), batch.Plan{Tasks: all}, batch.Config{Workers: 10, PerSite: 2, SitePause: 3 * time.Second}, w)
		last := map[string]time.Time{}
		for _, tr := range w.tries {
			site := batch.SiteOf(tr.Job.URL)
			if since := tr.at.Sub(last[site]); since < 3*time.Second {
				t.Errorf("%s began %v after the one before it on its site, want 3s or more", tr.Job.ID, since)
			}
			last[site] = tr.at
		}
		for _, site := range []string{"a.test", "b.test"} {
			if w.perSite[site] != 2 {
				t.Errorf("%s: got %d runs at a time, want 2", site, w.perSite[site])
			}
		}
		if w.most != 4 {
			t.Errorf("got %d runs at a time on both, want 4", w.most)
		}
	})
}

func TestBatchesShareSites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sites := batch.NewSites(1, 0)
		w := &world{play: func(ctx context.Context, r *run) trajectory.Result {
			pause(ctx, time.Second)
			return succeeds(ctx, r)
		}}
		ended := make(chan error, 2)
		for range 2 {
			s := opened(t, t.TempDir(), batch.Plan{Tasks: onSite("a.test", "", 5)})
			go func() {
				_, err := batch.New(batch.Config{Workers: 3, Sites: sites}, s, w).Run(t.Context())
				ended <- err
			}()
		}
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if w.most != 1 || len(w.tries) != 10 {
			t.Errorf("got %d runs at a time and %d in all, want 1 and 10", w.most, len(w.tries))
		}
	})
}

func TestAHalfDoneRunOfADeadSiteIsEndedInItsFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := &world{play: func(ctx context.Context, r *run) trajectory.Result {
			if r.Job.ID == "t12" {
				return r.open().see().do().end(trajectory.BrowserLost, "gone", "it died")
			}
			pause(ctx, time.Second) // so that all are begun
			return unreachable(r)
		}}
		mustEnd(t, dir, batch.Plan{Tasks: onSite("dead.test", "", 12)}, batch.Config{Workers: 12, Retries: 1}, w)
		end := endings(t, dir)["t12"]
		if end.Reason != "site_down" || end.Run == "" || !strings.Contains(end.Message, "not tried again") {
			t.Errorf("got %s of the run %q: %q; want site_down of its run, not tried again", end.Reason, end.Run, end.Message)
		}
		endedOnce(t, dir, 12)
	})
}

func TestSiteOf(t *testing.T) {
	for address, want := range map[string]string{
		"": "", "about:blank": "", "https://www.A.test/x?y": "a.test", "a.test": "a.test", "localhost:3000/x": "localhost:3000", "https://u:p@a.test": "a.test", " https://a.test ": "a.test", "%": "",
	} {
		if got := batch.SiteOf(address); got != want {
			t.Errorf("SiteOf(%q): got %q, want %q", address, got, want)
		}
	}
}
