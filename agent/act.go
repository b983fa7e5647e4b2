package agent

import (
	"context"
	"errors"
	"strings"
	"time"

	"fara/env"
	"fara/parse"
	"fara/policy"
	"fara/trajectory"
)

// act does what was proposed. It returns nil when the run goes on, an
// *env.ActionError when the action failed, and an Ending at the end.
func (a *Agent) act(ctx context.Context, proposed parse.Result) error {
	call := a.cfg.Dialect.Fill(proposed.Call)
	switch env.Kind(call.Action) {
	case env.Terminate:
		return a.terminate(call, proposed.Thoughts)
	case env.AskUser:
		return a.askUser(ctx, text(call.Question))
	case env.Memorize:
		return a.memorize(text(call.Fact))
	case env.ReadPage:
		return a.readPage(ctx, text(call.Question))
	case env.WebSearch:
		return a.search(ctx, text(call.Query))
	case env.VisitURL:
		return a.visit(ctx, text(call.URL))
	}
	action, err := a.view.geo.ToViewport(call)
	if err != nil {
		return a.failed(err)
	}
	return a.carryOut(ctx, trajectory.Acting{Action: action, Clamped: a.view.geo.Clamps(call)})
}

// perform carries out an action that no model's numbers are in.
func (a *Agent) perform(ctx context.Context, action env.Action) error {
	return a.carryOut(ctx, trajectory.Acting{Action: action})
}

// carryOut lets the environment act: first the intent is written down, then the
// thing is done, then what came of it is.
func (a *Agent) carryOut(ctx context.Context, intent trajectory.Acting) error {
	action := intent.Action
	if action.Kind == env.VisitURL {
		if refusal := a.cfg.Policy.Visit(action.URL); refusal != nil {
			return a.refused(refusal.Code, refusal.Error())
		}
	}
	if err := a.record(trajectory.Decided{Allowed: true, Code: "default"}); err != nil {
		return err
	}
	intent.Action.URL = env.WithoutUser(action.URL)
	if err := a.record(intent); err != nil {
		return err
	}
	began := time.Now()
	outcome, err := a.page.Perform(ctx, action)
	took := time.Since(began)
	a.timings.Browser += took
	a.cfg.Logger.Info("acted", "step", a.step, "action", action.Kind, "took", took, "err", err)
	done := trajectory.Acted{Text: outcome.Text, Tell: outcome.Tell, Hit: outcome.Hit, Took: took}
	var fail *env.ActionError
	switch {
	case errors.As(err, &fail):
		done.Error = &trajectory.Problem{Reason: reason(fail), Text: fail.Text}
	case err != nil:
		done.Error = &trajectory.Problem{Reason: "unknown", Text: err.Error()}
	default:
		a.touched = action.Kind != env.Wait && action.Kind != env.MouseMove
	}
	if writeErr := a.record(done); writeErr != nil {
		return writeErr
	}
	return err
}

// failed writes down an action that could not even be begun.
func (a *Agent) failed(err error) error {
	var fail *env.ActionError
	if !errors.As(err, &fail) {
		return err
	}
	if writeErr := a.record(trajectory.Acted{Error: &trajectory.Problem{Reason: string(fail.Code), Text: fail.Text}}); writeErr != nil {
		return writeErr
	}
	return fail
}

// refused writes down an action that is not allowed. It counts as a failed one.
func (a *Agent) refused(code, why string) error {
	if err := a.record(trajectory.Decided{Code: code, Text: why}); err != nil {
		return err
	}
	return env.Fail(env.Refused, "%s", why)
}

func (a *Agent) memorize(fact string) error {
	if err := a.record(trajectory.Fact{Text: fact}); err != nil {
		return err
	}
	return a.record(trajectory.Acted{Text: "memorized the fact"})
}

// askUser puts the model's question to whoever answers.
func (a *Agent) askUser(ctx context.Context, question string) error {
	if err := a.record(trajectory.Asked{Question: question}); err != nil {
		return err
	}
	reply := trajectory.Replied{Text: a.cfg.AutoReply, By: trajectory.Auto}
	if a.cfg.AutoReply == "" {
		if a.user == nil {
			a.asked = question
			return Ending{Status: trajectory.WaitingForUser, Reason: "question", Message: "the model asks: " + question}
		}
		words, err := a.user.Ask(ctx, question)
		if err != nil {
			return err
		}
		reply = trajectory.Replied{Text: strings.TrimSpace(words), By: trajectory.Person}
	}
	if reply.Text == "" {
		return Ending{Status: trajectory.Cancelled, Reason: "abandoned", Message: "the question was left without an answer, which gives the task up"}
	}
	if err := a.record(reply); err != nil {
		return err
	}
	return a.record(trajectory.Acted{Text: "asked the user"})
}

// reason is the stable code of a failed action: the rule's own when the browser
// held to the run's policy, as it would be before the action.
func reason(fail *env.ActionError) string {
	var refusal *policy.Refusal
	if errors.As(fail, &refusal) {
		return refusal.Code
	}
	return string(fail.Code)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
