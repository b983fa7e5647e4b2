package parse

import (
	"strings"

	"fara/model"
)

// textPage is a reply in the Text form, taken apart: where it thinks and where it
// acts.
type textPage struct {
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
	textCall
	place place
	start int // where its label begins
}

// textForm reads a reply in the Text form.
func textForm(text string, schema Schema) (Result, *Error) {
	t := scanText(text)
	c, err := t.choose(t.answering())
	inThoughts := false
	if err != nil && err.Reason == NoCall && t.endsInTextThoughts() {
		c, err = t.chooseThought(t.thinking())
		inThoughts = err == nil
	}
	return t.finish(c, err, inThoughts, schema)
}

// textFormInThinking reads a text that is all thoughts, unless it says otherwise.
func textFormInThinking(text string, schema Schema) (Result, *Error) {
	t := scanText(text)
	if len(t.marks) > 0 {
		return textForm(text, schema)
	}
	c, err := t.chooseThought(t.lines)
	return t.finish(c, err, true, schema)
}

// answering gives the calls outside the thoughts, thinking those within.
func (t textPage) answering() []line {
	var out []line
	for _, l := range t.lines {
		if !t.inThoughts(l.start) {
			out = append(out, l)
		}
	}
	return out
}

func (t textPage) thinking() []line {
	var out []line
	for _, l := range t.lines {
		if t.inThoughts(l.start) {
			out = append(out, l)
		}
	}
	return out
}

// endsInTextThoughts reports whether nothing follows the thoughts, or their last
// call when they are never closed.
func (t textPage) endsInTextThoughts() bool {
	if !t.open {
		return t.answer > 0 && strings.TrimSpace(t.text[t.answer:]) == ""
	}
	return len(t.lines) > 0 && strings.TrimSpace(t.text[t.lines[len(t.lines)-1].end:]) == ""
}

// textChoice is the call that decides, and how many follow it.
type textChoice struct {
	line
	found   bool
	ignored int
}

// choose takes the first call at the most certain place.
func (t textPage) choose(lines []line) (textChoice, *Error) {
	for p := atLabel; p <= bare; p++ {
		for i, l := range lines {
			if l.place == p {
				return textChoice{line: l, found: true, ignored: wholeCalls(lines[i+1:])}, nil
			}
		}
	}
	return textChoice{}, refuse(NoCall, "The reply holds no action; send exactly one, in the form Action: name(argument='value').")
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
func (t textPage) chooseThought(lines []line) (textChoice, *Error) {
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
func (t textPage) finish(c textChoice, err *Error, inThoughts bool, schema Schema) (Result, *Error) {
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

// completedTextForm reports whether the call that decides is one that nothing behind
// it can change.
func completedTextForm(text string) (page, bool) {
	if !strings.ContainsAny(text, ")）") {
		return page{}, false
	}
	t := scanText(text)
	c, err := t.choose(t.answering())
	if err != nil || c.place != atLabel || c.state == torn {
		return t.page, false
	}
	return t.page, c.state == whole && strings.Contains(text[c.end:], "\n")
}
