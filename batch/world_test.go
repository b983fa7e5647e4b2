package batch_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"fara/batch"
	"fara/env"
	"fara/model"
	"fara/trajectory"
)

// world does runs without a browser: real folders, with events that play tells.
type world struct {
	id   string // the batch's
	play func(ctx context.Context, r *run) trajectory.Result
	// await is what Await does; nil finds a server at once.
	await func(ctx context.Context) error

	mu            sync.Mutex
	tries         []try
	running, most int
	perSite       map[string]int // the most at a time
	sites         map[string]int
	awaited       int
}

// try is an attempt that was made.
type try struct {
	batch.Attempt
	at time.Time
}

func (w *world) enter(a batch.Attempt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sites == nil {
		w.sites, w.perSite = map[string]int{}, map[string]int{}
	}
	w.tries = append(w.tries, try{a, time.Now()})
	w.running++
	w.most = max(w.most, w.running)
	site := batch.SiteOf(a.Job.URL)
	w.sites[site]++
	w.perSite[site] = max(w.perSite[site], w.sites[site])
}

func (w *world) leave(a batch.Attempt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running--
	w.sites[batch.SiteOf(a.Job.URL)]--
}

// Do implements batch.Runner.
func (w *world) Do(ctx context.Context, a batch.Attempt) (trajectory.Result, error) {
	w.enter(a)
	defer w.leave(a)
	r := &run{Attempt: a, batch: w.id, began: time.Now()}
	result := w.play(ctx, r)
	return result, r.err
}

// Await implements batch.Runner.
func (w *world) Await(ctx context.Context) error {
	w.mu.Lock()
	w.awaited++
	w.mu.Unlock()
	if w.await == nil {
		return nil
	}
	return w.await(ctx)
}

// keys are those of the jobs that were tried, in order.
func (w *world) keys() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var keys []string
	for _, t := range w.tries {
		keys = append(keys, t.Job.Key())
	}
	return keys
}

// of are the tries of a job.
func (w *world) of(key string) []try {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.tries), func(t try) bool { return t.Job.Key() != key })
}

// run is a run that a test plays.
type run struct {
	batch.Attempt
	batch string
	began time.Time
	w     *trajectory.Writer
	err   error // the first that writing it met
}

// open makes the run's folder, or goes on with it.
func (r *run) open() *run {
	if r.Resume {
		r.w, _, r.err = trajectory.Reopen(filepath.Join(r.Dir, r.Run), nil)
		r.tell(r.step(), trajectory.Resumed{})
		return r
	}
	r.w, r.err = trajectory.Create(r.Dir, trajectory.Task{
		Run: r.Run, Task: r.Job.Task.Task, URL: r.Job.URL,
		Sample: &trajectory.Sample{Batch: r.batch, Task: r.Job.ID, Number: r.Job.Sample},
	}, nil)
	r.tell(0, trajectory.Started{Task: r.Job.Task.Task})
	return r
}

func (r *run) tell(step int, p trajectory.Payload) {
	if r.err != nil {
		return
	}
	var e trajectory.Event
	if e, r.err = r.w.Append(step, p); r.err == nil {
		r.Event(e)
	}
}

// step is how far the run is.
func (r *run) step() int {
	if r.err != nil || len(r.w.Events()) == 0 {
		return 0
	}
	return r.w.Events()[len(r.w.Events())-1].Step
}

// visit opens the first page, or fails to.
func (r *run) visit(problem *trajectory.Problem) *run {
	r.tell(0, trajectory.Acting{Action: env.Action{Kind: env.VisitURL, URL: r.Job.URL}})
	r.tell(0, trajectory.Acted{Error: problem})
	return r
}

// see is the page as a new step finds it.
func (r *run) see(notes ...env.Note) *run {
	r.tell(r.step()+1, trajectory.Observed{Frame: "frames/1.png", URL: r.Job.URL, Notes: notes})
	return r
}

// do is what a step does, of these classes.
func (r *run) do(classes ...string) *run {
	n := r.step()
	r.tell(n, trajectory.Proposed{Raw: "click", Call: &model.Call{Action: "left_click"}, Usage: model.Usage{PromptTokens: 10, CompletionTokens: 2}, Server: "http://gpu:1"})
	r.tell(n, trajectory.Decided{Allowed: true, Code: "ok", Classes: classes})
	r.tell(n, trajectory.Acting{Action: env.Action{Kind: env.LeftClick}})
	r.tell(n, trajectory.Acted{Text: "clicked"})
	return r
}

// end ends the run.
func (r *run) end(status trajectory.Status, reason, message string) trajectory.Result {
	result := trajectory.Result{
		Version: trajectory.Version, Run: r.Run, Status: status, Reason: reason, Message: message, Verified: []string{},
	}
	if r.err != nil {
		return result
	}
	result.Dir = r.w.Dir()
	for _, e := range r.w.Events() {
		if e.Proposed != nil {
			result.Steps++
			result.Usage.Calls++
			result.Usage.Usage = result.Usage.Usage.Add(e.Proposed.Usage)
		}
	}
	result.Usage.Servers = map[string]int{"http://gpu:1": result.Usage.Calls}
	result.Timings = trajectory.Timings{Started: r.began, Ended: time.Now(), Total: 3 * time.Second}
	r.err = r.w.Finish(r.step(), result)
	return result
}

// succeeds is a run of one step that comes to something.
func succeeds(_ context.Context, r *run) trajectory.Result {
	return r.open().visit(nil).see().do().end(trajectory.Success, "terminate", "done")
}

// unreachable is a run whose first page cannot be opened now.
func unreachable(r *run) trajectory.Result {
	why := &trajectory.Problem{Reason: string(env.Navigation), Text: "net::ERR_CONNECTION_REFUSED"}
	return r.open().visit(why).end(trajectory.Failure, "start_url", "net::ERR_CONNECTION_REFUSED at "+r.Job.URL)
}

// tasks makes so many, each on a site of its own.
func tasks(n int) []batch.Task {
	all := make([]batch.Task, n)
	for i := range all {
		all[i] = batch.Task{ID: fmt.Sprintf("t%02d", i+1), Task: fmt.Sprintf("task %d", i+1), URL: fmt.Sprintf("https://s%d.test/", i+1), Line: i + 1}
	}
	return all
}

// onSite are tasks that begin on one.
func onSite(site, prefix string, n int) []batch.Task {
	all := tasks(n)
	for i := range all {
		all[i].ID, all[i].URL = prefix+all[i].ID, "https://"+site+"/"+all[i].ID
	}
	return all
}

// opened is the batch of some tasks in a folder, until the test ends or it is closed.
func opened(t testing.TB, dir string, plan batch.Plan) *batch.Store {
	t.Helper()
	if plan.Source == "" {
		plan.Source = "tasks.jsonl"
	}
	s, err := batch.Open(dir, plan)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// done does a batch and lets go of its folder.
func done(ctx context.Context, t testing.TB, dir string, plan batch.Plan, cfg batch.Config, w *world) (batch.Summary, error) {
	t.Helper()
	s := opened(t, dir, plan)
	defer s.Close()
	w.id = s.ID
	return batch.New(cfg, s, w).Run(ctx)
}

// mustEnd does a batch to its end.
func mustEnd(t testing.TB, dir string, plan batch.Plan, cfg batch.Config, w *world) batch.Summary {
	t.Helper()
	sum, err := done(t.Context(), t, dir, plan, cfg, w)
	if err != nil || sum.Remaining != 0 || sum.Ended != sum.Jobs {
		t.Fatalf("the batch: got %d of %d ended, %d remaining, error %v; want all and none", sum.Ended, sum.Jobs, sum.Remaining, err)
	}
	return sum
}
