package chrome

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// instance is one browser from its start to its end. Browser calls Observe,
// Perform, Read and restore one at a time.
type instance struct {
	cfg      Config
	conn     *conn
	process  *process // nil when the browser is not ours
	past     *past
	identity *identity // nil leaves the browser its own

	life   context.Context // ends with the browser or with Close
	end    context.CancelCauseFunc
	work   sync.WaitGroup
	closer sync.Once
	closed error

	memory memory // of the call under way

	mu        sync.Mutex
	ending    bool // no goroutine may start any more
	changed   chan struct{}
	pages     []*page // in the order in which they opened
	sessions  map[proto.TargetSessionID]*page
	active    *page
	pointer   *env.Point // where the mouse is; nil before it was ever moved
	shown     int        // how often a tab came to the front
	covered   bool       // a tab may have come up in front of the active one
	gesture   gesture
	secret    string               // see ears
	limits    map[string]time.Time // until when sites want to be left alone
	notes     notes
	downloads downloads
	dialogs   int       // answered since the last action
	sure      bool      // the action under way is
	choosing  choosing  // files that pages ask for
	refusals  []refusal // that nobody was told of yet
}

func newInstance(cfg Config, t transport, before *past) *instance {
	b := &instance{
		cfg: cfg, past: before, changed: make(chan struct{}),
		sessions: map[proto.TargetSessionID]*page{}, downloads: downloads{running: map[string]*download{}}, secret: newSecret(), limits: map[string]time.Time{},
	}
	if before.stores == nil {
		before.stores = stores{}
	}
	b.life, b.end = context.WithCancelCause(context.Background())
	b.conn = newConn(t, b.handle)
	go func() {
		b.conn.run()
		b.end(env.ErrLost)
	}()
	return b
}

// whenOver ends the connection as soon as the browser's process has ended.
func (b *instance) whenOver(exited <-chan struct{}) {
	b.background(func(ctx context.Context) {
		select {
		case <-exited:
			_ = b.conn.transport.close()
		case <-ctx.Done():
		}
	})
}

// open sets the browser up as mode says and waits until its tab can be used.
func (b *instance) open(ctx context.Context, mode func(context.Context, *instance) error) error {
	ctx, cancel := b.during(ctx)
	defer cancel()
	v, err := (proto.BrowserGetVersion{}).Call(b.root(ctx))
	if err != nil {
		return err
	}
	if r, ok := parseRelease(v.Product); ok && r.tooOld() != "" {
		return errors.New(r.tooOld())
	}
	if err := b.allowDownloads(ctx); err != nil {
		return err
	}
	if err := mode(ctx, b); err != nil {
		return err
	}
	return b.waitReady(ctx)
}

// openLaunched has every new page stop until it is set up, so that its first
// script already sees the right size, and opens the first.
func openLaunched(ctx context.Context, b *instance) error {
	root := b.root(ctx)
	if err := b.decide(ctx); err != nil {
		return err
	}
	err := root.pipeline(append([]proto.Request{
		proto.TargetSetDiscoverTargets{Discover: true},
		proto.TargetSetAutoAttach{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true,
			Filter: b.followed()},
	}, b.watchDocuments()...)...)
	if err != nil {
		return err
	}
	_, err = proto.TargetCreateTarget{URL: "about:blank", NewWindow: b.cfg.Window == Headful}.Call(root)
	return err
}

// Close ends the browser and its processes, or closes our tabs in one that is not
// ours. It may be called several times and gives the same answer each time.
func (b *instance) Close() error {
	b.closer.Do(func() { b.closed = b.shut() })
	return b.closed
}

func (b *instance) shut() error {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	b.cancelDownloads(ctx)
	var err error
	if b.process != nil {
		polite, cancel := context.WithTimeout(ctx, 1500*time.Millisecond)
		defer cancel()
		if proto.BrowserClose.Call(proto.BrowserClose{}, b.root(polite)) != nil {
			cancel()
		}
		err = b.process.stop(polite)
	} else {
		b.leave(ctx)
	}
	b.mu.Lock()
	b.ending = true
	b.mu.Unlock()
	b.end(env.ErrLost)
	b.conn.close()
	b.work.Wait()
	b.dropDownloads()
	return err
}

// root addresses the browser itself.
func (b *instance) root(ctx context.Context) session { return session{ctx: ctx, conn: b.conn} }

// background runs f in a goroutine that Close waits for; its context ends with
// the browser. What the page sends cannot take the process down through it.
func (b *instance) background(f func(ctx context.Context)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ending {
		return
	}
	b.work.Go(func() {
		defer b.survive()
		f(b.life)
	})
}

func (b *instance) survive() {
	if r := recover(); r != nil {
		b.cfg.Logger.Error("browser event not handled", "err", r, "stack", string(debug.Stack()))
	}
}

// during gives a context that also ends with the browser, with env.ErrLost.
func (b *instance) during(ctx context.Context) (context.Context, context.CancelFunc) {
	return merge(ctx, b.life)
}

// merge gives a context that ends with either, with the cause of the one that
// ended first.
func merge(ctx, other context.Context) (context.Context, context.CancelFunc) {
	merged, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return merged, func() {
		stop()
		cancel(context.Canceled)
	}
}

// begin is during for a call, which is refused when there is no time for it.
func (b *instance) begin(ctx context.Context) (context.Context, context.CancelFunc, error) {
	ctx, cancel := b.during(ctx)
	if ctx.Err() != nil {
		defer cancel()
		return nil, nil, context.Cause(ctx)
	}
	return ctx, cancel, nil
}

// update changes the browser's state and wakes those who wait for a change.
func (b *instance) update(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
	close(b.changed)
	b.changed = make(chan struct{})
}

// await waits until the state is as wanted, or ctx ends. holds is called with
// the state locked.
func (b *instance) await(ctx context.Context, holds func() bool) error {
	for {
		b.mu.Lock()
		ok, changed := holds(), b.changed
		b.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
