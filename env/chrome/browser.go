package chrome

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"fara/env"
)

// Browser is a browser with one tab in front. Its methods may be called
// from several goroutines and are carried out one at a time.
//
// One that was launched is started again when its process ends, and a page is
// loaded again when its process does, maxRecoveries times in all; then, and at
// once when it was attached, env.ErrLost ends it.
type Browser struct {
	again func(context.Context) (*instance, error) // nil: it is not ours to start
	home  *profile                                 // nil: it is not ours
	past  *past

	life   context.Context // ends with Close or when the browser is lost for good
	end    context.CancelCauseFunc
	turn   chan struct{} // holds one token: whoever has it works with the browser
	closer sync.Once
	closed error

	behind bool // current has yet to be brought to where the one before it was; belongs to the turn

	mu      sync.Mutex
	current *instance
}

// newBrowser gives an instance its lasting face.
func newBrowser(i *instance, home *profile, again func(context.Context) (*instance, error)) *Browser {
	b := &Browser{past: i.past, home: home, again: again, turn: make(chan struct{}, 1)}
	b.turn <- struct{}{}
	b.life, b.end = context.WithCancelCause(context.Background())
	_ = b.use(i) // it refuses only what comes after Close
	return b
}

// Observe shows the tab in front: one picture of Viewport×Scale pixels, where it
// is, the tabs, and the notes since the last observation, each given once. A page
// that has crashed is loaded again first, and a browser that has ended is started
// again. It returns env.ErrLost when the browser is gone for good and the cause
// of ctx when that ends.
func (b *Browser) Observe(ctx context.Context) (obs env.Observation, err error) {
	err = b.repeat(ctx, func(ctx context.Context, i *instance) (err error) {
		obs, err = i.Observe(ctx)
		return err
	})
	return obs, err
}

// Perform does one action with trusted input and waits until the page has come
// to rest. It returns an *env.ActionError for what the page or the argument did
// wrong, env.ErrLost when the browser is gone for good, and the cause of ctx when
// that ends first. When the page or the browser ends meanwhile, the error's code
// is env.PageFailed and nobody knows whether the action happened. Buttons and
// keys that were pressed are released in every case.
func (b *Browser) Perform(ctx context.Context, a env.Action) (out env.Outcome, err error) {
	err = b.do(ctx, func(ctx context.Context, i *instance, fresh freshness) (err error) {
		if fresh == startedAgain && needsItsPage(a.Kind) {
			return undone(a.Kind)
		}
		out, err = i.Perform(ctx, a)
		return err
	})
	if errors.Is(err, errEnded) {
		err = interrupted(a.Kind, err)
	}
	return out, err
}

// Read gives the tab in front as Markdown: the document, its frames of whatever
// site and its open shadow roots, with the values of forms and without what is
// hidden; of a PDF its text. A very long page is cut and says so at its end.
func (b *Browser) Read(ctx context.Context) (doc env.Document, err error) {
	err = b.repeat(ctx, func(ctx context.Context, i *instance) (err error) {
		doc, err = i.Read(ctx)
		return err
	})
	return doc, err
}

// Aim gives the element that an action is about to reach, the innermost that a
// person would name, in whatever frame or shadow root: at its point, for a drag
// where that begins; for keys and text without a point what has the focus. It is
// nil when there is none. It changes nothing, and a page or browser that has ended
// is not started again for it: then it gives nil, and Perform will not act. When the
// page does not say, the error is an *env.ActionError; others are those of Observe.
func (b *Browser) Aim(ctx context.Context, a env.Action) (el *env.Element, err error) {
	err = b.peek(ctx, func(ctx context.Context, i *instance) (err error) {
		el, err = i.Aim(ctx, a)
		return err
	})
	return el, err
}

// State gives where the browser is, for Config.Resume: the tabs with their
// addresses and how far they are scrolled, the cookies, and what the origins that
// were seen here keep in localStorage and sessionStorage, up to 2 million
// characters each; not what is typed into pages, and no IndexedDB. It is JSON and
// holds whatever the sites keep, logins too. While the browser is being started
// again it gives what it gave last. Its errors are those of Observe.
func (b *Browser) State(ctx context.Context) (state []byte, err error) {
	b.past.mu.Lock()
	state = b.past.saved
	b.past.mu.Unlock()
	err = b.peek(ctx, func(ctx context.Context, i *instance) (err error) {
		state, err = i.State(ctx)
		return err
	})
	return state, err
}

// goOn brings a new browser to a saved state; nil leaves it as it is. It closes
// one with which that does not work.
func (b *Browser) goOn(ctx context.Context, s *saved) (*Browser, error) {
	if s == nil {
		return b, nil
	}
	if err := b.peek(ctx, func(ctx context.Context, i *instance) error { return i.resume(ctx, s) }); err != nil {
		_ = b.Close()
		return nil, fmt.Errorf("go on where the browser was: %w", err)
	}
	return b, nil
}

// Lost is closed when the browser is gone for good, after Close too.
func (b *Browser) Lost() <-chan struct{} { return b.life.Done() }

// Close ends what was opened: the browser, its processes and its temporary
// profile after Launch, our tabs after Attach. It may be called several times
// and gives the same answer each time; calls under way return env.ErrLost.
func (b *Browser) Close() error {
	b.closer.Do(func() { b.closed = b.shut() })
	return b.closed
}

func (b *Browser) shut() error {
	b.end(env.ErrLost)
	err := b.instance().Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	select {
	case <-b.turn: // nobody is starting a browser on the profile
		b.turn <- struct{}{}
	case <-ctx.Done():
	}
	if b.home != nil {
		err = errors.Join(err, b.home.close(ctx))
	}
	return err
}

func (b *Browser) instance() *instance {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current
}
