package ingest

import (
	"cmp"
	"math"
	"reflect"
	"strings"

	"fara/dialect"
	"fara/env"
	"fara/imagebudget"
	"fara/model"
	"fara/parse"
	"fara/trajectory"
)

// speaker reads replies and recorded actions in one dialect.
type speaker struct{ d dialect.Dialect }

// propose turns a recorded turn into what a run holds of it. size is the picture's
// that the model saw, in its own pixels. differs says that the recorder did something
// else than the reply says.
func (s speaker) propose(t *turn, size env.Size) (p trajectory.Proposed, differs bool) {
	p = trajectory.Proposed{
		Raw: t.raw, Thinking: t.thinking, Finish: t.finish, Thoughts: t.thoughts,
		Model: t.model, Usage: t.usage, Latency: t.took,
	}
	if t.unused != "" {
		p.Problem = &trajectory.Problem{Reason: t.unused, Text: "the reply was not followed"}
		if t.unused == "truncated" {
			p.Problem, p.Truncated = nil, "recorded"
		}
		return p, false
	}
	t.thinking, p.Thinking = s.apart(t), s.apart(t)
	var problem *trajectory.Problem
	if t.raw != "" || t.thinking != "" {
		found, err := s.d.Parse(model.Reply{Text: t.raw, Thinking: t.thinking, Finish: t.finish}, nil)
		p.Thoughts = found.Thoughts
		if err == nil {
			p.Call, p.Ignored, p.Repairs = &found.Call, found.Ignored, names(found.Repairs)
		} else {
			problem = problemOf(err)
		}
	}
	if t.did == nil {
		p.Problem = problem
		return p, false
	}
	done, err := s.read(*t.did, size)
	switch {
	case err == nil && p.Call == nil:
		p.Call = &done
		return p, problem != nil
	case err == nil && !same(*p.Call, done):
		p.Call = &done
		return p, true
	case p.Call == nil:
		p.Problem = cmp.Or(problem, problemOf(err))
	}
	return p, false
}

// apart is the thinking that was filed apart; empty when it only repeats the thoughts in
// the reply, as some recorders write them.
func (s speaker) apart(t *turn) string {
	if t.raw == "" || t.thinking == "" {
		return t.thinking
	}
	found, _ := s.d.Parse(model.Reply{Text: t.raw, Finish: t.finish}, nil)
	if found.Thoughts == strings.TrimSpace(t.thinking) {
		return ""
	}
	return t.thinking
}

// read gives the call that a recorder wrote down, read with the same care as a model's.
func (s speaker) read(did deed, size env.Size) (model.Call, error) {
	var found parse.Result
	var err error
	if did.form == parse.Text {
		found, err = parse.Reply(did.text, parse.Schema{Form: parse.Text})
	} else {
		found, err = parse.Native([]model.ToolCall{{Name: "computer_use", Arguments: did.text}}, "", "", parse.Schema{})
	}
	if err != nil {
		return model.Call{}, err
	}
	s.place(&found.Call, did.at, did.from, size)
	return found.Call, nil
}

// place puts points that are known as shares of the picture's sides into the model's
// own space.
func (s speaker) place(call *model.Call, at, from *model.Point, size env.Size) {
	if at != nil {
		call.Coordinate = s.point(*at, size)
	}
	if from != nil {
		call.Start = s.point(*from, size)
	}
}

func (s speaker) point(share model.Point, size env.Size) *model.Point {
	w, h := 1.0, 1.0
	switch s.d.Space {
	case imagebudget.Thousandths:
		w, h = 1000, 1000
	case imagebudget.Pixels:
		w, h = float64(size.W), float64(size.H)
	}
	return &model.Point{X: share.X * w, Y: share.Y * h}
}

// same reports whether two calls mean the same: one may leave out what the other says,
// and points may differ by what rounding does.
func same(a, b model.Call) bool {
	if !near(a.Coordinate, b.Coordinate) || a.Start != nil && b.Start != nil && !near(a.Start, b.Start) {
		return false
	}
	a.Coordinate, b.Coordinate, a.Start, b.Start = nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}

func near(a, b *model.Point) bool {
	if a == nil || b == nil {
		return a == b
	}
	return math.Abs(a.X-b.X) < 1 && math.Abs(a.Y-b.Y) < 1
}

func names(repairs []parse.Repair) []string {
	var out []string
	for _, r := range repairs {
		out = append(out, string(r))
	}
	return out
}

func problemOf(err error) *trajectory.Problem {
	if e, ok := err.(*parse.Error); ok {
		return &trajectory.Problem{Reason: string(e.Reason), Text: e.Text}
	}
	return &trajectory.Problem{Reason: "unknown", Text: err.Error()}
}
