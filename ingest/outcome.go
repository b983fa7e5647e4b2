package ingest

import (
	"fara/env"
	"fara/trajectory"
)

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
		done.Text, done.Hit = c.text, c.hit
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
		if w.rejects {
			return s.write(trajectory.Verdict{By: string(w.by), Reason: w.text})
		}
		return s.write(trajectory.Replied{Text: w.text, By: w.by})
	}
	s.open, s.asked = nil, ""
	s.at(w.when)
	if err := s.write(trajectory.Replied{Text: w.text, By: w.by}); err != nil {
		return err
	}
	return s.came(o)
}
