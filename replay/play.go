package replay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"fara/env"
	"fara/policy"
	"fara/trajectory"
)

// Environment is the browser world that a run is played in. Its errors are those of an
// agent's: env.ErrLost when it is gone, an *env.ActionError for what the page did wrong.
type Environment interface {
	Observe(ctx context.Context) (env.Observation, error)
	Perform(ctx context.Context, act env.Action) (env.Outcome, error)
	// Aim gives the element that an action is about to reach, nil when there is none, and
	// changes nothing.
	Aim(ctx context.Context, act env.Action) (*env.Element, error)
}

// Onward says what becomes of a replay that found a difference.
type Onward string

// What can become of it.
const (
	StopThere Onward = ""     // it ends before the step's action
	KeepGoing Onward = "keep" // it goes on to the end and lists all
)

// Again says what becomes of actions that a person has to be asked about.
type Again string

// What can become of them.
const (
	AskAgain Again = ""    // Config.Approve decides; without it the replay stops
	DoAgain  Again = "yes" // they are done again
)

// Config says how a run is played. Its zero value compares everything exactly, and
// stops at the first difference and before everything that has effects in the world.
type Config struct {
	// Policy is what may be done: the run's own. What it denies is never done.
	Policy policy.Policy
	// Again says what becomes of actions that the run or the policy takes for risky: what
	// was sent once is not sent once more without a word.
	Again Again
	// Approve asks a person about such an action; nil is nobody. An error that wraps
	// ErrNobody is the same.
	Approve func(context.Context, trajectory.Asked) (trajectory.Replied, error)
	// Bases map origins of the run to those of now.
	Bases []Base
	// Tolerance is the share of a frame's pixels, 0 to 1, that may differ. Faint
	// differences, single pixels and lines of one pixel do not count; with 0 everything
	// does.
	Tolerance float64
	// Checks are what is compared; none is all.
	Checks []Check
	// Limit is how long the page may take to be what it was, in each step; 0 is 5 s.
	Limit time.Duration
	// Onward says what becomes of the replay at a difference.
	Onward Onward
	// Progress gets each step when it is over; nil is nobody.
	Progress func(Step)
	// Logger is told what is done; nil is silent.
	Logger *slog.Logger
}

// ErrNobody is what Config.Approve returns when no person is there.
var ErrNobody = errors.New("nobody is there to answer")

// stop ends a replay before its end.
type stop struct{ reason, text string }

func (s *stop) Error() string { return s.text }

// errDifferent ends a replay at a difference.
var errDifferent = errors.New("different")

// player plays one run.
type player struct {
	cfg    Config
	plan   *Plan
	page   Environment
	out    *Folder
	report Report
	seen   env.Observation // the last look
	now    picture         // its frame
	masks  []mask
	// scrolled: what the page shows may stand elsewhere since the last look.
	scrolled bool
	// set are the names of the changed texts that were typed so far.
	set     []string
	granted []grant
}

// Play does what the plan says in page, an empty one, and writes the replay's folder.
// The report says how it ended whatever happens; the error is not nil only when the
// folder could not be written. Cancelling ctx stops it.
func Play(ctx context.Context, plan *Plan, page Environment, out *Folder, cfg Config) (Report, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Limit == 0 {
		cfg.Limit = 5 * time.Second
	}
	if len(cfg.Checks) == 0 {
		cfg.Checks = Checks()
	}
	p := &player{cfg: cfg, plan: plan, page: page, out: out, report: Report{
		Version: Version, Replay: out.id, Dir: out.dir, Run: plan.Run.Task.Run, RunDir: plan.Run.Dir, Task: plan.Run.Task.Task,
		Total: plan.Moves[len(plan.Moves)-1].Step, Tolerance: cfg.Tolerance, Checks: cfg.Checks, Bases: cfg.Bases, Texts: plan.Texts,
		Started: time.Now().UTC(), Steps: []Step{},
	}}
	err := p.all(ctx)
	var broken *folderError
	if errors.As(err, &broken) {
		return p.report, broken
	}
	p.end(ctx, err)
	return out.finish(p.report)
}

func (p *player) all(ctx context.Context) error {
	for i := range p.plan.Moves {
		began := time.Now()
		m := &p.plan.Moves[i]
		step := p.begin(m)
		err := p.play(ctx, i, &step)
		step.Took = time.Since(began)
		p.add(step)
		if err != nil {
			return err
		}
	}
	return nil
}

// begin says of a move what is known beforehand.
func (p *player) begin(m *Move) Step {
	s := Step{Step: m.Step, Skipped: m.Skipped}
	if m.Seen != nil {
		s.Viewport, s.Size, s.RunURL = m.Seen.Viewport, m.Seen.Size, moved(m.Seen.URL, p.cfg.Bases)
	}
	if m.Action != nil {
		act := p.action(m)
		s.Action, s.Point, s.From, s.Text = act.Kind, act.Point, act.From, describe(act)
	}
	if m.Text >= 0 {
		s.Typed, s.Set = p.plan.Texts[m.Text].Name, p.plan.Texts[m.Text].Set
	}
	return s
}

// add puts a step into the report.
func (p *player) add(s Step) {
	if s.Frame != "" {
		p.report.Frames++
	}
	if !s.Same() {
		p.report.Different++
		if p.report.First == nil {
			p.report.First = &s.Step
		}
	}
	p.report.Steps = append(p.report.Steps, s)
	if p.cfg.Progress != nil {
		p.cfg.Progress(s)
	}
}

// play does one move: it looks, and acts unless the replay ends there.
func (p *player) play(ctx context.Context, i int, s *Step) error {
	m := &p.plan.Moves[i]
	if m.Seen != nil {
		if err := p.look(ctx, m, s); err != nil {
			return unplayed(s, err)
		}
		if !s.Same() && p.cfg.Onward == StopThere {
			return unplayed(s, errDifferent)
		}
	}
	if m.Action == nil {
		return nil
	}
	if err := p.act(ctx, i, s); err != nil {
		return err
	}
	if !s.Same() && p.cfg.Onward == StopThere {
		return errDifferent
	}
	return nil
}

// unplayed says that a step's action was not begun.
func unplayed(s *Step, err error) error {
	if s.Action != "" {
		s.Skipped = "the replay ended before it"
	}
	return err
}

// differs adds a difference to a step.
func (p *player) differs(s *Step, kind Check, format string, args ...any) {
	s.Differences = append(s.Differences, Difference{Kind: kind, Text: fmt.Sprintf(format, args...), Changed: len(p.set) > 0})
}

func (p *player) checks(c Check) bool { return slices.Contains(p.cfg.Checks, c) }

// end says how the replay ended.
func (p *player) end(ctx context.Context, err error) {
	r := &p.report
	r.Ended = time.Now().UTC()
	r.Took = r.Ended.Sub(r.Started)
	var stopped *stop
	switch {
	case err == nil && r.Different == 0:
		r.Status, r.Message = Same, fmt.Sprintf("%d actions done, %d frames the same", r.Played, r.Frames)
	case err == nil || errors.Is(err, errDifferent):
		r.Status = Different
		r.Reason, r.Message = p.first()
	case errors.As(err, &stopped):
		r.Status, r.Reason, r.Message = Stopped, stopped.reason, stopped.text
	case errors.Is(err, env.ErrLost):
		r.Status, r.Reason, r.Message = Stopped, ReasonBrowser, err.Error()
	case ctx.Err() != nil:
		r.Status, r.Reason, r.Message = Stopped, ReasonInterrupted, "it was ended: "+context.Cause(ctx).Error()
	default:
		r.Status, r.Reason, r.Message = Stopped, ReasonFault, err.Error()
	}
}

// first is the kind of the first difference, and what is to be said of it.
func (p *player) first() (kind, message string) {
	for i, s := range p.report.Steps {
		if s.Same() {
			continue
		}
		d := s.Differences[0]
		message = fmt.Sprintf("step %d: %s", s.Step, d.Text)
		m := p.plan.Moves[i]
		switch {
		case d.Changed:
			message += "; a value was changed before it, which may be why"
		case m.Hands:
			message += "; a person may have used the run's browser before it"
		case m.Unsure:
			message += "; nobody knows whether the run did the action before it"
		}
		return string(d.Kind), message
	}
	return "", ""
}
