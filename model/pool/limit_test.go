package pool_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fara/model"
	"fara/model/pool"
)

// crowd has a number of runs ask again and again until the time is over.
func crowd(t *testing.T, p *pool.Pool, runs int, lasts time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	var all sync.WaitGroup
	for range runs {
		all.Go(func() {
			run := p.Session()
			defer run.Close()
			for ctx.Err() == nil {
				_, _ = run.Chat(ctx, model.Request{}, nil)
			}
		})
	}
	all.Wait()
}

func TestLimitSettlesNearTheKnee(t *testing.T) {
	for i, at := range []int{1, 2, 4, 8, 1, 2, 4, 8} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{alone: time.Second, at: at}
			if i >= 4 {
				f.dice = rand.New(rand.NewPCG(1, uint64(i)))
			}
			p := newPool(t, pool.Config{Most: 32}, servers(f)...)
			var runs sync.WaitGroup
			runs.Go(func() { crowd(t, p, 40, 15*time.Minute) })
			time.Sleep(5 * time.Minute) // settled: look at it for a while
			low, high := p.Counts()[0].Limit, 0
			for range 100 {
				now := p.Counts()[0].Limit
				low, high = min(low, now), max(high, now)
				time.Sleep(5 * time.Second)
			}
			runs.Wait()
			if low < at-at/4-1 || low < 1 || high > 2*at+i/4 {
				t.Errorf("a server that works on %d at a time: the limit goes from %d to %d, want it near", at, low, high)
			}
			t.Logf("works on %d: limit %d to %d, most ever %d", at, low, high, f.most)
		})
	}
}

func TestLimitFollowsAServerThatGetsSlower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{alone: time.Second, at: 8}
		p := newPool(t, pool.Config{Most: 32}, servers(f)...)
		crowd(t, p, 40, 5*time.Minute)
		f.mu.Lock()
		f.at = 2
		f.mu.Unlock()
		crowd(t, p, 40, 5*time.Minute)
		if got := p.Counts()[0].Limit; got > 4 {
			t.Errorf("a server that works on two at a time now: got limit %d, want at most 4", got)
		}
		// Longer prompts take longer, alone too: that is no reason for a small limit.
		f.mu.Lock()
		f.at, f.alone = 8, 4*time.Second
		f.mu.Unlock()
		crowd(t, p, 40, 30*time.Minute)
		if got := p.Counts()[0].Limit; got < 5 {
			t.Errorf("eight at a time, each four times as long: got limit %d, want 5 or more", got)
		}
	})
}

func TestOneRequestWhileNothingIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{alone: time.Hour, at: 8} // it loads
		p := newPool(t, pool.Config{}, servers(f)...)
		crowd(t, p, 16, 30*time.Minute)
		if f.most != 1 || f.asked() > 17 {
			t.Errorf("a server that loads had %d at once of %d requests, want one", f.most, f.asked())
		}
	})
}

func TestLimitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{alone: time.Second, at: 100}
		p := newPool(t, pool.Config{Most: 32}, pool.Server{Name: "a", Chatter: f, Most: 3})
		crowd(t, p, 20, 5*time.Minute)
		if f.most != 3 {
			t.Errorf("got %d at once, want the server's 3", f.most)
		}
	})
}

func TestQueueIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, pool.Config{Most: 1}, servers(&fake{alone: time.Second})...)
		answered := make([]int, 7)
		ctx, cancel := context.WithTimeout(t.Context(), 70*time.Second+time.Millisecond)
		defer cancel()
		var all sync.WaitGroup
		for i := range answered {
			all.Go(func() {
				run := p.Session()
				for {
					if _, err := run.Chat(ctx, model.Request{}, nil); err != nil {
						return
					}
					answered[i]++
				}
			})
		}
		all.Wait()
		for i, n := range answered {
			if n != 10 {
				t.Errorf("run %d of 7 was answered %d times in 70 s, want 10 (all: %v)", i, n, answered)
			}
		}
	})
}

func TestWhoWaitsMayGoAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{alone: time.Minute}
		p := newPool(t, pool.Config{Most: 1}, servers(f)...)
		left := errors.New("the user left")
		var all sync.WaitGroup
		all.Go(func() { ask(t, p.Session()) })
		synctest.Wait()
		ctx, cancel := context.WithCancelCause(t.Context())
		for range 3 {
			all.Go(func() {
				if _, err := p.Session().Chat(ctx, model.Request{}, nil); !errors.Is(err, left) {
					t.Errorf("got %v, want the cause", err)
				}
			})
		}
		synctest.Wait()
		all.Go(func() { ask(t, p.Session()) }) // behind those who leave
		synctest.Wait()
		cancel(left)
		began := time.Now()
		all.Wait()
		if took := time.Since(began); took != 2*time.Minute || f.asked() != 2 {
			t.Errorf("took %v for %d requests, want two minutes for two", took, f.asked())
		}
	})
}

func TestWaitersOfADeadServerGoElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &fake{alone: time.Second}, &fake{alone: time.Second}
		p := newPool(t, pool.Config{Most: 1}, servers(a, b)...)
		b.fail(gone)
		var runs []*pool.Session
		for range 4 { // b is down: all are on a
			run := p.Session()
			ask(t, run)
			runs = append(runs, run)
		}
		b.fail(nil)
		time.Sleep(10 * time.Minute)
		ask(t, p.Session()) // b is back
		a.fail(gone)
		on := make([]string, len(runs))
		var all sync.WaitGroup
		for i, run := range runs {
			all.Go(func() { on[i] = ask(t, run).Server })
		}
		all.Wait()
		if fmt.Sprint(on) != "[b b b b]" || p.Counts()[0].Failures > 2 {
			t.Errorf("got answers of %v after %d failures, want all of b and no run after run into the dead one", on, p.Counts()[0].Failures)
		}
	})
}

func TestServerThatIsBackGetsRunsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &fake{alone: time.Second, at: 8}, &fake{alone: time.Second, at: 8}
		p := newPool(t, pool.Config{}, servers(a, b)...)
		b.fail(gone)
		crowd(t, p, 20, 5*time.Minute)
		if got := p.Counts()[0].Limit; got < 8 {
			t.Fatalf("the server that is up has a limit of %d, want it found out", got)
		}
		b.fail(nil)
		time.Sleep(10 * time.Minute)
		for range 4 {
			ask(t, p.Session())
		}
		// Four runs, of which the newcomer gets its half although its limit is still 1.
		if counts := p.Counts(); counts[0].Runs != 2 || counts[1].Runs != 2 {
			t.Errorf("got %d and %d runs, want two on each", counts[0].Runs, counts[1].Runs)
		}
	})
}
