package agent

import (
	"cmp"
	"context"
	"errors"
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
		return a.terminate(ctx, call, proposed.Thoughts)
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

// carryOut does an action that may be done.
func (a *Agent) carryOut(ctx context.Context, intent trajectory.Acting) error {
	if held, err := a.pause(ctx); err != nil || held {
		return cmp.Or(err, errNotNow)
	}
	if err := a.permit(ctx, intent); err != nil {
		return err
	}
	intent.Action.Sure = a.sure()
	return a.execute(ctx, intent)
}

// execute lets the environment act: first the intent is written down, then the
// thing is done, then what came of it is.
func (a *Agent) execute(ctx context.Context, intent trajectory.Acting) error {
	action := intent.Action
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
		done.Error = &trajectory.Problem{Reason: reason(fail), Text: fail.Text, Wait: fail.Wait}
	case err != nil:
		done.Error = &trajectory.Problem{Reason: "unknown", Text: err.Error()}
	default:
		a.touched = action.Kind != env.Wait && action.Kind != env.MouseMove
	}
	a.keep(ctx)
	if writeErr := a.record(done); writeErr != nil {
		return writeErr
	}
	return err
}

// keep stores what is needed to go on from here. A run that cannot is none the
// worse for it.
func (a *Agent) keep(ctx context.Context) {
	if a.cfg.Keep == nil || ctx.Err() != nil {
		return
	}
	state, err := a.cfg.Keep(ctx)
	if err == nil {
		err = a.run.Keep(state)
	}
	if err != nil {
		a.cfg.Logger.Warn("the browser's state is not kept", "step", a.step, "err", err)
	}
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
func (a *Agent) refused(d trajectory.Decided) error {
	d.Allowed = false
	if err := a.record(d); err != nil {
		return err
	}
	return env.Fail(env.Refused, "%s", d.Text)
}

func (a *Agent) memorize(fact string) error {
	if err := a.record(trajectory.Fact{Text: fact}); err != nil {
		return err
	}
	return a.record(trajectory.Acted{Text: "memorized the fact"})
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
