package chrome

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// temporals are the inputs of dates and times, by type: what they are, what goes
// into them, and an example of it.
var temporals = map[string]struct{ field, what, example string }{
	"date":           {"date field", "a date", "2026-03-05"},
	"time":           {"time field", "a time", "14:30"},
	"month":          {"month field", "a month", "2026-03"},
	"week":           {"week field", "a week", "2026-W10"},
	"datetime-local": {"date and time field", "a date and time", "2026-03-05T14:30"},
}

// part is one part of such a field, as the browser shows it: the day, the year.
type part struct {
	name    string // year, month, week, day, hour, minute, second, millisecond, ampm
	max     int    // the largest number in it
	now     int    // the number in it; 0 when it is empty
	worded  bool   // it shows words, not numbers
	stopped bool   // it cannot be changed
}

// fillTime puts a date or time into its field: by keys, part after part in the
// order in which the browser shows them, and when that gave something else, by
// the page's own means.
func (b *instance) fillTime(ctx context.Context, p *page, f field, a env.Action) (env.Outcome, error) {
	kind := temporals[f.Type]
	parts, err := f.parts()
	if err != nil {
		return env.Outcome{}, err
	}
	what := f.named(kind.field)
	want := moment{}
	if strings.TrimSpace(a.Text) != "" {
		var ok bool
		if want, ok = parseMoment(f.Type, a.Text, dayFirst(parts)); !ok {
			return env.Outcome{}, env.Fail(env.NoEffect, "the %s cannot read %q; type %s as %s", what, cut(a.Text, 40), kind.what, kind.example)
		}
	} else if !a.Clear {
		return env.Outcome{Text: "pressed Enter in the " + what}, b.endWith(ctx, p, a)
	}
	before, err := f.state()
	if err != nil {
		return env.Outcome{}, err
	}
	value := want.value(f.Type)
	if before.Value == value && value != "" {
		return env.Outcome{Text: fmt.Sprintf("the %s is %s already", what, value), Tell: true}, b.endWith(ctx, p, a)
	}
	if err := b.dispatch(ctx, p, strokes(parts, want)...); err != nil {
		return env.Outcome{}, err
	}
	s, err := f.state()
	if err != nil {
		return env.Outcome{}, err
	}
	if s.Value != value {
		if err := f.ask(fmt.Sprintf("put(%s)", quoteJS(value)), nil); err != nil {
			return env.Outcome{}, err
		}
		if s, err = f.state(); err != nil {
			return env.Outcome{}, err
		}
	}
	return filled(what, value, s), b.endWith(ctx, p, a)
}

// filled says what a date field holds now.
func filled(what, value string, s state) env.Outcome {
	switch {
	case s.Value != value:
		return env.Outcome{Text: fmt.Sprintf("the %s, %s, did not take %s", what, s.holding(), value), Tell: true}
	case value == "":
		return env.Outcome{Text: "emptied the " + what}
	}
	refusal := s.refusal()
	return env.Outcome{Text: fmt.Sprintf("set the %s to %s%s", what, value, refusal), Tell: refusal != ""}
}

// parts reads the field's parts from the elements the browser shows it with.
func (f field) parts() ([]part, error) {
	node, err := f.node(-1)
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, root := range node.ShadowRoots {
		parts = append(parts, partsIn(root)...)
	}
	return parts, nil
}

func partsIn(n *proto.DOMNode) (parts []part) {
	attributes := map[string]string{}
	for i := 0; i+1 < len(n.Attributes); i += 2 {
		attributes[n.Attributes[i]] = n.Attributes[i+1]
	}
	if name, ok := strings.CutPrefix(attributes["pseudo"], "-webkit-datetime-edit-"); ok {
		if name, ok = strings.CutSuffix(name, "-field"); ok {
			q := part{name: name}
			q.max, _ = strconv.Atoi(attributes["aria-valuemax"])
			q.now, _ = strconv.Atoi(attributes["aria-valuenow"])
			q.worded = len([]rune(attributes["aria-placeholder"])) > 4 || name == "ampm"
			_, q.stopped = attributes["disabled"]
			return []part{q}
		}
	}
	for _, c := range n.Children {
		parts = append(parts, partsIn(c)...)
	}
	return parts
}

// dayFirst reports whether the field shows the day before the month.
func dayFirst(parts []part) bool {
	for _, q := range parts {
		if q.name == "day" || q.name == "month" {
			return q.name == "day"
		}
	}
	return false
}

// strokes are the keys that put a moment into the parts, from the first on. Digits
// as many as a part has room for lead to the next by themselves; fewer need the
// arrow. A zero moment empties the parts.
func strokes(parts []part, want moment) (events []proto.Request) {
	press := func(names ...string) {
		for _, name := range names {
			k := keyNamed(name)
			events = append(events, k.event(down, 0), k.event(up, 0))
		}
	}
	for range parts {
		press("ArrowLeft")
	}
	for i, q := range parts {
		digits, room := want.digits(q), len(strconv.Itoa(q.max))
		switch {
		case q.stopped:
			continue
		case want.empty():
			press("Delete")
		case q.name == "ampm":
			press(halfOfDay(q, want.hour >= 12)...)
		default:
			for _, d := range digits {
				press("Digit" + string(d))
			}
		}
		led := !want.empty() && q.name != "ampm" && !q.worded && len(digits) >= room
		if i < len(parts)-1 && !led {
			press("ArrowRight")
		}
	}
	return events
}

// halfOfDay are the keys that put the half of the day into its part: 1 is the
// morning, 2 the afternoon.
func halfOfDay(q part, afternoon bool) []string {
	switch {
	case afternoon && q.now != 2:
		return []string{"ArrowDown"}
	case !afternoon && q.now != 1:
		return []string{"ArrowUp"}
	}
	return nil
}
