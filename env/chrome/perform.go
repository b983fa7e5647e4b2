package chrome

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fara/env"
)

// errActionSlow is the cause of an action that ran into Config.ActionLimit.
var errActionSlow = errors.New("the page did not take the action in time")

// Perform is Browser.Perform.
func (b *instance) Perform(ctx context.Context, a env.Action) (env.Outcome, error) {
	caller := ctx
	ctx, end, err := b.begin(ctx)
	if err != nil {
		return env.Outcome{}, err
	}
	defer end()
	defer b.forget()
	act, err := b.plan(a)
	if err != nil {
		return env.Outcome{}, err
	}
	crashed := b.crashedInFront()
	p, err := b.usable(ctx)
	if err != nil {
		return env.Outcome{}, b.verdict(caller, ctx, nil, a, err)
	}
	if crashed && needsItsPage(a.Kind) {
		return env.Outcome{}, undone(a.Kind)
	}
	b.noteRefusals()
	if gestures(a.Kind) && b.warns(p) {
		return env.Outcome{}, env.Fail(env.Refused, "this is the browser's warning of a certificate that cannot be trusted, which stays; go back or open another page")
	}
	b.begins(a, p)
	begun := b.downloadsBegun()
	out, err := act(ctx, p)
	b.awaitDownloads(ctx, begun)
	b.ends(a.Kind)
	if err == nil {
		err = b.refusedBy(a.Kind)
	}
	if err != nil {
		return env.Outcome{}, b.verdict(caller, ctx, p, a, err)
	}
	b.keepMoved(ctx)
	return out, nil
}

// act is one planned action, ready to be done on a page.
type act func(ctx context.Context, p *page) (env.Outcome, error)

// plan checks an action's arguments and gives what does it.
func (b *instance) plan(a env.Action) (act, error) {
	switch a.Kind {
	case env.Key:
		return b.planKeys(a)
	case env.Type:
		return b.planType(a)
	case env.MouseMove:
		return b.planMove(a)
	case env.LeftClick, env.RightClick, env.DoubleClick, env.TripleClick:
		return b.planClick(a)
	case env.LeftClickDrag:
		return b.planDrag(a)
	case env.Scroll, env.HScroll:
		return b.planScroll(a)
	case env.VisitURL:
		return b.planVisit(a)
	case env.HistoryBack:
		return b.goBack, nil
	case env.Wait:
		return b.planWait(a)
	}
	return nil, env.Fail(env.BadArgument, "%q is not an action of the browser", a.Kind)
}

// settled wraps an action: it looks at the page before, bounds the input itself
// with Config.ActionLimit and waits for rest after it.
func (b *instance) settled(do act) act {
	return func(ctx context.Context, p *page) (env.Outcome, error) {
		s := b.prepare(ctx, p)
		bounded, cancel := context.WithTimeoutCause(ctx, b.cfg.ActionLimit, errActionSlow)
		out, err := do(bounded, p)
		cancel()
		b.inputDone()
		if err != nil && !(errors.Is(err, errClosed) && ctx.Err() == nil) {
			return env.Outcome{}, err
		}
		return out, s.wait(ctx)
	}
}

// verdict turns what went wrong into what a caller acts on.
func (b *instance) verdict(caller, ctx context.Context, p *page, a env.Action, err error) error {
	var action *env.ActionError
	switch {
	case caller.Err() != nil:
		return context.Cause(caller)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, env.ErrLost), errors.As(err, &action):
		return err
	case errors.Is(err, errCrashed) && b.life.Err() != nil:
		return context.Cause(b.life)
	case errors.Is(err, errCrashed):
		return interrupted(a.Kind, err)
	case errors.Is(err, errActionSlow), errors.Is(err, errNoAnswer):
		if p != nil {
			b.unblock(ctx, p)
		}
		return &env.ActionError{Code: env.TimedOut, Text: fmt.Sprintf("%s: the page did not react; wait or open another page", a.Kind), Err: err}
	}
	return &env.ActionError{Code: env.PageFailed, Text: fmt.Sprintf("%s: the page did not take it: %v", a.Kind, err), Err: err}
}

// maxWait bounds what one wait can ask for.
const maxWait = 2 * time.Minute

func (b *instance) planWait(a env.Action) (act, error) {
	if a.For < 0 {
		return nil, env.Fail(env.BadArgument, "wait needs a time that is not negative, not %v", a.For)
	}
	pause := min(a.For, maxWait)
	return func(ctx context.Context, p *page) (env.Outcome, error) {
		if err := b.pause(ctx, pause); err != nil {
			return env.Outcome{}, err
		}
		return env.Outcome{Text: fmt.Sprintf("waited %v", pause)}, b.prepare(ctx, p).wait(ctx)
	}, nil
}
