package judge

import (
	"fmt"
	"strings"
)

// negation says whether a claim is that something is not so.
type negation bool

const (
	affirmed negation = false
	denied   negation = true
)

// part is what of a subject's items a claim is about.
type part string

const (
	ofText   part = "text"
	ofValue  part = "value"
	ofSHA256 part = "sha256"
	ofStatus part = "status"
	ofSize   part = "size"
	ofCount  part = "count"
)

func (p part) text(i item) string {
	switch p {
	case ofValue:
		return i.Value
	case ofSHA256:
		return i.sha256
	}
	return i.Text
}

// words is a claim about a text of a subject.
type words struct {
	subject
	of   part
	test func(text string) bool
	not  negation
}

func (w words) about() string { return aboutPart(w.subject, w.of) }

func aboutPart(s subject, of part) string {
	if of == ofText {
		return s.about()
	}
	return s.about() + " " + string(of)
}

func (w words) try(f facts) outcome {
	return each(w.find(f), w.not, func(i item) (truth, string) {
		return truthOf(w.test(w.of.text(i))), shown(i, w.of)
	})
}

// shown is an item for people.
func shown(i item, of part) string {
	if i.label != "" && of != ofValue {
		return i.label
	}
	return quoted(of.text(i))
}

func quoted(text string) string { return fmt.Sprintf("%q", oneLine(text, 200)) }

// state is a claim about how an element stands.
type state struct {
	subject
	name string // what is said of it
	is   func(i item) bool
	not  negation
	// absent is the outcome when there is no such element.
	absent truth
}

func (s state) try(f facts) outcome {
	found := s.find(f)
	if found.missing == "" && found.count == 0 {
		return outcome{s.absent, "there is none"}
	}
	return each(found, s.not, func(i item) (truth, string) {
		return truthOf(s.is(i)), stateOf(i)
	})
}

func stateOf(i item) string {
	pick := func(yes bool, a, b string) string {
		if yes {
			return a
		}
		return b
	}
	text := pick(i.Visible, "visible", "hidden") + ", " + pick(i.Enabled, "enabled", "disabled")
	if i.Checked {
		text += ", checked"
	}
	return text
}

// each holds when one item is so, or, denied, when there is one and none is.
func each(found findings, not negation, is func(item) (truth, string)) outcome {
	if found.missing != "" {
		return outcome{unproven, found.missing}
	}
	if found.count == 0 {
		if found.more {
			return outcome{unproven, "none among those that are recorded"}
		}
		return outcome{fails, "there is none"}
	}
	result := fails
	if found.more || found.count > len(found.items) {
		result = unproven
	}
	var seen []string
	for _, i := range found.items {
		t, text := is(i)
		if t == holds {
			return outcome{turned(holds, not), text}
		}
		if t == unproven {
			result = unproven
		}
		if len(seen) < 3 {
			seen = append(seen, text)
		}
	}
	text := strings.Join(seen, ", ")
	if rest := found.count - len(seen); rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return outcome{turned(result, not), text}
}

func turned(t truth, not negation) truth {
	if not == denied {
		return t.not()
	}
	return t
}

// amount is a claim about how many of a subject there are, or about a number that
// each of them has.
type amount struct {
	subject
	of   part
	test comparison
}

func (a amount) about() string { return aboutPart(a.subject, a.of) }

func (a amount) try(f facts) outcome {
	found := a.find(f)
	if a.of != ofCount {
		return each(found, affirmed, func(i item) (truth, string) {
			v := float64(i.status)
			if a.of == ofSize {
				v = float64(i.size)
			}
			return a.test.try([]float64{v}), shown(i, a.of)
		})
	}
	if found.missing != "" {
		return outcome{unproven, found.missing}
	}
	is := a.test.try([]float64{float64(found.count)})
	if found.more { // there may be more: only what more cannot change is certain
		is = a.test.atLeast(float64(found.count))
	}
	return outcome{is, counted(found)}
}

func counted(found findings) string {
	text := "there is none"
	if found.count > 0 {
		text = fmt.Sprintf("there are %d", found.count)
	}
	if found.more {
		text += " among those that are recorded"
	}
	if len(found.items) > 0 && found.items[0].label != "" {
		text += ": " + found.items[0].label
	}
	return text
}
