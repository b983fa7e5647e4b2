package chrome

import (
	"context"
	"errors"
	"fmt"

	"fara/env"
)

// maxRecoveries is how often a browser or its page is brought back, in all the
// life of a Browser.
const maxRecoveries = 2

// errEnded is the cause of what the end of a browser that is started again has
// cut short.
var errEnded = errors.New("the browser ended meanwhile")

// left reports whether one more recovery is allowed.
func (p *past) left() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.recoveries < maxRecoveries
}

// spend takes one, or reports that none is left.
func (p *past) spend() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.recoveries == maxRecoveries {
		return false
	}
	p.recoveries++
	return true
}

// freshness is what happened to the browser just before a call.
type freshness int

const (
	asBefore freshness = iota
	startedAgain
)

// use makes an instance the current one. Its end is the Browser's when no other
// may follow; a Browser that was closed meanwhile takes none.
func (b *Browser) use(i *instance) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.life.Err() != nil {
		return context.Cause(b.life)
	}
	b.current = i
	context.AfterFunc(i.life, func() {
		switch {
		case b.life.Err() != nil:
		case b.replaceable():
			i.cfg.Logger.Warn("the browser ended; it is started again when it is needed", "err", context.Cause(i.life))
		default:
			b.end(context.Cause(i.life))
		}
	})
	return nil
}

func (b *Browser) replaceable() bool { return b.again != nil && b.past.left() }

// do carries out f with a living browser, when its turn comes. It returns
// errEnded when the browser ended meanwhile and will be started again.
func (b *Browser) do(ctx context.Context, f func(context.Context, *instance, freshness) error) error {
	return b.inTurn(ctx, func(ctx context.Context) error {
		i, fresh, err := b.living(ctx)
		if err != nil {
			return err
		}
		return b.weigh(ctx, i, f(ctx, i, fresh))
	})
}

// peek is do for what only looks at things as they are: it does nothing when the
// browser has ended and will be started again.
func (b *Browser) peek(ctx context.Context, f func(context.Context, *instance) error) error {
	err := b.inTurn(ctx, func(ctx context.Context) error {
		i := b.instance()
		if b.behind || i.life.Err() != nil && b.replaceable() {
			return nil
		}
		return b.weigh(ctx, i, f(ctx, i))
	})
	if errors.Is(err, errEnded) {
		return nil
	}
	return err
}

// inTurn calls f when its turn comes.
func (b *Browser) inTurn(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := merge(ctx, b.life)
	defer cancel()
	if b.life.Err() != nil {
		return context.Cause(b.life)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-b.turn:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { b.turn <- struct{}{} }()
	return f(ctx)
}

// repeat is do for what may be done again without harm.
func (b *Browser) repeat(ctx context.Context, f func(context.Context, *instance) error) error {
	for {
		err := b.do(ctx, func(ctx context.Context, i *instance, _ freshness) error { return f(ctx, i) })
		if !errors.Is(err, errEnded) && !errors.Is(err, errCrashed) {
			return err
		}
	}
}

// weigh says what the loss of an instance means: errEnded when another one may
// follow it, else the end of the Browser. Other errors pass.
func (b *Browser) weigh(ctx context.Context, i *instance, err error) error {
	if !errors.Is(err, env.ErrLost) || ctx.Err() != nil {
		return err
	}
	i.end(err) // it may still run and not answer any more
	if b.replaceable() {
		return fmt.Errorf("%w (%v)", errEnded, err)
	}
	b.end(err)
	return err
}

// living gives the browser, started again and brought to where it was when it had
// ended.
func (b *Browser) living(ctx context.Context) (*instance, freshness, error) {
	fresh := asBefore
	for {
		i := b.instance()
		if i.life.Err() != nil {
			if !b.replaceable() {
				b.end(context.Cause(i.life))
				return nil, fresh, context.Cause(i.life)
			}
			if err := b.replace(ctx, i); err != nil {
				return nil, fresh, err
			}
			continue
		}
		if !b.behind {
			return i, fresh, nil
		}
		fresh = startedAgain
		err := b.weigh(ctx, i, i.restore(ctx))
		if err == nil {
			b.behind = false
			return i, fresh, nil
		}
		if !errors.Is(err, errEnded) {
			return nil, fresh, err
		}
	}
}

// replace starts a browser in the place of one that has ended. When that does not
// work, the Browser is lost.
func (b *Browser) replace(ctx context.Context, old *instance) error {
	_ = old.Close()
	next, err := b.again(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err = fmt.Errorf("%w: it ended and could not be started again: %v", env.ErrLost, err)
		b.end(err)
		return err
	}
	if err := b.use(next); err != nil {
		_ = next.Close()
		return err
	}
	b.past.spend()
	next.inherit(old)
	b.behind = true
	return nil
}

// inherit takes over what was to be told, and tells of the end itself.
func (b *instance) inherit(old *instance) {
	old.mu.Lock()
	notes, tabs, lost := old.notes, len(old.pages), old.downloads.running
	old.mu.Unlock()
	text := "the browser ended by itself and was started again; the page was loaded again and what was typed into it is gone"
	if tabs > 1 {
		text += "; the other tabs are closed"
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = notes
	for _, d := range lost {
		b.noteLocked(env.Note{Kind: env.NoteDownload, Text: "a download broke off with the browser and nothing of it was kept; try it again", Quote: d.name})
	}
	b.noteLocked(env.Note{Kind: env.NoteRecovered, Text: text})
}

// needsItsPage reports whether an action is about what a page shows just now,
// such as a half-filled form, which is not there any more once it was loaded again.
func needsItsPage(k env.Kind) bool { return k != env.VisitURL && k != env.Wait }

func undone(k env.Kind) error {
	return &env.ActionError{Code: env.PageFailed,
		Text: fmt.Sprintf("%s was not done: the page had ended before and was loaded again; look at it first", k)}
}

func interrupted(k env.Kind, cause error) error {
	return &env.ActionError{Code: env.PageFailed, Err: cause,
		Text: fmt.Sprintf("the page ended during %s, which may or may not have happened; it is loaded again, so look at it before doing that again", k)}
}
