package export

import (
	"encoding/json"
	"slices"

	"fara/trajectory"
)

// Standing says what a run shows of its replies.
type Standing int

// What it can.
const (
	Nothing Standing = iota
	Good
	Poor
)

// standing is Good for a success that nobody rejected, and that somebody checked where
// that is asked for. It is Poor for runs that ended for what their model did, and
// Nothing for those that ended for anything else.
func (o Origin) standing(checked bool) Standing {
	success := o.Status == string(trajectory.Success)
	switch {
	case success && o.Verdict == "rejected":
		return Poor
	case success && checked && len(o.Verified) == 0 && o.Verdict != "accepted":
		return Nothing
	case success:
		return Good
	}
	own := []trajectory.Status{trajectory.Failure, trajectory.BudgetExhausted, trajectory.Stuck, trajectory.BadReplies}
	if slices.Contains(own, trajectory.Status(o.Status)) {
		return Poor
	}
	return Nothing
}

// candidate is a reply that may be one of a pair.
type candidate struct {
	row  *Row
	call string
}

// pairs makes rows of what runs of one task replied to the same: a reply of a Good run
// before one of a Poor run that calls something else. What a Good run did in the same
// place is never the worse one.
func pairs(c *Config, u unit, take func(*Row) error, refuse func(Refusal)) error {
	var m match
	for _, e := range u {
		standing := e.origin.standing(c.Checked)
		if standing == Nothing {
			continue
		}
		s, err := Open(e.dir)
		if err != nil {
			return err
		}
		if err := m.add(c, s, standing, refuse); err != nil {
			return err
		}
	}
	return m.pairs(take)
}

// match holds replies by what they answered, one for each call.
type match struct {
	order      []string // the contexts
	good, poor map[string][]candidate
}

func (m *match) add(c *Config, s *Source, standing Standing, refuse func(Refusal)) error {
	if m.good == nil {
		m.good, m.poor = map[string][]candidate{}, map[string][]candidate{}
	}
	into := m.good
	if standing == Poor {
		into = m.poor
	}
	o := s.Origin()
	return s.Replies(c.Unsent, func(x Exchange) error {
		a := x.Reply.Answer
		if x.Reply.Train = c.Trained[x.Reply.By]; !x.Reply.Train || a.Canonical == nil {
			c.leave(x.Reply.By)
			return nil
		}
		call, err := json.Marshal(a.Canonical)
		if err != nil {
			return err
		}
		if len(m.good[a.Context])+len(m.poor[a.Context]) == 0 {
			m.order = append(m.order, a.Context)
		}
		if !called(into[a.Context], string(call)) {
			into[a.Context] = append(into[a.Context], candidate{s.row(x, o), string(call)})
		}
		return nil
	}, refuse)
}

// called reports whether one of the candidates makes a call.
func called(all []candidate, call string) bool {
	return slices.ContainsFunc(all, func(k candidate) bool { return k.call == call })
}

func (m *match) pairs(take func(*Row) error) error {
	for _, context := range m.order {
		for _, p := range m.poor[context] {
			if called(m.good[context], p.call) {
				continue
			}
			for _, g := range m.good[context] {
				if err := take(pairOf(g.row, p.row)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func pairOf(good, poor *Row) *Row {
	r := *good
	r.ID = good.ID + "-over-" + poor.ID
	worse := *poor.Last()
	worse.Train = false
	r.Rejected, r.RejectedFrom = &worse, poor.Run
	return &r
}

// labelled makes rows for KTO: replies of Good runs are wanted, those of Poor runs and
// all that could not be used are not.
func (s *Source) labelled(c *Config, take func(*Row) error, refuse func(Refusal)) error {
	o := s.Origin()
	standing := o.standing(c.Checked)
	if standing == Nothing {
		return nil
	}
	return s.Replies(c.Unsent, func(x Exchange) error {
		if !c.Trained[x.Reply.By] && x.Reply.By != Bad || x.Reply.Answer.Problem == Truncated {
			c.leave(x.Reply.By)
			return nil
		}
		x.Reply.Train = true
		row := s.row(x, o)
		wanted := standing == Good && x.Reply.By != Bad
		row.Label = &wanted
		return take(row)
	}, refuse)
}
