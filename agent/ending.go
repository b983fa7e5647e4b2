package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fara/captcha"
	"fara/env"
	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

var errDeadline = errors.New("the deadline has passed")

// Ending ends a run. It is the error that leaves the loop.
type Ending struct {
	Status  trajectory.Status
	Reason  string
	Message string
	Answer  string
	// Claim is the model's own verdict.
	Claim string
	// Verified names the verifiers who agreed.
	Verified []string
}

// Error gives the message.
func (e Ending) Error() string { return e.Message }

// checkBudgets ends the run when a budget is used up. It is called before every
// turn of the model.
func (a *Agent) checkBudgets(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if a.step > a.cfg.MaxSteps && !a.final {
		return a.outOfSteps()
	}
	if used := a.usage.PromptTokens + a.usage.CompletionTokens; a.cfg.MaxTokens > 0 && used >= a.cfg.MaxTokens {
		return Ending{
			Status: trajectory.BudgetExhausted, Reason: "max_tokens",
			Message: fmt.Sprintf("%d tokens are used of %d; --max-tokens allows more", used, a.cfg.MaxTokens),
		}
	}
	if a.cfg.MaxCalls > 0 && a.usage.Calls >= a.cfg.MaxCalls {
		return Ending{
			Status: trajectory.BudgetExhausted, Reason: "max_calls",
			Message: fmt.Sprintf("the model was asked %d times; --max-calls allows more", a.usage.Calls),
		}
	}
	return nil
}

// outOfSteps ends a run whose steps are used up.
func (a *Agent) outOfSteps() Ending {
	return Ending{
		Status: trajectory.BudgetExhausted, Reason: "max_steps",
		Message: fmt.Sprintf("the task was not finished in %d steps; --max-steps allows more", a.cfg.MaxSteps),
	}
}

// codeFinal is what the model is asked for its last word under, and claimForced what
// its answer then claims.
const (
	codeFinal   = "final_answer"
	claimForced = "forced"
)

// lastWord asks for the answer that the model has when its steps are used up. The run
// ends as out of steps all the same.
func (a *Agent) lastWord(ctx context.Context) error {
	a.final = true
	if err := a.record(trajectory.Warned{Code: codeFinal, Text: "Your steps are used up. Finish now, with the answer as far as you know it; nothing else is done any more."}); err != nil {
		return err
	}
	end := a.outOfSteps()
	proposal, err := a.decide(ctx)
	var given Ending
	switch {
	case errors.As(err, &given) && given.Status != trajectory.BudgetExhausted:
		return end // it had nothing of use to say
	case err != nil:
		return err
	}
	if call := a.cfg.Dialect.Fill(proposal.Call); call.Action == string(env.Terminate) {
		end.Answer, end.Claim = a.answerOf(call, proposal.Thoughts), claimForced
	}
	if err := a.record(trajectory.Acted{Text: "gave its last word"}); err != nil {
		return err
	}
	return end
}

// endingOf says what an error that left the loop means.
func (a *Agent) endingOf(ctx context.Context, err error) Ending {
	var end Ending
	if errors.As(err, &end) {
		return end
	}
	if ctx.Err() != nil {
		if errors.Is(context.Cause(ctx), errDeadline) {
			return Ending{Status: trajectory.BudgetExhausted, Reason: "deadline", Message: fmt.Sprintf("the task was not finished in %v; --deadline allows more", a.cfg.Deadline)}
		}
		return Ending{Status: trajectory.Cancelled, Reason: "interrupted", Message: "the run was interrupted; everything up to here is recorded"}
	}
	for _, c := range []struct {
		is     error
		status trajectory.Status
		reason string
	}{
		{model.ErrContext, trajectory.ContextOverflow, "server"},
		{prompt.ErrOverflow, trajectory.ContextOverflow, "num_ctx"},
		{model.ErrNotFound, trajectory.ModelUnavailable, "model_not_found"},
		{model.ErrUnauthorized, trajectory.ModelUnavailable, "unauthorized"},
		{model.ErrUnreachable, trajectory.ModelUnavailable, "unreachable"},
		{model.ErrBusy, trajectory.ModelUnavailable, "busy"},
		{model.ErrServer, trajectory.ModelUnavailable, "server_error"},
		{model.ErrIncomplete, trajectory.ModelUnavailable, "incomplete_replies"},
		{model.ErrTooManyImages, trajectory.ModelUnavailable, "no_images"},
		{model.ErrPicture, trajectory.ModelUnavailable, "picture"},
		{model.ErrSchema, trajectory.ModelUnavailable, "schema"},
		{model.ErrTools, trajectory.ModelUnavailable, "tools"},
		{model.ErrBadRequest, trajectory.ModelUnavailable, "bad_request"},
		{env.ErrLost, trajectory.BrowserLost, "gone"},
		{captcha.ErrUnsolved, trajectory.Blocked, "captcha"},
	} {
		if errors.Is(err, c.is) {
			return Ending{Status: c.status, Reason: c.reason, Message: err.Error()}
		}
	}
	return Ending{Status: trajectory.Error, Reason: "internal", Message: err.Error()}
}

// finish writes the result.
func (a *Agent) finish(end Ending) (trajectory.Result, error) {
	r := a.result(end)
	a.cfg.Logger.Info("run ended", "status", r.Status, "reason", r.Reason, "steps", r.Steps, "took", r.Timings.Total)
	err := a.run.Finish(a.step, r)
	if err == nil && a.cfg.Progress != nil {
		events := a.run.Events()
		a.cfg.Progress(events[len(events)-1])
	}
	return r, err
}

// result is what an ending comes to.
func (a *Agent) result(end Ending) trajectory.Result {
	now := time.Now()
	a.timings.Ended, a.timings.Total = now.UTC(), a.before+now.Sub(a.session)
	r := trajectory.Result{
		Version: trajectory.Version, Run: a.run.ID(), Dir: a.run.Dir(),
		Status: end.Status, Reason: end.Reason, Message: end.Message,
		Answer: end.Answer, Claim: end.Claim, Verified: append([]string{}, end.Verified...),
		Verdicts: a.verdicts, Effects: effects(a.run.Events()),
		Steps: a.steps(), Usage: a.usage, Timings: a.timings,
	}
	r.Rejections, _ = a.rejections("")
	if a.waits != nil {
		r.Approval, r.Expires = a.waits.Approval, a.waits.Expires
		if r.Approval == nil {
			r.Question = a.waits.Question
		}
	}
	if goesOn(r.Status) {
		r.Resume = howToGoOn(r)
	}
	return r
}

// howToGoOn is the command that takes the run up again.
func howToGoOn(r trajectory.Result) string {
	command := "fara resume " + r.Dir
	switch {
	case r.Status == trajectory.NeedsApproval && r.Reason != "expired":
		return command + " --approval yes"
	case r.Status == trajectory.WaitingForUser && r.Reason != "expired":
		return command + " --answer TEXT"
	case r.Status == trajectory.Blocked && r.Reason == "captcha":
		return command + " --headful"
	case r.Status == trajectory.BudgetExhausted:
		return command + map[string]string{
			"max_steps": " --max-steps N", "max_tokens": " --max-tokens N", "max_calls": " --max-calls N", "deadline": " --deadline TIME",
		}[r.Reason]
	}
	return command
}

// steps counts the model's turns that came to a call, but for a last word.
func (a *Agent) steps() int {
	n, final := 0, false
	for _, e := range a.run.Events() {
		switch {
		case e.Observed != nil:
			final = false
		case e.Warned != nil && e.Warned.Code == codeFinal:
			final = true
		case e.Proposed != nil && e.Proposed.Call != nil && !final:
			n++
		}
	}
	return n
}
