package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"fara/env"
	"fara/imagebudget"
	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

// Environment is the browser world a run acts in.
//
// Its methods return env.ErrLost when it is gone. Perform, Read and Aim return
// an *env.ActionError for what the page or the action's arguments did wrong: that
// is told to the model and the run goes on.
type Environment interface {
	Observe(ctx context.Context) (env.Observation, error)
	Perform(ctx context.Context, act env.Action) (env.Outcome, error)
	Read(ctx context.Context) (env.Document, error)
	// Aim gives the element that an action is about to reach, nil when there is
	// none, and changes nothing.
	Aim(ctx context.Context, act env.Action) (*env.Element, error)
}

// Agent does one run. It belongs to one goroutine and runs once.
type Agent struct {
	cfg     Config
	page    Environment
	chat    model.Chatter
	user    User
	run     *trajectory.Writer
	allowed []env.Kind

	started  bool
	step     int  // the model's turn that is under way, or the last one
	view     view // what it looks at
	failures int  // failed actions in a row
	lastSeen string
	touched  bool // the last action should have changed what is seen
	spoken   spoken
	last     prompt.Prompt // the last request that was answered
	usage    trajectory.Usage
	timings  trajectory.Timings
	// session is when this program took the run up, before how long it had been
	// under way until then.
	session  time.Time
	before   time.Duration
	waits    *trajectory.Asked    // what an ending leaves unanswered
	verdicts []trajectory.Verdict // on the last answer
	warned   string               // the code of the warning that is in force
	told     map[string]bool      // the captchas the model knows of
	alike    map[[2]string]bool   // frames that were compared
	sums     map[string]imagebudget.Rows
	untold   []env.Note // of looks that were not written down
	final    bool       // the model is asked for its last word
}

// New gives an agent. user may be nil: then a question ends the run as waiting
// for its user. The agent closes none of what it is given but finishes the
// run's folder. When run has events already, the agent goes on with it: page is
// then where the run left it as well as can be, and cfg has the run's own settings.
func New(cfg Config, page Environment, chat model.Chatter, user User, run *trajectory.Writer) *Agent {
	return &Agent{
		cfg: cfg.withDefaults(), page: page, chat: chat, user: user, run: run,
		alike: map[[2]string]bool{}, sums: map[string]imagebudget.Rows{},
	}
}

// ErrRanBefore is returned by a second Run of the same Agent.
var ErrRanBefore = errors.New("an agent runs once; make a new one")

// Run does the whole run, or what is left of it, and returns how it ended, which
// is also in its folder when it returns. Whatever happens there is a Result; the
// error is not nil only when the folder could not be finished, when the agent has
// run before, or when nothing is left to go on with (ErrOver).
//
// Cancelling ctx ends the run as cancelled, with everything recorded so far.
func (a *Agent) Run(ctx context.Context) (trajectory.Result, error) {
	if a.started {
		return trajectory.Result{}, ErrRanBefore
	}
	a.started = true
	a.session = time.Now()
	a.timings.Started = a.session.UTC()
	first := a.begin
	if events := a.run.Events(); len(events) > 0 {
		if err := Over(events); err != nil {
			return trajectory.Result{}, err
		}
		a.recall(events)
		first = a.takeUp
	}
	if a.cfg.Deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, a.cfg.Deadline-a.before, errDeadline)
		defer cancel()
	}
	return a.finish(a.endingOf(ctx, a.loop(ctx, first)))
}

// loop takes steps until one of them ends the run. A fault of our own becomes
// an ending too: what was recorded up to there must not be lost with it.
func (a *Agent) loop(ctx context.Context, first func(context.Context) error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			a.cfg.Logger.Error("fault in the loop", "step", a.step, "err", fault, "stack", string(debug.Stack()))
			err = fmt.Errorf("a fault in step %d: %v; please report it", a.step, fault)
		}
	}()
	err = first(ctx)
	for err == nil {
		err = a.next(ctx)
	}
	return err
}

// begin writes down what the run is and opens its first page, for which no
// model is asked.
func (a *Agent) begin(ctx context.Context) error {
	picture, err := a.learnActions()
	if err != nil {
		return err
	}
	began := a.cfg.Started(picture)
	a.spoken = spoken{replies: a.cfg.Replies, system: began.System, tools: began.Tools}
	if err := a.record(began); err != nil {
		return err
	}
	if a.cfg.URL == "" {
		return nil
	}
	err = a.perform(ctx, env.Action{Kind: env.VisitURL, URL: a.cfg.URL})
	var fail *env.ActionError
	if errors.As(err, &fail) {
		return Ending{Status: trajectory.Failure, Reason: "start_url", Message: fail.Text + "; check --url"}
	}
	return err
}

// learnActions reads what the model may propose out of the dialect's own words,
// and gives the size of its pictures.
func (a *Agent) learnActions() (env.Size, error) {
	picture, err := a.cfg.Dialect.Grid.Fit(a.cfg.Dialect.Viewport)
	if err == nil {
		a.allowed, err = a.cfg.Dialect.Allowed(a.cfg.Dialect.System(picture))
	}
	return picture, err
}

// next is one step: look, decide, act. It returns nil while the run goes on.
func (a *Agent) next(ctx context.Context) error {
	a.step++
	if _, err := a.pause(ctx); err != nil {
		return err
	}
	if err := a.observe(ctx); err != nil {
		return err
	}
	if a.step > a.cfg.MaxSteps && a.cfg.FinalAnswer {
		return a.lastWord(ctx)
	}
	proposal, err := a.decide(ctx)
	if err != nil {
		return err
	}
	if err := a.checkRut(); err != nil {
		return err
	}
	return a.count(a.act(ctx, proposal))
}

// count turns a failed action into one failure more and lets the run go on,
// until there were too many in a row.
func (a *Agent) count(err error) error {
	var fail *env.ActionError
	if errors.Is(err, errNotNow) {
		return nil
	}
	if !errors.As(err, &fail) {
		if err == nil {
			a.failures = 0
		}
		return err
	}
	a.failures++
	if a.failures < a.cfg.MaxFailures {
		return a.tellErrors()
	}
	return Ending{
		Status: trajectory.BudgetExhausted, Reason: "max_failures",
		Message: fmt.Sprintf("%d actions in a row failed, the last one because %s", a.failures, fail.Text),
	}
}

// record writes an event of the current step and shows it to whom it may concern.
func (a *Agent) record(p trajectory.Payload) error {
	e, err := a.run.Append(a.step, p)
	if err != nil {
		return err
	}
	if a.cfg.Progress != nil {
		a.cfg.Progress(e)
	}
	return nil
}
