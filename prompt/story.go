package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fara/dialect"
	"fara/trajectory"
)

// story is a run's events sorted into turns.
type story struct {
	d         dialect.Dialect
	started   *trajectory.Started
	maxImages int
	numCtx    int
	begun     bool // something was done already
	turns     []turn
	facts     []string

	// What the next turn has to be told, until there is one.
	pending []string
	reply   string
}

// turn is one frame, what was told with it, and what the model made of it.
type turn struct {
	seen *trajectory.Observed
	// told are lines about what the frame does not show.
	told []string
	// reply is what the user said just before.
	reply string
	// raw is the reply that led to an action; empty while there is none.
	raw string
	// bad are replies that could not be used.
	bad []*trajectory.Proposed
}

// read sorts the events.
func read(events []trajectory.Event, d dialect.Dialect) (*story, error) {
	if len(events) == 0 || events[0].Started == nil {
		return nil, fmt.Errorf("the events do not begin with %s", trajectory.KindStarted)
	}
	s := &story{d: d, started: events[0].Started, maxImages: events[0].Started.MaxImages, numCtx: events[0].Started.NumCtx}
	for _, e := range events[1:] {
		s.take(e)
	}
	if len(s.turns) == 0 {
		return nil, ErrNothingSeen
	}
	return s, nil
}

func (s *story) take(e trajectory.Event) {
	switch e.Kind {
	case trajectory.KindObserved:
		s.open(e.Observed)
	case trajectory.KindProposed:
		s.propose(e.Proposed)
	case trajectory.KindAdapted:
		s.maxImages = cmp.Or(e.Adapted.MaxImages, s.maxImages)
		s.numCtx = cmp.Or(e.Adapted.NumCtx, s.numCtx)
	case trajectory.KindDecided:
		if !e.Decided.Allowed {
			s.tell(s.d.Turns.Refused, e.Decided.Text)
		}
	case trajectory.KindActed:
		s.begun = true
		s.acted(e.Acted)
	case trajectory.KindFact:
		s.facts = append(s.facts, e.Fact.Text)
	case trajectory.KindReplied:
		s.reply = e.Replied.Text
	}
}

func (s *story) open(o *trajectory.Observed) {
	t := turn{seen: o, told: s.pending, reply: s.reply}
	s.pending, s.reply = nil, ""
	for _, n := range o.Notes {
		line := fmt.Sprintf(s.d.Turns.Note, sentence(n.Text))
		if n.Quote != "" {
			line = fmt.Sprintf(s.d.Turns.Quote, sentence(n.Text), oneLine(n.Quote, quoteLimit))
		}
		// A page that repeats itself is told once.
		if !slices.Contains(t.told, line) {
			t.told = append(t.told, line)
		}
	}
	s.turns = append(s.turns, t)
}

func (s *story) propose(p *trajectory.Proposed) {
	if len(s.turns) == 0 {
		return
	}
	t := &s.turns[len(s.turns)-1]
	if p.Problem != nil {
		t.bad = append(t.bad, p)
		return
	}
	// Replies that could not be used have served: later prompts leave them out.
	t.raw, t.bad = p.Raw, nil
	if strings.TrimSpace(p.Raw) == "" {
		// The server filed the whole reply as thinking. Without it the model would
		// not know what it did.
		t.raw = p.Thinking
	}
}

func (s *story) acted(a *trajectory.Acted) {
	switch {
	case a.Error != nil:
		s.tell(s.d.Turns.Failed, oneLine(a.Error.Text, errorLimit))
	case a.Read != nil:
		s.pending = append(s.pending, fmt.Sprintf(s.d.Turns.Answer, oneLine(a.Read.Question, quoteLimit), middleCut(defuse.Replace(a.Read.Answer), answerLimit)))
	case a.Tell:
		s.tell(s.d.Turns.Note, oneLine(a.Text, errorLimit))
	}
}

func (s *story) tell(format, text string) {
	s.pending = append(s.pending, fmt.Sprintf(format, text))
}
