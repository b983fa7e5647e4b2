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

// decide asks the model, as long as the budgets allow it, until a reply has a call that can be used. What the
// server cannot take is learned, and the same step is asked again with less. A
// reply without a call is answered with the reason, and too many in a row end
// the run.
func (a *Agent) decide(ctx context.Context) (parse.Result, error) {
	var so lessons
	for {
		if err := a.checkBudgets(ctx); err != nil {
			return parse.Result{}, err
		}
		asked, err := a.compose(&so)
		if err != nil {
			return parse.Result{}, err
		}
		fresh := asked.Fresh(a.last)
		reply, latency, err := a.ask(ctx, asked, a.spoken.replies.Until(a.cfg.Dialect))
		if err != nil {
			if err = a.learn(err, asked, &so); err != nil {
				return parse.Result{}, err
			}
			continue
		}
		p := proposed(reply, latency, asked, fresh)
		if cut := asked.Truncated(reply, fresh); cut.Text != "" {
			if err := a.leave(p, cut, reply, asked, &so); err != nil {
				return parse.Result{}, err
			}
			continue
		}
		result, err := a.read(reply, p)
		var wrong *parse.Error
		if !errors.As(err, &wrong) {
			return result, err
		}
		if err := a.countBad(wrong, reply, asked, &so); err != nil {
			return parse.Result{}, err
		}
	}
}

// compose builds the step's request, with a smaller picture when not even one
// fits.
func (a *Agent) compose(so *lessons) (prompt.Prompt, error) {
	for {
		asked, err := prompt.Build(a.run.Events(), a.cfg.Dialect, a.run.Load)
		if !errors.Is(err, prompt.ErrOverflow) {
			return asked, err
		}
		if so.refusal != nil {
			err = fmt.Errorf("%w; %w", err, so.refusal)
		}
		if err = a.shrink(err); err != nil && so.meaningless() {
			err = a.disbelieve(so)
		}
		if err != nil {
			return asked, err
		}
	}
}

// ask puts one request to the model and counts what it cost.
func (a *Agent) ask(ctx context.Context, asked prompt.Prompt, until model.Until) (model.Reply, time.Duration, error) {
	began := time.Now()
	reply, err := a.chat.Chat(ctx, asked.Request, until)
	took := time.Since(began)
	a.timings.Model += took
	if err != nil {
		return reply, took, err
	}
	a.last = asked
	a.usage.Usage = a.usage.Usage.Add(reply.Usage)
	a.usage.EstimatedTokens += asked.Tokens
	a.usage.Calls++
	if reply.Server != "" {
		if a.usage.Servers == nil {
			a.usage.Servers = map[string]int{}
		}
		a.usage.Servers[reply.Server]++
	}
	return reply, took, nil
}

// proposed is the record of a reply before it was read.
func proposed(reply model.Reply, latency time.Duration, asked prompt.Prompt, fresh int) trajectory.Proposed {
	return trajectory.Proposed{
		Raw: reply.Text, Thinking: reply.Thinking, Calls: reply.Calls, Finish: reply.Finish,
		Model: reply.Model, Server: reply.Server, Usage: reply.Usage, Latency: latency,
		Request: prompt.Hash(asked.Request), Frames: asked.Frames,
		EstimatedTokens: asked.Tokens, FrameTokens: asked.FrameTokens,
		Messages: len(asked.Request.Messages), TextChars: asked.TextChars, FreshTokens: fresh,
	}
}

// read looks for the call in a reply and writes down both. The error is a
// *parse.Error when there is none.
func (a *Agent) read(reply model.Reply, p trajectory.Proposed) (parse.Result, error) {
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

// countBad counts a reply that could not be used and ends the run when there
// were too many. What comes of a context that is full is called so.
func (a *Agent) countBad(wrong *parse.Error, reply model.Reply, asked prompt.Prompt, so *lessons) error {
	a.usage.BadReplies++
	so.crowded = so.crowded || asked.Crowded(reply)
	if so.bad++; so.bad < a.cfg.MaxBadReplies {
		return a.suspect(reply, asked, so)
	}
	if so.crowded {
		return Ending{
			Status: trajectory.ContextOverflow, Reason: "garbled",
			Message: fmt.Sprintf("%d replies in a row could not be used while the context was all but full, the last one: %s; raise --num-ctx and the server's context, or lower --max-images", so.bad, wrong.Text),
		}
	}
	return Ending{
		Status: trajectory.BadReplies, Reason: string(wrong.Reason),
		Message: fmt.Sprintf("%d replies in a row could not be used, the last one: %s; check that --dialect fits the model and that --num-ctx is large enough", so.bad, wrong.Text),
	}
}
