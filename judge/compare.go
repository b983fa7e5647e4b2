package judge

import (
	"fmt"
	"math"
)

// comparison holds numbers to a number.
type comparison struct {
	op   string // "is", "is not", "<", "<=", ">" or ">="
	want float64
	room float64
}

// try needs one of the readings for is, none for is not, and all to agree for the
// others.
func (c comparison) try(readings []float64) truth {
	yes := 0
	for _, v := range readings {
		if c.one(v) {
			yes++
		}
	}
	switch {
	case c.op == "is":
		return truthOf(yes > 0)
	case yes == len(readings):
		return holds
	case yes == 0 || c.op == "is not":
		return fails
	}
	return unproven
}

func (c comparison) one(v float64) bool {
	room := math.Max(c.room, 1e-9*math.Max(math.Abs(v), math.Abs(c.want)))
	near := math.Abs(v-c.want) <= room
	switch c.op {
	case "is":
		return near
	case "is not":
		return !near
	case "<":
		return v < c.want
	case "<=":
		return v < c.want || near
	case ">":
		return v > c.want
	}
	return v > c.want || near
}

// atLeast is what can be said when the number is known to be n or more.
func (c comparison) atLeast(n float64) truth {
	switch c.op {
	case ">", ">=":
		if c.one(n) {
			return holds
		}
	case "<", "<=":
		if !c.one(n) {
			return fails
		}
	default:
		if n > c.want+c.room {
			return truthOf(c.op == "is not")
		}
	}
	return unproven
}

// numeric is a claim about a number in a text of a subject.
type numeric struct {
	subject
	of   part
	any  bool // one of the numbers, and not the only one
	unit string
	test comparison
}

func (n numeric) about() string { return aboutPart(n.subject, n.of) + " as a number" }

func (n numeric) try(f facts) outcome {
	return each(n.find(f), affirmed, func(i item) (truth, string) { return n.number(n.of.text(i)) })
}

func (n numeric) number(text string) (truth, string) {
	var counting []number
	for _, found := range numbersIn(text) {
		if n.unit == "" || sameUnit(found.unit, n.unit) {
			counting = append(counting, found)
		}
	}
	switch {
	case len(counting) == 0 && n.unit != "":
		return fails, "no number in that unit in " + quoted(text)
	case len(counting) == 0:
		return fails, "no number in " + quoted(text)
	case len(counting) > 1 && !n.any:
		return fails, fmt.Sprintf("%d numbers in %s, where there should be one", len(counting), quoted(text))
	}
	result := fails
	for _, c := range counting {
		switch n.test.try(c.values) {
		case holds:
			return holds, quoted(text)
		case unproven:
			result = unproven
		}
	}
	if result == unproven {
		return unproven, quoted(text) + " can be read in two ways"
	}
	return result, quoted(text)
}
