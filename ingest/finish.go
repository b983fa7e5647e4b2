package ingest

import (
	"cmp"
	"context"
	"fmt"

	"fara/dialect"
	"fara/env"
	"fara/trajectory"
)

// asTask is what was asked, with the settings that are known.
func (r *recording) asTask(id string, d dialect.Dialect) trajectory.Task {
	return trajectory.Task{
		Run: id, Task: r.task, URL: env.WithoutUser(r.url), Fara: r.tool, Dialect: d.Name, Model: r.model,
		MaxImages: r.format.images(), Viewport: r.viewport, Created: r.created.UTC(),
		Sample: &trajectory.Sample{Batch: r.batch, Task: r.id, Number: r.sample, Meta: r.meta},
	}
}

// all writes the events up to the last one, which is the result.
func (s *scribe) all(ctx context.Context, task trajectory.Task) (trajectory.Result, error) {
	s.at(s.rec.end.started)
	began := s.now
	if err := s.write(trajectory.Started{
		Task: task.Task, URL: task.URL, Dialect: s.d.Name, System: s.rec.system, MaxImages: task.MaxImages, Speech: s.d.Speech(),
	}); err != nil {
		return trajectory.Result{}, err
	}
	for _, part := range s.rec.parts {
		if ctx.Err() != nil {
			return trajectory.Result{}, context.Cause(ctx)
		}
		if err := s.take(part); err != nil {
			return trajectory.Result{}, err
		}
	}
	if err := s.rest(); err != nil {
		return trajectory.Result{}, err
	}
	s.at(s.rec.end.ended)
	r := s.result(task)
	r.Timings = trajectory.Timings{Started: began.UTC(), Ended: s.now.UTC(), Total: s.now.Sub(began)}
	return r, nil
}

// rest writes what is still kept: the last action's end, the pictures behind it, and
// what was said of the run afterwards.
func (s *scribe) rest() error {
	finished := s.open != nil && s.open.call.Action == string(env.Terminate)
	if err := s.close(false); err != nil {
		return err
	}
	if len(s.held) > 0 && !(finished && s.nothingNew()) {
		if s.last != nil {
			s.step++
		}
		if err := s.show(); err != nil {
			return err
		}
	}
	for i := range s.verdicts {
		s.verdicts[i].Answer, s.verdicts[i].Claim = s.answer()
		if err := s.write(s.verdicts[i]); err != nil {
			return err
		}
	}
	return nil
}

// nothingNew reports whether the kept pictures show what was seen last.
func (s *scribe) nothingNew() bool {
	for _, p := range s.held {
		data, err := p.read()
		if err != nil || s.view == nil || hash(data) != s.view.SHA256 {
			return false
		}
	}
	return true
}

// answer gives the final answer and what the model itself said of the ending.
func (s *scribe) answer() (answer, claim string) {
	if c := s.last; c != nil && c.Action == string(env.Terminate) {
		answer, claim = text(c.Answer), cmp.Or(text(c.Status), "success")
		if answer == "" && s.d.Answer == dialect.FromThoughts {
			answer = s.thoughts
		}
	}
	if given := s.rec.end.answer; given != nil {
		answer = *given
	}
	if given := s.rec.end.claim; given != nil {
		claim = *given
	}
	return answer, claim
}

// result is how the run ended, as far as the source says it.
func (s *scribe) result(task trajectory.Task) trajectory.Result {
	end := s.rec.end
	r := trajectory.Result{
		Run: task.Run, Status: end.status, Reason: end.reason, Message: end.message,
		Verified: append([]string{}, end.verified...), Verdicts: s.verdicts, Steps: s.calls, Usage: s.usage,
	}
	if end.usage != nil {
		r.Usage.Usage = *end.usage
	}
	r.Answer, r.Claim = s.answer()
	if end.claim != nil {
		r.Question = end.question
		return r
	}
	switch {
	case r.Status == trajectory.Success && r.Claim == "failure":
		r.Status, r.Reason, r.Message = trajectory.Failure, "gave_up", "the model gave the task up"
	case r.Status != trajectory.Success && r.Claim == "success" && r.Status != trajectory.Failure:
		s.rec.note(fmt.Sprintf("the model finished, and the source says that the run ended otherwise: %s", r.Message))
	case r.Status == trajectory.WaitingForUser:
		r.Question = s.asked
	}
	return r
}
