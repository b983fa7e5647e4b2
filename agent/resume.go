package agent

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"fara/env"
	"fara/trajectory"
)

// ErrOver is returned by Run for a run that has nothing left to go on with.
var ErrOver = errors.New("the run is over")

// What the model is told when a run goes on after its program had ended.
const (
	restartText   = "The program was interrupted and goes on; the page was loaded again, so a part of what was typed and not sent may be gone."
	unbegunText   = restartText + " Your last action was not done."
	uncertainText = restartText + " It is not known whether your last action was done. Look whether it was before you do it again."
)

// remains is what a run that stopped was in the middle of.
type remains struct {
	// proposed is a call that nothing came of yet; nil when there is none.
	proposed *trajectory.Proposed
	// acting is an action of which nobody knows whether it was done.
	acting *trajectory.Acting
	// asked is a question that was not answered.
	asked *trajectory.Asked
	// ended: the run had come to an ending.
	ended *trajectory.Result
}

// left finds it: every event but the last few has been dealt with by one behind it.
func left(events []trajectory.Event) remains {
	var r remains
	for _, e := range events {
		switch e.Kind {
		case trajectory.KindObserved:
			r = remains{}
		case trajectory.KindResumed:
			// What waited waits on. All else the model has been told of.
			if r.ended = nil; e.Resumed.Why != "restart" || !r.waits() {
				r = remains{}
			}
		case trajectory.KindProposed:
			r = remains{}
			if e.Proposed.Call != nil && e.Proposed.Truncated == "" {
				r.proposed = e.Proposed
			}
		case trajectory.KindDecided:
			if !e.Decided.Allowed {
				r = remains{}
			}
		case trajectory.KindActing:
			r.acting, r.proposed = e.Acting, nil
		case trajectory.KindActed, trajectory.KindFact:
			r = remains{}
		case trajectory.KindVerdict:
			if !e.Verdict.Accepted && !e.Verdict.Unsure {
				r = remains{}
			}
		case trajectory.KindAsked:
			r.asked = e.Asked
		case trajectory.KindReplied:
			switch e.Replied.Choice {
			case trajectory.Expired:
			case "": // words, which the model asked for
				r = remains{}
			default:
				r.asked = nil
			}
		case trajectory.KindEnded:
			r.ended = e.Ended
		}
	}
	return r
}

// waits reports whether there is something to finish that is not the model's to
// decide anew: a question, an approval, an answer to verify.
func (r remains) waits() bool {
	return r.asked != nil || r.proposed != nil && r.proposed.Call.Action == string(env.Terminate)
}

// Over says why a run cannot go on: it reached its goal, or the model gave it up.
// It returns nil when there is something left to do.
func Over(events []trajectory.Event) error {
	if len(events) == 0 || events[0].Started == nil {
		return errors.New("the run has not even begun; start it anew with fara run")
	}
	ended := left(events).ended
	if ended != nil && !goesOn(ended.Status) {
		return ErrOver
	}
	return nil
}

// Waiting is the question or approval that a run waits with; nil when there is
// none.
func Waiting(events []trajectory.Event) *trajectory.Asked { return left(events).asked }

// goesOn reports whether a run that ended so can be taken up again.
func goesOn(s trajectory.Status) bool {
	return s != trajectory.Success && s != trajectory.Failure
}

// takeUp goes on with what the run's events say, and nothing else.
func (a *Agent) takeUp(ctx context.Context) error {
	events := a.run.Events()
	if _, err := a.learnActions(); err != nil {
		return err
	}
	was := left(events)
	resumed := trajectory.Resumed{Why: "restart", Text: restartText}
	switch {
	case !seenAny(events): // the model was not there yet
		resumed.Text = ""
	case was.acting != nil:
		resumed.Uncertain, resumed.Text = &was.acting.Action, uncertainText
	case was.proposed != nil && !was.waits():
		resumed.Text = unbegunText
	}
	if err := a.record(resumed); err != nil {
		return err
	}
	if err := a.speakAgain(events); err != nil {
		return err
	}
	if err := a.reopen(ctx, events); err != nil {
		return err
	}
	return a.count(a.finishStep(ctx, was))
}

func seenAny(events []trajectory.Event) bool {
	return slices.ContainsFunc(events, func(e trajectory.Event) bool { return e.Observed != nil })
}

// reopen goes to where the run was when the environment could not be put there:
// it shows nothing, and the run had seen something. That is no action of the run's,
// and asks for the page once more and nothing else.
func (a *Agent) reopen(ctx context.Context, events []trajectory.Event) error {
	where := a.cfg.URL
	for _, e := range events {
		if e.Observed != nil {
			where = e.Observed.URL
		}
	}
	if err := a.glimpse(ctx); err != nil {
		return err
	}
	if !isWeb(where) || isWeb(a.view.taken.URL) || a.cfg.Policy.Visit(where) != nil {
		return nil
	}
	began := time.Now()
	_, err := a.page.Perform(ctx, env.Action{Kind: env.VisitURL, URL: where})
	a.timings.Browser += time.Since(began)
	var fail *env.ActionError
	switch {
	case errors.As(err, &fail):
		return a.record(trajectory.Recovered{Text: "the page could not be opened again: " + fail.Text})
	case err != nil:
		return err
	}
	return a.record(trajectory.Recovered{Text: "the page was opened again"})
}

// isWeb reports whether an address is of a page that can be asked for again.
func isWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// finishStep does what was waiting when the run stopped: a question still waits,
// an answer is verified once more, an action that waits for approval is that very
// action. Everything else the model decides anew.
func (a *Agent) finishStep(ctx context.Context, was remains) error {
	switch {
	case was.asked != nil && was.asked.Approval != nil && late(was.asked):
		return a.refused(trajectory.Decided{Code: codeExpired, Text: "nobody allowed it in time: " + was.asked.Question, Classes: was.asked.Approval.Classes, Hit: was.asked.Approval.Hit, By: trajectory.Nobody})
	case was.asked != nil && was.asked.Approval != nil:
		return a.approved(ctx, *was.asked)
	case was.asked != nil && was.asked.Captcha != "":
		return nil // the page says whether it is still there
	case was.asked != nil:
		question := *was.asked
		if late(&question) {
			question.Expires = a.expiry() // words that come late do no harm
		}
		return a.hear(ctx, question)
	case was.proposed != nil && was.proposed.Call.Action == string(env.Terminate):
		return a.terminate(ctx, a.cfg.Dialect.Fill(*was.proposed.Call), was.proposed.Thoughts)
	}
	return nil
}

// approved asks once more about an action that was frozen, and does it.
func (a *Agent) approved(ctx context.Context, asked trajectory.Asked) error {
	if err := a.decideOn(ctx, asked); err != nil {
		return err
	}
	intent := trajectory.Acting{Action: asked.Approval.Action, Clamped: asked.Approval.Clamped}
	intent.Action.Sure = true
	return a.execute(ctx, intent)
}

// glimpse looks at the page without writing it down, so that an action can be
// held to what is there. What it was told meanwhile the next observation tells.
func (a *Agent) glimpse(ctx context.Context) error {
	obs, err := a.look(ctx)
	if err != nil {
		return err
	}
	a.view, a.untold = view{taken: obs}, append(a.untold, obs.Notes...)
	return nil
}
