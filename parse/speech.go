package parse

import (
	"strings"

	"fara/model"
)

// talk is a reply in the Text form, taken apart: where it thinks and where it
// acts.
type talk struct {
	page
	lines []line
}

// place says how certain it is that a call in the text is meant as one; a lower
// one is more certain.
type place int

const (
	// atLabel: behind a label that begins its line.
	atLabel place = iota
	// inLine: behind a label within a line.
	inLine
	// bare: at the start of a line, without a label.
	bare
)

// line is a call in the text, or what was to become one.
type line struct {
	spokenCall
	place place
	start int // where its label begins
}

// speech reads a reply in the Text form.
func speech(text string, schema Schema) (Result, *Error) {
	t := listen(text)
	c, err := t.choose(t.answering())
	inThoughts := false
	if err != nil && err.Reason == NoCall && t.endsInSpokenThoughts() {
		c, err = t.chooseThought(t.thinking())
		inThoughts = err == nil
	}
	return t.finish(c, err, inThoughts, schema)
}

// speechInThinking reads a text that is all thoughts, unless it says otherwise.
func speechInThinking(text string, schema Schema) (Result, *Error) {
	t := listen(text)
	if len(t.marks) > 0 {
		return speech(text, schema)
	}
	c, err := t.chooseThought(t.lines)
	return t.finish(c, err, true, schema)
}

// answering gives the calls outside the thoughts, thinking those within.
func (t talk) answering() []line {
	var out []line
	for _, l := range t.lines {
		if !t.inThoughts(l.start) {
			out = append(out, l)
		}
	}
	return out
}

func (t talk) thinking() []line {
	var out []line
	for _, l := range t.lines {
		if t.inThoughts(l.start) {
			out = append(out, l)
		}
	}
	return out
}

// endsInSpokenThoughts reports whether nothing follows the thoughts, or their last
// call when they are never closed.
func (t talk) endsInSpokenThoughts() bool {
	if !t.open {
		return t.answer > 0 && strings.TrimSpace(t.text[t.answer:]) == ""
	}
	return len(t.lines) > 0 && strings.TrimSpace(t.text[t.lines[len(t.lines)-1].end:]) == ""
}

// spokenChoice is the call that decides, and how many follow it.
type spokenChoice struct {
	line
	found   bool
	ignored int
}

// choose takes the first call at the most certain place.
func (t talk) choose(lines []line) (spokenChoice, *Error) {
	for p := atLabel; p <= bare; p++ {
		for i, l := range lines {
			if l.place == p {
				return spokenChoice{line: l, found: true, ignored: wholeCalls(lines[i+1:])}, nil
			}
		}
	}
	return spokenChoice{}, refuse(NoCall, "The reply holds no action; send exactly one, in the form Action: name(argument='value').")
}

// wholeCalls counts the calls that could have been run.
func wholeCalls(lines []line) int {
	n := 0
	for _, l := range lines {
		if l.state == whole {
			n++
		}
	}
	return n
}

// chooseThought chooses among the calls of thoughts that nothing follows.
func (t talk) chooseThought(lines []line) (spokenChoice, *Error) {
	c, err := t.choose(lines)
	if err != nil {
		return c, err
	}
	for _, l := range lines {
		if l.state != whole || c.state != whole || l.name != c.name || !same(l.args, c.args) {
			return c, refuse(Ambiguous,
				"The thoughts hold several different actions and none follows them; after thinking, send the one action to run.")
		}
	}
	c.ignored = 0
	return c, nil
}

// finish makes a result of the choice.
func (t talk) finish(c spokenChoice, err *Error, inThoughts bool, schema Schema) (Result, *Error) {
	early := refuse(Truncated, "The reply was cut off before its action; think less and send the action.")
	isCut := schema.Finish == model.FinishLength
	if !c.found {
		if isCut {
			err = early
		}
		return Result{Thoughts: unlabelled(t.thoughts(len(t.text)))}, err
	}
	result := Result{Thoughts: unlabelled(t.thoughts(c.start))}
	switch {
	case err != nil:
		return result, err
	case isCut && (inThoughts || c.place != atLabel && result.Thoughts != ""):
		return result, early
	}
	var made repairs
	if inThoughts {
		made.add(CallFromThoughts)
	}
	if c.place != atLabel {
		made.add(MissingLabel)
	}
	call, err := c.call(schema, result.Thoughts, &made)
	if err != nil {
		return result, err
	}
	result.Call, result.Repairs, result.Ignored = call, made, c.ignored
	return result, nil
}

// completedSpeech reports whether the call that decides is one that nothing behind
// it can change.
func completedSpeech(text string) (page, bool) {
	if !strings.ContainsAny(text, ")）") {
		return page{}, false
	}
	t := listen(text)
	c, err := t.choose(t.answering())
	if err != nil || c.place != atLabel || c.state == torn {
		return t.page, false
	}
	return t.page, c.state == whole && strings.Contains(text[c.end:], "\n")
}
