package agent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fara/agent"
	"fara/env"
	"fara/env/envtest"
	"fara/model"
	"fara/model/modeltest"
	"fara/prompt"
	"fara/trajectory"
)

// plan is what the model of these tests does, one call after the other.
func plan() []modeltest.Answer {
	return []modeltest.Answer{
		call("Note.", `{"action": "pause_and_memorize_fact", "fact": "tea costs 4 euros"}`),
		call("Which?", question),
		call("I write.", `{"action": "type", "text": "Ada", "coordinate": [100, 100]}`),
		click(500, 500), // buys
		done("too early"),
		click(100, 100),
		done("in time"),
	}
}

// follower does what its plan says, and does again what it is told was not done.
// Before its fourth call it says something that nobody can use.
type follower struct {
	plan     []modeltest.Answer
	next     int
	garbled  bool
	requests []model.Request
}

func (f *follower) Chat(ctx context.Context, req model.Request, _ model.Until) (model.Reply, error) {
	f.requests = append(f.requests, req)
	switch said := req.Messages[len(req.Messages)-1].Text; {
	case strings.Contains(said, "Your last action was not done") && f.next > 0:
		f.next--
	case f.next == 3 && !f.garbled:
		f.garbled = true
		return modeltest.Text("I would rather not say.")(ctx, req)
	}
	f.next++
	reply, err := f.plan[min(f.next, len(f.plan))-1](ctx, req)
	reply.Usage.PromptTokens = 100
	return reply, err
}

// recall has it go on where a run's model was.
func (f *follower) recall(events []trajectory.Event) {
	undone := false
	for _, e := range events {
		switch {
		case e.Resumed != nil:
			undone = undone || strings.Contains(e.Resumed.Text, "Your last action was not done")
		case e.Proposed != nil && e.Proposed.Call != nil:
			if !undone {
				f.next++
			}
			undone = false
		}
	}
}

// helpful answers questions and allows everything.
type helpful struct{}

func (helpful) Ask(_ context.Context, asked trajectory.Asked) (trajectory.Replied, error) {
	if asked.Approval != nil {
		return trajectory.Replied{Choice: trajectory.Yes}, nil
	}
	return trajectory.Replied{Text: "the green one"}, nil
}

// patient rejects the answer that comes too early.
type patient struct{}

func (patient) Verify(_ context.Context, c agent.Candidate) (trajectory.Verdict, error) {
	return trajectory.Verdict{By: "assertions", Accepted: c.Answer == "in time", Reason: "nothing was delivered yet"}, nil
}

// shopping is a page on which clicks in the middle buy; bought counts them.
func shopping() (page *envtest.Env, bought func() int) {
	middle := env.Point{X: 720, Y: 448}
	page = &envtest.Env{OnAim: func(_ int, a env.Action) (*env.Element, error) {
		if a.Kind == env.LeftClick && *a.Point == middle {
			return buy(), nil
		}
		return nil, nil
	}}
	return page, func() (n int) {
		for _, a := range page.Actions() {
			if a.Kind == env.LeftClick && *a.Point == middle {
				n++
			}
		}
		return n
	}
}

// taken is a run that goes on in a folder of its own.
type taken struct {
	dir      string
	result   trajectory.Result
	before   []trajectory.Event
	run      *trajectory.Run
	bought   int
	requests []model.Request
}

// cut copies a run's folder as a kill would have left it: the first lines of its
// log, and a part of the next one.
func cut(t *testing.T, from string, lines int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(dir, "result.json"))
	path := filepath.Join(dir, "events.jsonl")
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := bytes.SplitAfter(log, []byte("\n"))
	kept := bytes.Join(all[:lines], nil)
	kept = append(kept, all[lines][:len(all[lines])/2]...)
	if err := os.WriteFile(path, kept, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// goOn takes up the run in dir as it is.
func goOn(t *testing.T, dir string, user agent.User, change func(*agent.Config)) (taken, error) {
	t.Helper()
	w, run, err := trajectory.Reopen(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	brain := &follower{plan: plan()}
	brain.recall(run.Events)
	b := newBench(t)
	cfg := b.cfg
	cfg.Verifiers = []agent.Verifier{patient{}}
	if change != nil {
		change(&cfg)
	}
	page, bought := shopping()
	before := run.Events
	result, err := agent.New(cfg, page, brain, user, w).Run(t.Context())
	if err != nil {
		w.Close()
		return taken{}, err
	}
	read, err := trajectory.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := taken{dir, result, before, read, bought(), brain.requests}
	got.reproduces(t, cfg)
	return got, nil
}

// reproduces computes every request of the run again.
func (g taken) reproduces(t *testing.T, cfg agent.Config) {
	t.Helper()
	for i, e := range g.run.Events {
		if e.Proposed == nil {
			continue
		}
		again, err := prompt.Build(g.run.Events[:i], cfg.Dialect, g.run.Load)
		if err != nil {
			t.Fatal(err)
		}
		if got := prompt.Hash(again.Request); got != e.Proposed.Request {
			t.Errorf("event %d: the request comes out with hash %s, recorded is %s", i, got, e.Proposed.Request)
		}
	}
}

// whole is a run of the plan from its beginning to its end.
func whole(t *testing.T) string {
	t.Helper()
	w, err := trajectory.Create(t.TempDir(), trajectory.Task{Run: "run", Task: "Buy tea."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg := newBench(t).cfg
	cfg.Verifiers = []agent.Verifier{patient{}}
	page, bought := shopping()
	r, err := agent.New(cfg, page, &follower{plan: plan()}, helpful{}, w).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != trajectory.Success || r.Answer != "in time" || bought() != 1 {
		t.Fatalf("got %s/%s: %s; bought %d times", r.Status, r.Reason, r.Message, bought())
	}
	return w.Dir()
}

// begunBuying counts the intents to buy in a log.
func begunBuying(events []trajectory.Event) (n int) {
	for _, e := range events {
		if a := e.Acting; a != nil && a.Action.Kind == env.LeftClick && *a.Action.Point == (env.Point{X: 720, Y: 448}) {
			n++
		}
	}
	return n
}

// unknown is the last event's intent, when a kill left it without an outcome.
func unknown(events []trajectory.Event) *env.Action {
	for i := len(events) - 1; i >= 0; i-- {
		switch {
		case events[i].Acting != nil:
			return &events[i].Acting.Action
		case events[i].Acted != nil, events[i].Observed != nil, events[i].Resumed != nil:
			return nil
		}
	}
	return nil
}

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

func hasSeen(events []trajectory.Event) bool {
	for _, e := range events {
		if e.Observed != nil {
			return true
		}
	}
	return false
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

func texts(req model.Request) string {
	var all []string
	for _, m := range req.Messages {
		all = append(all, m.Text)
	}
	return strings.Join(all, "\n")
}

// upTo cuts a run right after the n-th event that fits.
func upTo(t *testing.T, from string, fits func(trajectory.Event) bool) string {
	t.Helper()
	run, err := trajectory.Read(from)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range run.Events {
		if fits(e) {
			return cut(t, from, i+1)
		}
	}
	t.Fatal("there is no such event")
	return ""
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

func (deaf) Ask(ctx context.Context, _ trajectory.Asked) (trajectory.Replied, error) {
	<-ctx.Done()
	return trajectory.Replied{}, context.Cause(ctx)
}

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
