package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fara/agent"
	"fara/env/envtest"
	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

// A run is killed after each of its events and once more at a random one after
// that: it always comes to the same end, buys once, and forgets nothing.
func TestARunGoesOnFromEveryPointOfItsLog(t *testing.T) {
	first := whole(t)
	run, err := trajectory.Read(first)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(run.Events); n++ {
		t.Run(fmt.Sprintf("after %d events, %s", n, run.Events[n-1].Kind), func(t *testing.T) {
			once, err := goOn(t, cut(t, first, n), helpful{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			once.ended(t)
			m := n + rand.IntN(len(once.run.Events)-n)
			again, err := goOn(t, cut(t, once.dir, m), helpful{}, nil)
			if err != nil {
				t.Fatalf("killed again after %d events: %v", m, err)
			}
			t.Logf("killed again after %d events", m)
			again.ended(t)
		})
	}
	if _, err := goOn(t, first, helpful{}, nil); !errors.Is(err, agent.ErrOver) {
		t.Errorf("a run that has ended: got %v", err)
	}
}

// ended checks how a run ended that was taken up.
func (g taken) ended(t *testing.T) {
	t.Helper()
	if g.result.Status != trajectory.Success || g.result.Answer != "in time" {
		t.Fatalf("got %s/%s: %s", g.result.Status, g.result.Reason, g.result.Message)
	}
	if n := begunBuying(g.run.Events); n != 1 || begunBuying(g.before)+g.bought != 1 {
		t.Errorf("bought %d times after %d times, on record %d", g.bought, begunBuying(g.before), n)
	}
	calls, replies := 0, 0
	for i, e := range g.run.Events {
		if i < len(g.before) && e.At != g.before[i].At {
			t.Fatalf("event %d was changed", i)
		}
		if e.Proposed != nil {
			replies++
			if e.Proposed.Call != nil {
				calls++
			}
		}
	}
	if g.result.Usage.Calls != replies || g.result.Steps != calls {
		t.Errorf("counted %d calls and %d steps, on record are %d and %d", g.result.Usage.Calls, g.result.Steps, replies, calls)
	}
	resumed := g.run.Events[len(g.before)].Resumed
	lost := unknown(g.before)
	if resumed == nil || (resumed.Uncertain != nil) != (lost != nil && hasSeen(g.before)) {
		t.Errorf("an action of which nobody knows: %v; on record %+v", lost, resumed)
	}
	g.remembers(t)
}

// remembers looks for what was learned in the last request, and for what the
// model has to be told in the first.
func (g taken) remembers(t *testing.T) {
	t.Helper()
	if len(g.requests) == 0 {
		return // only its answer was left
	}
	last := texts(g.requests[len(g.requests)-1])
	for _, words := range []string{"tea costs 4 euros", "the green one"} {
		if !strings.Contains(last, words) {
			t.Errorf("the last request lacks %q", words)
		}
	}
	told := strings.Contains(texts(g.requests[0]), "It is not known whether your last action was done")
	ever := slices.ContainsFunc(g.run.Events, func(e trajectory.Event) bool { return e.Resumed != nil && e.Resumed.Uncertain != nil })
	if now := unknown(g.before) != nil && hasSeen(g.before); now && !told || told && !ever {
		t.Errorf("the model is told that its last action is uncertain: got %t, want %t", told, now)
	}
}

func TestBudgetsGoOnWhereTheyWere(t *testing.T) {
	third := func(e trajectory.Event) bool { return e.Step == 3 && e.Kind == trajectory.KindActed }
	for name, c := range map[string]struct {
		change func(*agent.Config)
		reason string
		calls  int
	}{
		"steps":      {func(c *agent.Config) { c.MaxSteps = 4 }, "max_steps", 2},
		"none left":  {func(c *agent.Config) { c.MaxSteps = 3 }, "max_steps", 0},
		"calls":      {func(c *agent.Config) { c.MaxCalls = 4 }, "max_calls", 1},
		"tokens":     {func(c *agent.Config) { c.MaxTokens = 1 }, "max_tokens", 0},
		"more steps": {func(c *agent.Config) { c.MaxSteps = 200 }, "", -1},
	} {
		got, err := goOn(t, upTo(t, whole(t), third), helpful{}, c.change)
		if err != nil {
			t.Fatal(err)
		}
		if c.reason == "" {
			if got.ended(t); !strings.Contains(texts(got.requests[0]), "200") {
				t.Errorf("%s: the model is told nothing of it", name)
			}
			continue
		}
		if got.result.Status != trajectory.BudgetExhausted || got.result.Reason != c.reason || len(got.requests) != c.calls {
			t.Errorf("%s: got %s/%s after %d more calls, want %s after %d", name, got.result.Status, got.result.Reason, len(got.requests), c.reason, c.calls)
		}
	}
}

func TestTheDeadlineIsOfTheWholeRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, _ model.Request) (model.Reply, error) {
			<-ctx.Done()
			return model.Reply{}, context.Cause(ctx)
		}
		b := newBench(t, slow)
		b.cfg.Deadline = time.Hour
		ctx, stop := context.WithTimeout(t.Context(), 40*time.Minute)
		defer stop()
		want(t, b.runIn(t, ctx), trajectory.Cancelled, "interrupted")
		time.Sleep(5 * time.Hour) // nobody works on it
		w, _, err := trajectory.Reopen(b.writer.Dir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		r, err := agent.New(b.cfg, &envtest.Env{}, modeltest.NewScript(slow), nil, w).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want(t, r, trajectory.BudgetExhausted, "deadline")
		if took := time.Since(began); took != 20*time.Minute || r.Timings.Total != time.Hour {
			t.Errorf("got %v more, %v in all", took, r.Timings.Total)
		}
	})
}

func TestWhatWaitedStillWaitsAsItWas(t *testing.T) {
	first := whole(t)
	for _, c := range []struct {
		approval bool
		status   trajectory.Status
	}{{true, trajectory.NeedsApproval}, {false, trajectory.WaitingForUser}} {
		dir := upTo(t, first, func(e trajectory.Event) bool { return e.Asked != nil && (e.Asked.Approval != nil) == c.approval })
		run, err := trajectory.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		asked := agent.Waiting(run.Events)
		for range 2 { // nobody comes
			got, err := goOn(t, dir, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if waiting := agent.Waiting(got.run.Events); got.result.Status != c.status || !reflect.DeepEqual(waiting, asked) || begunBuying(got.run.Events) != 0 {
				t.Errorf("got %s/%s, waiting with %+v, want %+v", got.result.Status, got.result.Reason, waiting, asked)
			}
		}
		got, err := goOn(t, dir, helpful{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.result.Status != trajectory.Success || got.bought != 1 {
			t.Errorf("when somebody comes: got %s/%s, bought %d times", got.result.Status, got.result.Reason, got.bought)
		}
	}
}

// deaf hears nothing until nobody waits any more.
type deaf struct{}

func TestAnExpiryIsKeptOverARestart(t *testing.T) {
	for name, c := range map[string]struct {
		away, waits time.Duration
		status      trajectory.Status
		reason      string
	}{
		"while there is time": {40 * time.Minute, 20 * time.Minute, trajectory.NeedsApproval, "expired"},
		"too late":            {3 * time.Hour, 0, trajectory.Success, "terminate"}, // and the model does something else
	} {
		synctest.Test(t, func(t *testing.T) {
			b := withButton(newBench(t, click(500, 500)), buy())
			b.cfg.AnswerLimit, b.user = time.Hour, deaf{}
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			want(t, b.runIn(t, ctx), trajectory.Cancelled, "interrupted")
			time.Sleep(c.away - time.Minute)
			w, _, err := trajectory.Reopen(b.writer.Dir(), nil)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			page, bought := shopping()
			script := modeltest.NewScript(done("x"))
			r, err := agent.New(b.cfg, page, script, deaf{}, w).Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); r.Status != c.status || r.Reason != c.reason || took != c.waits || bought() != 0 {
				t.Errorf("%s: got %s/%s after %v, bought %d times", name, r.Status, r.Reason, took, bought())
			}
			if sent := script.Requests(); len(sent) > 0 && !strings.Contains(texts(sent[0]), "nobody allowed it in time") {
				t.Errorf("%s: the model is told %q", name, texts(sent[0]))
			}
		})
	}
}
