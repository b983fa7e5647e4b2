package prompt

import (
	"fmt"
	"strings"

	"fara/imagebudget"
	"fara/model"
	"fara/trajectory"
)

// fit gives the messages that respect the limits, and the frames in them.
func (s *story) fit() ([]message, []*trajectory.Observed, error) {
	frames := make([]*trajectory.Observed, len(s.turns))
	tokens := make([]int, len(s.turns))
	for i, t := range s.turns {
		frames[i], tokens[i] = t.seen, t.seen.Tokens+imageTokens
	}
	keep := imagebudget.Window(tokens, s.maxImages, 0)
	room := s.numCtx - s.started.ReplyTokens
	if s.numCtx == 0 {
		return s.compose(keep, 0), frames[len(frames)-keep:], nil
	}
	text := s.cost(s.compose(keep, 0), nil)
	// A room of 0 would be none at all to Window.
	keep = imagebudget.Window(tokens, keep, max(1, room-text))
	for skip := 0; skip < len(s.turns); skip++ {
		msgs, kept := s.compose(keep, skip), frames[len(frames)-keep:]
		if s.cost(msgs, kept) <= room {
			return msgs, kept, nil
		}
	}
	return nil, nil, fmt.Errorf("%w of %d tokens with %d kept for the reply", ErrOverflow, s.numCtx, s.started.ReplyTokens)
}

// compose writes the messages with the newest keep frames and without what was
// said in the skip oldest turns, the user's own words aside.
func (s *story) compose(keep, skip int) []message {
	msgs := []message{{role: model.System, text: s.started.System}}
	for i, t := range s.turns {
		show := shown{frame: i >= len(s.turns)-keep, told: i >= skip, newest: i == len(s.turns)-1}
		if m, ok := s.userTurn(i, show); ok {
			msgs = append(msgs, m)
		}
		if show.newest {
			return append(msgs, s.corrections(t)...)
		}
		if show.told && t.raw != "" {
			msgs = append(msgs, message{role: model.Assistant, text: t.raw})
		}
	}
	return msgs
}

// shown says what of a turn a prompt still has.
type shown struct {
	frame  bool // its frame
	told   bool // what was told with it, and the model's reply
	newest bool // it is the one that is asked about
}

// userTurn is what the model was shown and told. An old turn whose frame is
// dropped and that told nothing else is left out, as the models were trained.
func (s *story) userTurn(i int, show shown) (message, bool) {
	t := s.turns[i]
	m := message{role: model.User}
	if !show.told {
		t.told = nil
	}
	var lines []string
	switch {
	case i == 0:
		lines = append(lines, s.task(), "")
	case show.frame:
		if t.seen.URL != "" {
			lines = append(lines, fmt.Sprintf(s.d.Turns.URL, trimURL(t.seen.URL)))
		}
	case t.reply == "" && len(t.told) == 0:
		return m, false
	}
	lines = append(lines, t.told...)
	if show.frame && t.seen.Unchanged && len(t.told) == 0 {
		lines = append(lines, s.d.Turns.Unchanged)
	}
	if show.newest && len(s.facts) > 0 {
		lines = append(lines, s.d.Turns.Facts)
		for _, f := range s.facts {
			lines = append(lines, fmt.Sprintf(s.d.Turns.Fact, oneLine(f, answerLimit)))
		}
	}
	switch {
	case t.reply != "":
		lines = append(lines, t.reply)
	case show.frame && i > 0:
		lines = append(lines, s.d.Turns.Nudge)
	}
	if show.frame {
		m.frame = t.seen
	}
	m.text = strings.TrimRight(strings.Join(lines, "\n"), "\n")
	return m, true
}

func (s *story) task() string {
	task := s.started.Task + "\n\n" + fmt.Sprintf(s.d.Turns.Budget, s.started.MaxSteps)
	if s.started.URL == "" && !s.begun {
		task += "\n" + s.d.Turns.Blank
	}
	return task
}

// corrections are the replies that could not be used with what was wrong, at
// the end of the prompt of the same step only.
func (s *story) corrections(t turn) []message {
	var msgs []message
	for _, b := range t.bad {
		raw := middleCut(b.Raw, badReplyLimit)
		if strings.TrimSpace(raw) == "" {
			raw = s.d.Turns.Empty
		}
		msgs = append(msgs,
			message{role: model.Assistant, text: raw},
			message{role: model.User, text: fmt.Sprintf(s.d.Turns.Correction, b.Problem.Text)})
	}
	return msgs
}
