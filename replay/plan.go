package replay

import (
	"errors"
	"fmt"

	"fara/env"
	"fara/trajectory"
)

// Plan is a run as a replay goes through it.
type Plan struct {
	Run   *trajectory.Run
	Moves []Move
	// Texts are what the run typed, in its order.
	Texts []Text
}

// Move is something that a run saw, did, or both in this order.
type Move struct {
	// Step is the run's own number of it; 0 is before the model's first turn.
	Step int
	// Seen is the frame to find; nil when nothing was looked at before.
	Seen *trajectory.Observed
	// Action is in viewport CSS pixels; nil when nothing is done.
	Action *env.Action
	// Text is the index in Plan.Texts of what the action types; -1 is none.
	Text int
	// Hit is the element that the action was about to reach, Aimed whether that is known:
	// a nil Hit is then nothing.
	Hit   *env.Element
	Aimed bool
	// Classes are what the action was taken for.
	Classes []string
	// Failed: the run's own action failed, for this reason.
	Failed string
	// Skipped says in words why nothing is done, or what is not played of it.
	Skipped string
	// Restarted: the run's pages were loaded again before it looked; Hands: a person may
	// have used its browser; Unsure: nobody knows whether the run did the action before.
	Restarted, Hands, Unsure bool
}

// ErrNothing is returned for a run that did and saw nothing.
var ErrNothing = errors.New("the run did nothing that could be played again")

// treatment is what becomes of a kind of action.
type treatment string

// performed is input; the others say why they are not played.
const performed treatment = "performed"

// treatments has one for each kind of action.
var treatments = map[env.Kind]treatment{
	env.Key: performed, env.Type: performed, env.MouseMove: performed,
	env.LeftClick: performed, env.LeftClickDrag: performed, env.RightClick: performed, env.DoubleClick: performed, env.TripleClick: performed,
	env.Scroll: performed, env.HScroll: performed,
	env.VisitURL: performed, env.HistoryBack: performed, env.Wait: performed,
	env.WebSearch: "the search was an address, which is opened",
	env.ReadPage:  "the page's text was read for the model, which is no input",
	env.Memorize:  "the model remembered something, which is no input",
	env.AskUser:   "the model asked the user, which is no input",
	env.Terminate: "the model ended the run, which is no input",
}

// Read takes a run apart. The error wraps ErrNothing when there is nothing to play;
// others name an action that this program does not know, or a frame that is not there.
func Read(run *trajectory.Run) (*Plan, error) {
	r := reader{plan: &Plan{Run: run}}
	for _, e := range run.Events {
		if err := r.event(e); err != nil {
			return nil, fmt.Errorf("event %d: %w", e.Seq, err)
		}
	}
	r.breakOff()
	p := r.plan
	if len(p.Moves) == 0 {
		return nil, ErrNothing
	}
	p.name()
	return p, p.complete()
}

// complete is an error when a frame is missing.
func (p *Plan) complete() error {
	for _, m := range p.Moves {
		if m.Seen == nil {
			continue
		}
		if _, err := p.Run.Load(m.Seen.Frame); err != nil {
			return fmt.Errorf("the frame of step %d: %w", m.Step, err)
		}
	}
	return nil
}

// reader goes through a run's events.
type reader struct {
	plan    *Plan
	decided *trajectory.Decided
	open    bool // the last move's action has no outcome yet
	next    Move // what is known of the move to come
}

func (r *reader) event(e trajectory.Event) error {
	switch e.Kind {
	case trajectory.KindObserved:
		if !e.Observed.Again { // else it is the same picture once more
			r.add(e.Step).Seen = e.Observed
		}
	case trajectory.KindProposed:
		r.proposed(e)
	case trajectory.KindDecided:
		r.decided = e.Decided
		if !e.Decided.Allowed {
			r.skip(e.Step, "it was refused ("+e.Decided.Code+")")
		}
	case trajectory.KindAsked:
		if e.Asked.Approval != nil {
			r.skip(e.Step, "a person was asked about it, and nobody allowed it")
		}
	case trajectory.KindActing:
		return r.acting(e)
	case trajectory.KindActed:
		r.acted(e)
	case trajectory.KindResumed:
		if e.Resumed.Why == "restart" {
			r.next.Restarted = true
			r.next.Unsure = r.open
			r.open = false
		}
		r.next.Hands = r.next.Hands || e.Resumed.Hands
	}
	return nil
}

// add begins a move.
func (r *reader) add(step int) *Move {
	m := r.next
	m.Step, m.Text = step, -1
	r.plan.Moves = append(r.plan.Moves, m)
	r.next, r.decided = Move{}, nil
	return r.last()
}

// last is the move that is being read; nil before the first.
func (r *reader) last() *Move {
	if len(r.plan.Moves) == 0 {
		return nil
	}
	return &r.plan.Moves[len(r.plan.Moves)-1]
}

// skip says why nothing is done in a step in which nothing was done yet.
func (r *reader) skip(step int, why string) {
	if m := r.last(); m != nil && m.Step == step && m.Action == nil {
		m.Skipped = why
	}
}

func (r *reader) proposed(e trajectory.Event) {
	switch {
	case e.Proposed.Call == nil:
		r.skip(e.Step, "the reply held no action")
	default:
		if how := treatments[env.Kind(e.Proposed.Call.Action)]; how != performed {
			r.skip(e.Step, string(how))
		}
	}
}

func (r *reader) acting(e trajectory.Event) error {
	action := e.Acting.Action
	if treatments[action.Kind] != performed {
		return fmt.Errorf("the action %q cannot be played; use the version of fara that recorded it", action.Kind)
	}
	decided := r.decided
	m := r.last()
	if m == nil || m.Step != e.Step || m.Action != nil {
		m = r.add(e.Step)
	}
	m.Action, m.Skipped = &action, ""
	if decided != nil {
		m.Hit, m.Aimed, m.Classes = decided.Hit, true, decided.Classes
	}
	r.open, r.decided = true, nil
	return nil
}

func (r *reader) acted(e trajectory.Event) {
	m := r.last()
	if !r.open {
		if e.Acted.Error != nil {
			r.skip(e.Step, "it could not be begun: "+e.Acted.Error.Text)
		}
		return
	}
	r.open = false
	if e.Acted.Hit != nil && m.Hit == nil && !m.Aimed {
		m.Hit, m.Aimed = e.Acted.Hit, true
	}
	if e.Acted.Error != nil {
		m.Failed = e.Acted.Error.Text
	}
}

// breakOff leaves out the action in whose middle the run ended: nobody knows whether it
// was done, and no picture tells.
func (r *reader) breakOff() {
	m := r.last()
	if !r.open || m == nil {
		return
	}
	m.Skipped = fmt.Sprintf("the run broke off in the middle of it (%s), and nobody knows whether it was done", m.Action.Kind)
	m.Action = nil
	if m.Seen == nil {
		r.plan.Moves = r.plan.Moves[:len(r.plan.Moves)-1]
	}
}
