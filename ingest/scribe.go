package ingest

import (
	"errors"
	"fmt"
	"time"

	"fara/dialect"
	"fara/env"
	"fara/imagebudget"
	"fara/model"
	"fara/trajectory"
)

// scribe writes a recording's parts as the events of a run, in the order in which the
// loop would have written them.
type scribe struct {
	rec *recording
	d   dialect.Dialect
	run *trajectory.Writer
	// now is the time of the events that are written.
	now time.Time

	step  int // of the last reply; 0 before the first
	held  []*picture
	view  *trajectory.Observed // the newest that was written
	open  *open                // the action whose end is not written
	calls int
	usage trajectory.Usage
	// last is the newest call, thoughts what was thought with it.
	last     *model.Call
	thoughts string
	asked    string // the question that nobody answered
	verdicts []trajectory.Verdict
	touched  bool
}

// open is an action that was begun, with what came of it as far as it is known.
type open struct {
	call model.Call
	came *outcome
}

// take writes one part, or keeps it until its place is known.
func (s *scribe) take(part any) error {
	switch p := part.(type) {
	case *picture:
		s.held = append(s.held, p)
	case *turn:
		return s.turn(p)
	case *outcome:
		if s.open != nil {
			s.open.came = p
		}
	case *words:
		return s.words(p)
	case trajectory.Verdict:
		s.verdicts = append(s.verdicts, p)
	}
	return nil
}

// turn writes what the model saw, what it said, and what was begun.
func (s *scribe) turn(t *turn) error {
	if err := s.close(true); err != nil {
		return err
	}
	again := s.last == nil && s.step > 0 // the reply before could not be used
	if !again {
		s.step++
	}
	if !again || len(s.held) > 0 {
		if err := s.show(); err != nil {
			return err
		}
	}
	if s.view == nil {
		return fmt.Errorf("step %d has no screenshot", s.step)
	}
	p, differs := speaker{s.d}.propose(t, s.view.Size)
	if differs {
		s.rec.note(fmt.Sprintf("step %d: the recorded action is not what the reply says; the action counts", s.step))
	}
	p.Model = pick(p.Model, s.rec.model)
	s.at(t.when)
	forced := t.ours != nil && t.ours.forced
	if forced {
		if err := s.write(trajectory.Warned{Code: "final_answer", Text: "the steps were used up"}); err != nil {
			return err
		}
	}
	if err := s.write(p); err != nil {
		return err
	}
	s.usage.Calls++
	s.usage.Usage = s.usage.Usage.Add(p.Usage)
	s.last, s.thoughts = p.Call, p.Thoughts
	if p.Call == nil {
		s.usage.BadReplies++
		return nil
	}
	if !forced {
		s.calls++
	}
	if err := s.begin(*p.Call, t.ours); err != nil {
		return err
	}
	return s.more(t.more)
}

// more writes the further actions that a reply had and that were done too.
func (s *scribe) more(deeds []deed) error {
	for _, d := range deeds {
		call, err := speaker{s.d}.read(d, s.view.Size)
		if err != nil {
			s.rec.note(fmt.Sprintf("step %d: a further action of the same reply cannot be read: %v", s.step, err))
			continue
		}
		s.rec.note(fmt.Sprintf("step %d: the reply had several actions, and they were all done", s.step))
		if err := s.close(true); err != nil {
			return err
		}
		s.last = &call
		if err := s.begin(call, nil); err != nil {
			return err
		}
	}
	return nil
}

// begin writes the intent of a call: as it was done, where that is known.
func (s *scribe) begin(call model.Call, ours *kept) error {
	s.open = &open{call: call}
	if ours != nil && ours.refused != nil {
		s.open = nil
		return s.write(*ours.refused)
	}
	switch env.Kind(call.Action) {
	case env.Terminate, env.ReadPage:
		return nil
	case env.AskUser:
		s.asked = text(call.Question)
		return s.write(trajectory.Asked{Question: s.asked})
	case env.Memorize:
		return s.write(trajectory.Fact{Text: text(call.Fact)})
	}
	if ours != nil {
		if ours.performed == nil {
			return nil // it was not done, and the outcome says why
		}
		s.touched = true
		return s.write(trajectory.Acting{Action: *ours.performed})
	}
	return s.intend(call)
}

// intend writes the intent that a call of another program's model comes to.
func (s *scribe) intend(call model.Call) error {
	geo, filled := s.geometry(), s.d.Fill(call)
	action, err := inBrowser(filled, geo)
	var fail *env.ActionError
	switch {
	case errors.As(err, &fail):
		s.rec.note(fmt.Sprintf("step %d: %s", s.step, fail.Text))
		s.open = nil
		return s.write(trajectory.Acted{Error: &trajectory.Problem{Reason: string(fail.Code), Text: fail.Text}})
	case err != nil:
		return err
	}
	s.touched = action.Kind != env.Wait && action.Kind != env.MouseMove
	return s.write(trajectory.Acting{Action: action, Clamped: geo.Clamps(filled)})
}

func (s *scribe) geometry() imagebudget.Geometry { return s.d.Geometry(s.view.Size, s.view.Viewport) }

// at moves the clock on. It never goes back, and a time that is not known is the one
// before.
func (s *scribe) at(when time.Time) {
	if when.After(s.now) {
		s.now = when
	}
}

func (s *scribe) write(p trajectory.Payload) error {
	_, err := s.run.Append(s.step, p)
	return err
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func pick(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
