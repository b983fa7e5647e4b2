package layout

import (
	"slices"
	"time"

	"fara/trajectory"
)

// finalAnswer is the code of the warning that asks for a run's last word.
const finalAnswer = "final_answer"

// frame is a picture that was sent, with when it was taken.
type frame struct {
	*trajectory.Observed
	at time.Time
	// passed counts the frames before it that no reply answered.
	passed int
	// told are the runtime's own words to the model that came with it.
	told []string
}

// reply is one answer of the model.
type reply struct {
	*trajectory.Proposed
	at  time.Time
	seq int
}

// word is what somebody beside the model said to it.
type word struct {
	text string
	by   string
	// rejects: it says why an answer was not accepted.
	rejects bool
	at      time.Time
	seq     int
}

// move is one action of the model with what was around it.
type move struct {
	step   int // the run's own number
	seen   frame
	heard  []word  // since the move before
	bad    []reply // replies to seen that could not be used
	said   reply
	facts  []string // memorised before it
	forced bool     // it is the last word of a run whose steps were used up

	refused   *trajectory.Decided
	asked     *trajectory.Asked
	acting    *trajectory.Acting
	acted     *trajectory.Acted
	actedAt   time.Time
	uncertain bool // nobody knows whether it was done
	left      bool // the program ended before anything was done
}

// call is the action's name.
func (m *move) call() string { return m.said.Call.Action }

// done reports whether the action was carried out without an error.
func (m *move) done() bool {
	return m.refused == nil && m.acted != nil && m.acted.Error == nil && !m.forced
}

// trace is a run sorted into moves.
type trace struct {
	started *trajectory.Started
	moves   []*move
	// first is the first frame that was looked at; nil when there was none.
	first *frame
	// last is the frame behind the last move; nil when nobody looked.
	last *frame
	// unheard are words that no move followed, bad the replies that could not be
	// used behind the last move.
	unheard []word
	bad     []reply
	resumed int // how often the run was taken up again

	facts []string
	told  []string
	final bool
	// open is the move whose outcome is still to come; nil when there is none.
	open *move
}

// read sorts a run's events.
func read(events []trajectory.Event) *trace {
	t := &trace{}
	for _, e := range events {
		switch e.Kind {
		case trajectory.KindStarted:
			t.started = e.Started
		case trajectory.KindObserved:
			t.observe(e)
		case trajectory.KindProposed:
			t.propose(e)
		case trajectory.KindFact:
			t.facts = append(t.facts, e.Fact.Text)
		case trajectory.KindWarned:
			t.final = t.final || e.Warned.Code == finalAnswer
			t.told = append(t.told, e.Warned.Text)
		case trajectory.KindReplied:
			if r := e.Replied; r.Choice == "" && r.Text != "" {
				t.unheard = append(t.unheard, word{text: r.Text, by: string(r.By), at: e.At, seq: e.Seq})
			}
		case trajectory.KindVerdict:
			if v := e.Verdict; !v.Accepted && !v.Unsure {
				t.unheard = append(t.unheard, word{text: v.Reason, by: v.By, rejects: true, at: e.At, seq: e.Seq})
			}
		case trajectory.KindResumed:
			t.resume(e.Resumed)
		default:
			t.outcome(e)
		}
	}
	return t
}

func (t *trace) observe(e trajectory.Event) {
	t.open, t.final = nil, false
	next := frame{Observed: e.Observed, at: e.At, told: t.told}
	switch last := t.last; {
	case last == nil:
	case e.Observed.Again: // the same sight at another size
		next.told, next.passed = last.told, last.passed
	default:
		next.told, next.passed = slices.Concat(last.told, t.told), last.passed+1
	}
	if !e.Observed.Again {
		t.told = nil
	}
	t.last = &next
	if t.first == nil || e.Observed.Again && len(t.moves) == 0 {
		t.first = t.last
	}
}

func (t *trace) propose(e trajectory.Event) {
	said := reply{Proposed: e.Proposed, at: e.At, seq: e.Seq}
	if e.Proposed.Call == nil {
		t.bad = append(t.bad, said)
		return
	}
	seen := t.last
	if n := len(t.moves); seen == nil && n > 0 {
		seen = &t.moves[n-1].seen
	}
	if seen == nil {
		return // no request is without a frame
	}
	m := &move{
		step: e.Step, seen: *seen, heard: t.unheard, bad: t.bad, said: said,
		facts: slices.Clone(t.facts), forced: t.final,
	}
	m.seen.told = slices.Concat(m.seen.told, t.told)
	t.moves, t.open = append(t.moves, m), m
	t.last, t.unheard, t.bad, t.told = nil, nil, nil, nil
}

// outcome takes what became of the open move.
func (t *trace) outcome(e trajectory.Event) {
	m := t.open
	if m == nil || e.Step != m.step || m.acted != nil || m.refused != nil {
		return
	}
	switch e.Kind {
	case trajectory.KindDecided:
		if !e.Decided.Allowed {
			m.refused, m.actedAt = e.Decided, e.At
		}
	case trajectory.KindAsked:
		m.asked = e.Asked
	case trajectory.KindActing:
		m.acting = e.Acting
	case trajectory.KindActed:
		m.acted, m.actedAt = e.Acted, e.At
	}
}

// resume takes up a run again. A question, an approval or an answer that was to be
// checked is finished then; any other move that was under way is not.
func (t *trace) resume(r *trajectory.Resumed) {
	if r.Why != "restart" {
		return
	}
	t.resumed++
	m := t.open
	if m == nil || m.acted != nil || m.refused != nil {
		return
	}
	switch {
	case m.acting != nil:
		m.uncertain, t.open = true, nil
	case m.asked == nil && m.call() != "terminate":
		m.left, t.open = true, nil
	}
}
