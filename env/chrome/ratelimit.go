package chrome

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// maxHoldOff is the longest wait for a site that has asked for one.
const maxHoldOff = time.Minute

// answered takes in how a site has answered the request for a tab's document: one
// that asks to be left alone for a while is, until then.
func (b *instance) answered(p *page, e *proto.NetworkResponseReceived) {
	if e.Type != proto.NetworkResourceTypeDocument || e.FrameID != proto.PageFrameID(p.target) || e.Response == nil {
		return
	}
	now := time.Now()
	site := siteOf(e.Response.URL)
	wait, asks := holdOff(e.Response, now)
	b.update(func() {
		p.status, p.wait = e.Response.Status, wait
		maps.DeleteFunc(b.limits, func(s string, until time.Time) bool { return s == site || until.Before(now) })
		if !asks && e.Response.Status == http.StatusTooManyRequests {
			b.noteLocked(env.Note{Kind: env.NoteBusy, Text: "the site answered 429: it gets too many requests"})
		}
		if !asks {
			return
		}
		b.limits[site] = now.Add(min(wait, maxHoldOff))
		b.noteLocked(env.Note{Kind: env.NoteBusy, Wait: wait, Text: fmt.Sprintf(
			"the site answered %d and asks to be left alone for %v; the next visit there waits for that, at most %v", e.Response.Status, wait.Round(time.Second), maxHoldOff)})
	})
}

// holdOff reads how long an answer asks to wait: in seconds, or until a time.
func holdOff(r *proto.NetworkResponse, now time.Time) (time.Duration, bool) {
	if r.Status != http.StatusTooManyRequests && r.Status != http.StatusServiceUnavailable {
		return 0, false
	}
	for name, value := range r.Headers {
		if !strings.EqualFold(name, "Retry-After") {
			continue
		}
		text := strings.TrimSpace(value.Str())
		if n, err := strconv.ParseInt(text, 10, 64); n > 0 && (err == nil || errors.Is(err, strconv.ErrRange)) {
			return time.Duration(min(n, 24*60*60)) * time.Second, true
		}
		if at, err := http.ParseTime(text); err == nil && at.After(now) {
			return at.Sub(now), true
		}
	}
	return 0, false
}

// siteOf is the host and port of an address, empty when it has none.
func siteOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// patiently wraps an action that asks for a document at the address that to
// gives: it waits first for as long as the site had asked, and says so.
func (b *instance) patiently(to func(context.Context, *page) string, do act) act {
	return func(ctx context.Context, p *page) (env.Outcome, error) {
		b.mu.Lock()
		limited := len(b.limits) > 0
		b.mu.Unlock()
		if !limited {
			return do(ctx, p)
		}
		waited, err := b.waitFor(ctx, siteOf(to(ctx, p)))
		if err != nil {
			return env.Outcome{}, err
		}
		if waited == 0 {
			return do(ctx, p)
		}
		return say(fmt.Sprintf("; waited %v first, as the site had asked", waited.Round(100*time.Millisecond)))(do(ctx, p))
	}
}

// say adds words to what became of an action.
func say(words string) func(env.Outcome, error) (env.Outcome, error) {
	return func(out env.Outcome, err error) (env.Outcome, error) {
		var action *env.ActionError
		if errors.As(err, &action) {
			return out, &env.ActionError{Code: action.Code, Text: action.Text + words, Err: action}
		}
		out.Text += words
		return out, err
	}
}

// waitFor waits until a site may be asked again, and gives for how long.
func (b *instance) waitFor(ctx context.Context, site string) (time.Duration, error) {
	b.mu.Lock()
	pause := time.Until(b.limits[site])
	b.mu.Unlock()
	if site == "" || pause <= 0 {
		return 0, nil
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return pause, nil
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// address is where a tab is.
func (b *instance) address(_ context.Context, p *page) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return p.url
}
