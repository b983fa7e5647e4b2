package agent

import (
	"context"
	"fmt"
	"strings"

	"fara/dialect"
	"fara/env"
	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

// Candidate is an answer that the model wants to finish with.
type Candidate struct {
	Task, Answer string
	// Claim is the model's own verdict, "success".
	Claim string
	// Events are all of the run so far, Load gives the files that they name.
	Events []trajectory.Event
	Load   prompt.Load
}

// Verifier says whether an answer reaches the goal. It does not change the page.
type Verifier interface {
	// Verify returns an error only when it could not look at all, and the cause of
	// ctx when that ends first.
	Verify(ctx context.Context, c Candidate) (trajectory.Verdict, error)
}

// sameAnswers is how often one answer may be rejected until the run ends for it.
const sameAnswers = 3

// terminate takes the model's word that the task has ended as a claim, which the
// verifiers may reject.
func (a *Agent) terminate(ctx context.Context, call model.Call, thoughts string) error {
	answer, claim := a.answerOf(call, thoughts), text(call.Status)
	if claim == "failure" {
		return Ending{Status: trajectory.Failure, Reason: "gave_up", Message: "the model gave the task up", Answer: answer, Claim: claim}
	}
	if answer == "" && a.cfg.Dialect.Answer == dialect.FromArgument {
		return a.failed(env.Fail(env.BadArgument, "terminate needs an answer: say in it what came of the task"))
	}
	return a.verify(ctx, Candidate{Task: a.cfg.Task, Answer: answer, Claim: "success"})
}

// answerOf is the answer that a call to finish gives.
func (a *Agent) answerOf(call model.Call, thoughts string) string {
	answer := text(call.Answer)
	if answer == "" && a.cfg.Dialect.Answer == dialect.FromThoughts {
		answer = thoughts
	}
	return strings.TrimSpace(answer)
}

// verify asks one verifier after the other, until one of them rejects.
func (a *Agent) verify(ctx context.Context, c Candidate) error {
	end := Ending{Status: trajectory.Success, Reason: "terminate", Answer: c.Answer, Claim: c.Claim}
	a.verdicts = nil
	unsure := ""
	for _, v := range a.cfg.Verifiers {
		verdict, err := a.verdict(ctx, v, c)
		if err != nil {
			return err
		}
		switch {
		case verdict.Accepted:
			end.Verified = append(end.Verified, verdict.By)
		case verdict.Unsure:
			unsure = fmt.Sprintf("%s could not tell: %s", verdict.By, verdict.Reason)
		default:
			return a.rejected(verdict)
		}
	}
	end.Message = "the model says that the task is done; nobody checked"
	switch {
	case len(end.Verified) > 0:
		end.Message = "the task is done; checked by " + strings.Join(end.Verified, ", ")
	case unsure != "":
		end.Message = "the model says that the task is done; " + unsure
	}
	return end
}

// verdict is one verifier's word, on record.
func (a *Agent) verdict(ctx context.Context, v Verifier, c Candidate) (trajectory.Verdict, error) {
	c.Events, c.Load = a.run.Events(), a.run.Load
	verdict, err := v.Verify(ctx, c)
	if ctx.Err() != nil {
		return verdict, context.Cause(ctx)
	}
	if err != nil {
		verdict = trajectory.Verdict{By: verdict.By, Unsure: true, Class: "infra_error", Reason: err.Error()}
	}
	verdict.Answer, verdict.Claim = c.Answer, c.Claim
	a.usage.Usage = a.usage.Usage.Add(verdict.Usage)
	if verdict.Request != "" {
		a.usage.Calls++
	}
	a.verdicts = append(a.verdicts, verdict)
	return verdict, a.record(verdict)
}

// rejected lets the model go on with the reason, which it may prove wrong, until
// there were too many.
func (a *Agent) rejected(v trajectory.Verdict) error {
	total, same := a.rejections(v.Answer)
	a.touched = false
	switch {
	case total >= a.cfg.MaxRejections:
		return Ending{
			Status: trajectory.Failure, Reason: "rejected", Answer: v.Answer, Claim: v.Claim,
			Message: fmt.Sprintf("%d answers were rejected, the last one by %s: %s", total, v.By, v.Reason),
		}
	case same >= sameAnswers:
		return Ending{
			Status: trajectory.Stuck, Reason: "same_answer", Answer: v.Answer, Claim: v.Claim,
			Message: fmt.Sprintf("the same answer was rejected %d times, the last time by %s: %s", same, v.By, v.Reason),
		}
	}
	return nil
}

// rejections counts the answers rejected so far, and those that were this one.
func (a *Agent) rejections(answer string) (total, same int) {
	for _, e := range a.run.Events() {
		v := e.Verdict
		if v == nil || v.Accepted || v.Unsure {
			continue
		}
		total++
		if strings.EqualFold(strings.Join(strings.Fields(v.Answer), " "), strings.Join(strings.Fields(answer), " ")) {
			same++
		}
	}
	return total, same
}
