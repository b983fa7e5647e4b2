package agent_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

func hasSeen(events []trajectory.Event) bool {
	for _, e := range events {
		if e.Observed != nil {
			return true
		}
	}
	return false
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

func (deaf) Ask(ctx context.Context, _ trajectory.Asked) (trajectory.Replied, error) {
	<-ctx.Done()
	return trajectory.Replied{}, context.Cause(ctx)
}
