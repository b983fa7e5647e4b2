package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fara/model"
	"fara/trajectory"
)

// message is one before its frame is read from its file.
type message struct {
	role   model.Role
	frame  *trajectory.Observed
	text   string
	call   *model.ToolCall // of an assistant's turn
	callID string          // of a tool's turn
	origin Origin
}

// layout says what of the turns a prompt has.
type layout struct {
	// pictures are the turns whose frames are in it, oldest first.
	pictures []int
	// skip is how many of the oldest turns are left out but for the words in them
	// that must stay: the task, the user's and the facts.
	skip int
}

// sight is what a turn shows of its frame.
type sight int

const (
	gone  sight = iota // nothing: it was dropped
	same               // what the turn before shows
	shown              // itself
)

// compose writes the messages. User and assistant take turns, the user first.
func (s *story) compose(l layout) []message {
	var msgs []message
	if s.limits.system != "" { // that of an imported run need not be known
		msgs = append(msgs, message{role: model.System, text: s.limits.system})
	}
	sights := s.sights(l)
	for i := l.skip; i < len(s.turns); i++ {
		m := message{role: model.User, text: s.userText(i, l.skip, sights[i]), origin: s.origin(i, l.skip)}
		if at, ok := s.carried(l, i); ok {
			m.frame = s.turns[at].seen
		}
		msgs = append(msgs, m)
		if i < len(s.turns)-1 {
			msgs = append(msgs, s.answer(s.turns[i].said)...)
		}
	}
	return append(msgs, s.corrections(s.turns[len(s.turns)-1])...)
}

// carried gives the turn whose frame the message of turn i carries. The first
// message takes over the frame of a turn that is left out.
func (s *story) carried(l layout, i int) (int, bool) {
	for _, at := range l.pictures {
		if max(at, l.skip) == i {
			return at, true
		}
	}
	return 0, false
}

// sights says of each turn what it shows.
func (s *story) sights(l layout) []sight {
	out := make([]sight, len(s.turns))
	for _, at := range l.pictures {
		out[at] = shown
	}
	for i := 1; i < len(out); i++ {
		if out[i] == gone && out[i-1] != gone && s.repeats(i) {
			out[i] = same
		}
	}
	return out
}

// userText is what a turn of the user says. The words of an old turn stay as
// they were when it was the newest as far as its frame stays, so that a server
// can reuse what it has read.
func (s *story) userText(i, skip int, see sight) string {
	t := s.turns[i]
	var lines []string
	if i == skip {
		lines = s.opening(skip)
	}
	url := trimURL(t.seen.URL)
	switch {
	case see == gone:
		lines = append(lines, fmt.Sprintf(s.d.Turns.Dropped, cmp.Or(url, "about:blank")))
	case i > 0 && url != "":
		lines = append(lines, fmt.Sprintf(s.d.Turns.URL, url))
	}
	lines = append(lines, t.told...)
	if see == same || see == shown && t.seen.Unchanged && len(t.told) == 0 {
		lines = append(lines, s.d.Turns.Unchanged)
	}
	lines = append(lines, s.factLines(i)...)
	switch {
	case t.reply != "":
		lines = append(lines, t.reply)
	case see == shown && i > 0:
		lines = append(lines, s.d.Turns.Nudge)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// opening is what the first message begins with: the task, and what must stay of
// the turns that are left out.
func (s *story) opening(skip int) []string {
	task := s.started.Task
	if s.limits.maxSteps > 0 { // an imported run's is not known
		task += "\n\n" + fmt.Sprintf(s.d.Turns.Budget, s.limits.maxSteps)
	}
	if s.started.URL == "" && !s.begun {
		task += "\n" + s.d.Turns.Blank
	}
	if s.started.AnswerSchema != "" {
		task += "\n\n" + fmt.Sprintf(s.d.Turns.AnswerSchema, s.started.AnswerSchema)
	}
	if len(s.started.Secrets) > 0 {
		task += "\n\n" + s.d.Turns.Secrets
	}
	for _, secret := range s.started.Secrets {
		task += "\n" + fmt.Sprintf(s.d.Turns.Secret, secret.Name, strings.Join(secret.Sites, ", "))
	}
	lines := []string{task, ""}
	var facts []string
	for _, t := range s.turns[:skip] {
		facts = append(facts, t.learned...)
		if t.reply != "" {
			lines = append(lines, t.reply)
		}
	}
	if s.steady() {
		lines = append(lines, s.listed(facts)...)
	}
	return lines
}

// factLines repeat all facts in the newest turn, where models heed them most;
// a steady prompt says each once and for all where it was learned.
func (s *story) factLines(i int) []string {
	newest := i == len(s.turns)-1
	switch {
	case s.steady() && newest:
		return s.listed(slices.Concat(s.turns[i].learned, s.learned))
	case s.steady():
		return s.listed(s.turns[i].learned)
	case newest:
		return s.listed(s.facts)
	}
	return nil
}

func (s *story) listed(facts []string) []string {
	if len(facts) == 0 {
		return nil
	}
	lines := []string{s.d.Turns.Facts}
	for _, f := range facts {
		lines = append(lines, fmt.Sprintf(s.d.Turns.Fact, oneLine(f, answerLimit)))
	}
	return lines
}

// answer is the model's turn: with native tools the call and the tool's word.
func (s *story) answer(was *said) []message {
	m := message{role: model.Assistant, text: was.text, origin: Origin{Reply: was.from}}
	switch {
	case was.call == nil:
		return []message{m}
	case len(s.limits.tools) == 0:
		m.text = s.written(was.text, *was.call)
		return []message{m}
	}
	m.call = was.call
	return []message{m, {role: model.Tool, text: s.d.Turns.Done, callID: was.call.ID}}
}

// written puts a native call into a reply's text, in the dialect's own form.
func (s *story) written(text string, call model.ToolCall) string { return inForm(s.d, text, call) }

// corrections are the replies that could not be used with what was wrong, at
// the end of the prompt of the same step only.
func (s *story) corrections(t turn) []message {
	var msgs []message
	for _, b := range t.bad {
		raw := b.Raw
		if len(b.Calls) > 0 {
			// As text: a call that cannot be read cannot be given back as one.
			raw = s.written(raw, b.Calls[0])
		}
		raw = middleCut(withoutBlobs(raw), badReplyLimit)
		if strings.TrimSpace(raw) == "" {
			raw = s.d.Turns.Empty
		}
		msgs = append(msgs,
			message{role: model.Assistant, text: raw, origin: Origin{Reply: b}},
			message{role: model.User, text: fmt.Sprintf(s.d.Turns.Correction, b.Problem.Text)})
	}
	return msgs
}
