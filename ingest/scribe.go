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
	s.calls++
	if err := s.begin(*p.Call); err != nil {
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
		if err := s.begin(call); err != nil {
			return err
		}
	}
	return nil
}

// show writes the pictures since the last reply. One that shows what the next one
// shows is left out.
func (s *scribe) show() error {
	held := s.held
	s.held = nil
	var seen []trajectory.Observed
	var times []time.Time
	for _, p := range held {
		o, err := s.observe(p)
		if err != nil {
			return fmt.Errorf("screenshot %s: %w", p.name, err)
		}
		if n := len(seen); n > 0 && seen[n-1].SHA256 == o.SHA256 {
			o.URL = pick(o.URL, seen[n-1].URL)
			seen, times = seen[:n-1], times[:n-1]
		}
		seen, times = append(seen, o), append(times, p.at)
	}
	if len(seen) == 0 && s.view != nil {
		s.rec.note(fmt.Sprintf("step %d has no screenshot of its own; the one before stands in its place", s.step))
		seen, times = append(seen, *s.view), append(times, time.Time{})
	}
	for i, o := range seen {
		o.Unchanged = s.touched && s.view != nil && s.view.SHA256 == o.SHA256
		s.touched = false
		s.at(times[i])
		if err := s.write(o); err != nil {
			return err
		}
		s.view = &o
	}
	return nil
}

// observe stores a picture's bytes as they are. Its size as sent is the one that the
// model's server makes of it, for that is what pixels count.
func (s *scribe) observe(p *picture) (trajectory.Observed, error) {
	data, err := p.read()
	if err != nil {
		return trajectory.Observed{}, err
	}
	mime, size, err := look(data)
	if err != nil {
		return trajectory.Observed{}, err
	}
	sent, err := s.d.Grid.Fit(size)
	if err != nil {
		return trajectory.Observed{}, err
	}
	file, hash, err := s.run.Frame(data, mime)
	if err != nil {
		return trajectory.Observed{}, err
	}
	return trajectory.Observed{
		Frame: file, SHA256: hash, MIME: mime, Captured: size, Size: sent,
		Viewport: s.rec.page(size, p.scale), Tokens: s.d.Grid.Tokens(sent), URL: env.WithoutUser(p.url),
	}, nil
}

// page is the size in CSS pixels of what a picture shows.
func (r *recording) page(picture env.Size, scale float64) env.Size {
	switch {
	case r.viewport != env.Size{}:
		return r.viewport
	case scale > 0 && scale != 1:
		return env.Size{W: int(float64(picture.W)/scale + 0.5), H: int(float64(picture.H)/scale + 0.5)}
	}
	return picture
}

// begin writes the intent of a call.
func (s *scribe) begin(call model.Call) error {
	s.open = &open{call: call}
	filled := s.d.Fill(call)
	switch env.Kind(call.Action) {
	case env.Terminate, env.ReadPage:
		return nil
	case env.AskUser:
		s.asked = text(call.Question)
		return s.write(trajectory.Asked{Question: s.asked})
	case env.Memorize:
		return s.write(trajectory.Fact{Text: text(call.Fact)})
	}
	geo := s.geometry()
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

// close writes what came of the open action. goesOn says that something followed it.
func (s *scribe) close(goesOn bool) error {
	o := s.open
	if o == nil {
		return nil
	}
	s.open = nil
	kind := env.Kind(o.call.Action)
	if kind == env.AskUser {
		if !goesOn {
			return nil // it waits
		}
		s.rec.note("an answer to a question of the model was given by the recorder itself and is not on record")
		if err := s.write(trajectory.Replied{By: trajectory.Auto}); err != nil {
			return err
		}
		s.asked = ""
	}
	if kind == env.Terminate && !goesOn {
		return nil // the ending says it
	}
	return s.came(o)
}

// came writes an outcome. What no picture shows is marked to be told.
func (s *scribe) came(o *open) error {
	done := trajectory.Acted{Tell: env.Kind(o.call.Action) == env.ReadPage}
	if c := o.came; c != nil {
		s.at(c.when)
		done.Text = c.text
		if c.fault != "" {
			done.Error = &trajectory.Problem{Reason: "recorded", Text: c.fault}
		}
	}
	return s.write(done)
}

// words writes what a person said: the answer to a question, or what else was asked for.
func (s *scribe) words(w *words) error {
	o := s.open
	if o == nil || env.Kind(o.call.Action) != env.AskUser {
		if err := s.close(true); err != nil {
			return err
		}
		s.at(w.when)
		return s.write(trajectory.Replied{Text: w.text, By: w.by})
	}
	s.open, s.asked = nil, ""
	s.at(w.when)
	if err := s.write(trajectory.Replied{Text: w.text, By: w.by}); err != nil {
		return err
	}
	return s.came(o)
}

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
