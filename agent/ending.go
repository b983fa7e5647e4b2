package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fara/captcha"
	"fara/dialect"
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
}

// Error gives the message.
func (e Ending) Error() string { return e.Message }

// checkBudgets ends the run when a budget is used up. It is called before every
// turn of the model.
func (a *Agent) checkBudgets(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if a.step > a.cfg.MaxSteps {
		return Ending{
			Status: trajectory.BudgetExhausted, Reason: "max_steps",
			Message: fmt.Sprintf("the task was not finished in %d steps; --max-steps allows more", a.cfg.MaxSteps),
		}
	}
	if used := a.usage.PromptTokens + a.usage.CompletionTokens; a.cfg.MaxTokens > 0 && used >= a.cfg.MaxTokens {
		return Ending{
			Status: trajectory.BudgetExhausted, Reason: "max_tokens",
			Message: fmt.Sprintf("%d tokens are used of %d; --max-tokens allows more", used, a.cfg.MaxTokens),
		}
	}
	return nil
}

// terminate takes the model's word that the task has ended.
func (a *Agent) terminate(call model.Call, thoughts string) error {
	answer, claim := text(call.Answer), text(call.Status)
	if answer == "" && a.cfg.Dialect.Answer == dialect.FromThoughts {
		answer = thoughts
	}
	answer = strings.TrimSpace(answer)
	if claim == "failure" {
		return Ending{Status: trajectory.Failure, Reason: "gave_up", Message: "the model gave the task up", Answer: answer, Claim: claim}
	}
	if answer == "" && a.cfg.Dialect.Answer == dialect.FromArgument {
		return a.failed(env.Fail(env.BadArgument, "terminate needs an answer: say in it what came of the task"))
	}
	return Ending{
		Status: trajectory.Success, Reason: "terminate", Answer: answer, Claim: "success",
		Message: "the model says that the task is done; nobody checked",
	}
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
	a.timings.Ended = time.Now().UTC()
	a.timings.Total = a.timings.Ended.Sub(a.timings.Started)
	r := trajectory.Result{
		Version: trajectory.Version, Run: a.run.ID(), Dir: a.run.Dir(),
		Status: end.Status, Reason: end.Reason, Message: end.Message,
		Answer: end.Answer, Claim: end.Claim, Verified: []string{}, Question: a.asked,
		Steps: a.steps(), Usage: a.usage, Timings: a.timings,
	}
	a.cfg.Logger.Info("run ended", "status", r.Status, "reason", r.Reason, "steps", r.Steps, "took", r.Timings.Total)
	err := a.run.Finish(a.step, r)
	if err == nil && a.cfg.Progress != nil {
		events := a.run.Events()
		a.cfg.Progress(events[len(events)-1])
	}
	return r, err
}

// steps counts the model's turns that came to a call.
func (a *Agent) steps() int {
	n := 0
	for _, e := range a.run.Events() {
		if e.Proposed != nil && e.Proposed.Call != nil {
			n++
		}
	}
	return n
}
