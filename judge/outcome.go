package judge

// truth is what can be said of a check.
type truth int

const (
	unproven truth = iota // nothing known decides it
	holds
	fails
)

func truthOf(b bool) truth {
	if b {
		return holds
	}
	return fails
}

func (t truth) not() truth {
	switch t {
	case holds:
		return fails
	case fails:
		return holds
	}
	return unproven
}

// outcome is a check's result, with what was found in one line.
type outcome struct {
	truth truth
	found string
}

// facts are what checks look at.
type facts struct {
	answer   string
	evidence *Evidence
}

// check is something that facts can be held to.
type check interface {
	try(f facts) outcome
	// about says what it is about, without what is wanted of it.
	about() string
}

// negated is a check turned round.
type negated struct{ check }

func (n negated) try(f facts) outcome {
	o := n.check.try(f)
	o.truth = o.truth.not()
	return o
}

// group is several checks as one.
type group struct {
	kind  string // "any of", "all of" or "none of"
	lines []line
}

func (g group) about() string {
	if len(g.lines) == 1 {
		return g.lines[0].about()
	}
	return g.lines[0].about() + " and others"
}

// try of any takes the best outcome, all the worst, none the best turned round. What
// was found is the deciding check's, and each one's where none decides.
func (g group) try(f facts) outcome {
	decides, otherwise := holds, fails
	if g.kind == "all of" {
		decides, otherwise = fails, holds
	}
	out := outcome{truth: otherwise}
	for _, l := range g.lines {
		o := l.try(f)
		if o.truth == decides {
			out = outcome{decides, l.text + ": " + o.found}
			break
		}
		if o.truth == unproven {
			out.truth = unproven
		}
		out.found = joined(out.found, l.text+": "+o.found)
	}
	if g.kind == "none of" {
		out.truth = out.truth.not()
	}
	return out
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
