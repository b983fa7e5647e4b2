package chrome

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// keepLimit is how long looking at what would have to be restored may hold up
// a call. It takes about 3 ms; a page that is busy keeps what was seen last.
const keepLimit = 150 * time.Millisecond

// resting is where a page was when it last came to rest.
type resting struct {
	URL  string
	X, Y float64 // scrolled by, in CSS pixels
	// Store is the page's sessionStorage when it is small.
	Store map[string]string
}

// empty reports whether there is nothing to go back to.
func (v resting) empty() bool { return v.URL == "" || v.URL == "about:blank" }

// restingScript reads the resting. What is large is not worth its time.
const restingScript = `(() => {
	const v = {URL: location.href, X: scrollX, Y: scrollY};
	try {
		const kept = {...sessionStorage};
		if (JSON.stringify(kept).length < 65536) v.Store = kept;
	} catch {}
	return v;
})()`

// past is what instances that follow each other in one Browser share.
type past struct {
	mu         sync.Mutex
	recoveries int // used of maxRecoveries
	resting    resting
	cookies    []*proto.NetworkCookie
	stores     stores // localStorage as it was seen last
	saved      []byte // the last State
	journal    journal
}

// keepResting notes the state of the page in front, and the cookies of a browser of
// ours, for the case that it ends. Pages that show an error are nothing to go
// back to.
func (b *instance) keepResting(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, keepLimit)
	defer cancel()
	if b.process != nil {
		defer b.keepCookies(ctx)()
	}
	p := b.front()
	if p == nil {
		return
	}
	s, release := b.bind(ctx, p)
	defer release()
	var v resting
	if err := s.evaluate(proto.PageFrameID(p.target), restingScript, &v); err != nil || strings.HasPrefix(v.URL, "chrome-error:") {
		return
	}
	b.update(func() { p.seen = v })
	b.past.mu.Lock()
	defer b.past.mu.Unlock()
	b.past.resting = v
}

// keepingResting is keepResting while a picture is taken, which costs no time of
// its own. wait returns when it is done.
func (b *instance) keepingResting(ctx context.Context) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer b.survive()
		b.keepResting(ctx)
	}()
	return func() { <-done }
}

// keepMoved is keepResting when the page in front is another one now. Less than
// that can wait for the next picture.
func (b *instance) keepMoved(ctx context.Context) {
	b.mu.Lock()
	p := b.active
	moved := p != nil && p.url != p.seen.URL
	b.mu.Unlock()
	if moved {
		b.keepResting(ctx)
	}
}

// keepCookies asks for the cookies; the answer is taken in by what it returns.
func (b *instance) keepCookies(ctx context.Context) (collect func()) {
	s := b.root(ctx)
	wait := s.start(proto.StorageGetCookies{})
	return func() {
		raw, err := wait()
		if err != nil {
			return
		}
		res := decode[proto.StorageGetCookiesResult](event{params: raw})
		b.past.mu.Lock()
		defer b.past.mu.Unlock()
		b.past.cookies = res.Cookies
	}
}

// restore brings a new browser to where the one before it was.
func (b *instance) restore(ctx context.Context) error {
	ctx, end, err := b.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	b.past.mu.Lock()
	v, cookies := b.past.resting, b.past.cookies
	b.past.mu.Unlock()
	b.restoreCookies(ctx, cookies)
	p, err := b.usable(ctx)
	if err != nil || v.empty() {
		return err
	}
	b.update(func() { p.seen = v })
	forget := b.restoreStore(ctx, p, v)
	defer forget()
	err = b.goBackTo(ctx, p, v)
	if errors.Is(err, errCrashed) {
		return nil // whoever uses it next revives it
	}
	return err
}

// restoreCookies sets them one by one when the browser does not take them all.
func (b *instance) restoreCookies(ctx context.Context, cookies []*proto.NetworkCookie) {
	params := make([]*proto.NetworkCookieParam, 0, len(cookies))
	for _, c := range cookies {
		params = append(params, cookieParam(c))
	}
	root := b.root(ctx)
	if len(params) == 0 || (proto.StorageSetCookies{Cookies: params}).Call(root) == nil {
		return
	}
	for _, c := range params {
		if err := (proto.StorageSetCookies{Cookies: []*proto.NetworkCookieParam{c}}).Call(root); err != nil {
			b.cfg.Logger.Debug("cookie not restored", "err", err)
		}
	}
}

// cookieParam is a cookie as it is set. The name of a partition is not ours to
// set when the browser keeps it to itself.
func cookieParam(c *proto.NetworkCookie) *proto.NetworkCookieParam {
	p := &proto.NetworkCookieParam{
		Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Secure: c.Secure, HTTPOnly: c.HTTPOnly,
		SameSite: c.SameSite, Priority: c.Priority, SourceScheme: c.SourceScheme, SourcePort: &c.SourcePort,
		PartitionKey: c.PartitionKey,
	}
	if !c.Session {
		p.Expires = c.Expires
	}
	if !strings.HasPrefix(c.Domain, ".") { // a cookie of this host alone is one that names no domain
		scheme := "http"
		if c.Secure || c.SourceScheme == proto.NetworkCookieSourceSchemeSecure {
			scheme = "https"
		}
		p.URL, p.Domain = scheme+"://"+c.Domain+c.Path, ""
	}
	return p
}

// restoreStore fills the page's sessionStorage before its first script runs.
func (b *instance) restoreStore(ctx context.Context, p *page, v resting) (forget func()) {
	s, release := b.bind(ctx, p)
	if len(v.Store) == 0 {
		return release
	}
	added, err := proto.PageAddScriptToEvaluateOnNewDocument{Source: fmt.Sprintf(
		"if (top === self && location.href === %s) try { Object.assign(sessionStorage, %s) } catch {}", quoteJS(v.URL), quoteJS(v.Store),
	)}.Call(s)
	return func() {
		if err == nil {
			_ = proto.PageRemoveScriptToEvaluateOnNewDocument{Identifier: added.Identifier}.Call(s)
		}
		release()
	}
}

// goBackTo loads a page again and scrolls to where it was.
func (b *instance) goBackTo(ctx context.Context, p *page, v resting) error {
	visit, err := b.planVisit(env.Action{Kind: env.VisitURL, URL: v.URL})
	if err == nil {
		_, err = visit(ctx, p)
	}
	switch {
	case err == nil && (v.X != 0 || v.Y != 0):
		b.scrollBackTo(ctx, p, v)
	case err == nil:
	case ctx.Err() != nil, errors.Is(err, env.ErrLost), errors.Is(err, errCrashed), errors.Is(err, errClosed):
		return err
	default:
		b.note(env.Note{Kind: env.NoteError, Text: "the page could not be loaded again: " + err.Error()})
	}
	return nil
}

// scrollBackTo waits a little for a page that still grows.
func (b *instance) scrollBackTo(ctx context.Context, p *page, v resting) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	s, release := b.bind(ctx, p)
	defer release()
	expression := fmt.Sprintf("scrollTo({left: %v, top: %v, behavior: 'instant'}), Math.abs(scrollX - %v) + Math.abs(scrollY - %v)", v.X, v.Y, v.X, v.Y)
	_ = poll(ctx, 2*settlePoll, func() (bool, error) {
		var off float64
		err := s.evaluate(proto.PageFrameID(p.target), expression, &off)
		return off < 2, err
	})
	b.prepare(ctx, p).painted(ctx)
}
