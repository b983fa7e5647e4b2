package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fara/model"
	"fara/parse"
	"fara/prompt"
	"fara/trajectory"
)

// decide asks the model until a reply has a call that can be used. A reply that
// has none is answered with the reason, and too many in a row end the run.
func (a *Agent) decide(ctx context.Context) (parse.Result, error) {
	var refusal error // why the server would not take the step's last request
	for bad := 0; ; {
		asked, err := prompt.Build(a.run.Events(), a.cfg.Dialect, a.run.Load)
		if err != nil {
			return parse.Result{}, errors.Join(err, refusal)
		}
		reply, latency, err := a.ask(ctx, asked.Request, a.cfg.Dialect.Complete)
		if err != nil {
			refusal = err
			if err = a.adapt(err, asked); err != nil {
				return parse.Result{}, err
			}
			continue
		}
		result, err := a.read(reply, latency, asked)
		var wrong *parse.Error
		if !errors.As(err, &wrong) {
			return result, err
		}
		a.usage.BadReplies++
		if bad++; bad >= a.cfg.MaxBadReplies {
			return parse.Result{}, Ending{
				Status: trajectory.BadReplies, Reason: string(wrong.Reason),
				Message: fmt.Sprintf("%d replies in a row could not be used, the last one: %s; check that --dialect fits the model and that --num-ctx is large enough", bad, wrong.Text),
			}
		}
	}
}

// ask puts one request to the model and counts what it cost.
func (a *Agent) ask(ctx context.Context, req model.Request, until model.Until) (model.Reply, time.Duration, error) {
	began := time.Now()
	reply, err := a.chat.Chat(ctx, req, until)
	took := time.Since(began)
	a.timings.Model += took
	if err != nil {
		return reply, took, err
	}
	a.usage.Usage = a.usage.Usage.Add(reply.Usage)
	a.usage.Calls++
	return reply, took, nil
}

// read looks for the call in a reply and writes down both. The error is a
// *parse.Error when there is none.
func (a *Agent) read(reply model.Reply, latency time.Duration, asked prompt.Prompt) (parse.Result, error) {
	p := trajectory.Proposed{
		Raw: reply.Text, Thinking: reply.Thinking, Finish: reply.Finish,
		Model: reply.Model, Usage: reply.Usage, Latency: latency,
		Request: prompt.Hash(asked.Request), Frames: asked.Frames, EstimatedTokens: asked.Tokens,
	}
	result, err := a.cfg.Dialect.Parse(reply, a.allowed)
	var wrong *parse.Error
	switch {
	case errors.As(err, &wrong):
		p.Problem = &trajectory.Problem{Reason: string(wrong.Reason), Text: wrong.Text}
	case err != nil:
		return result, err
	default:
		p.Thoughts, p.Call, p.Ignored = result.Thoughts, &result.Call, result.Ignored
		for _, r := range result.Repairs {
			p.Repairs = append(p.Repairs, string(r))
		}
	}
	if writeErr := a.record(p); writeErr != nil {
		return result, writeErr
	}
	return result, err
}

// adapt learns a limit from a server's refusal, so that the same step can be
// asked again with less. Any other error comes back.
func (a *Agent) adapt(err error, asked prompt.Prompt) error {
	learned := trajectory.Adapted{Why: err.Error()}
	switch {
	case errors.Is(err, model.ErrContext):
		// Our count of tokens is an estimate, so what was refused is the measure.
		// Each refusal asks for a tenth less, until nothing is left that can go.
		learned.NumCtx = asked.Tokens*9/10 + a.cfg.ReplyTokens
	case errors.Is(err, model.ErrTooManyImages) && len(asked.Frames) > 1:
		learned.MaxImages = len(asked.Frames) - 1
		var refusal *model.Error
		if errors.As(err, &refusal) && refusal.MaxImages > 0 {
			learned.MaxImages = min(learned.MaxImages, refusal.MaxImages)
		}
	default:
		return err
	}
	a.cfg.Logger.Warn("the server takes less than was sent", "step", a.step, "frames", learned.MaxImages, "num_ctx", learned.NumCtx, "err", err)
	return a.record(learned)
}
