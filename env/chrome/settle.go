package chrome

import (
	"context"
	"time"

	"fara/env"
)

// The constants of settling, measured on static, fetching, polling and animated
// pages: the shortest that never showed an unfinished state there.
const (
	settlePoll   = 25 * time.Millisecond
	quietNothing = 75 * time.Millisecond  // enough when an action set off nothing at all
	quietAfter   = 150 * time.Millisecond // needed after the last thing it set off
	restless     = time.Second            // a document that changes for longer changes for ever
	slowRequest  = 2 * time.Second        // a request that takes longer is not waited for
	noisyChanges = 3                      // changes in the second before an action that make a page noisy
	probeLimit   = 300 * time.Millisecond // a document that does not answer by then is busy
)

// calm is what pageScript's quiet reports.
type calm struct {
	Loading bool    `json:"loading"`
	Quiet   float64 `json:"quiet"` // ms since the document last changed
	Recent  int     `json:"recent"`
}

// settling waits for the effects of one action.
type settling struct {
	b     *instance
	page  *page
	noisy bool
	began time.Time
}

// prepare looks at the page just before an action.
func (b *instance) prepare(ctx context.Context, p *page) *settling {
	s := &settling{b: b, page: p}
	c, ok := s.probe(ctx)
	s.noisy = ok && c.Recent >= noisyChanges
	p.traffic.begin()
	return s
}

// wait returns when the page has come to rest, or at Config.SettleLimit. It
// follows the front to a tab that the action opened. Its error is that of ctx, or
// errCrashed.
func (s *settling) wait(ctx context.Context) error {
	s.began = time.Now()
	s.painted(ctx)
	tick := time.NewTicker(settlePoll)
	defer tick.Stop()
	for {
		if err := s.follow(ctx); err != nil {
			return err
		}
		if s.done(ctx) {
			return nil
		}
		if time.Since(s.began) > s.b.cfg.SettleLimit {
			s.tellSlow()
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// follow goes over to the tab in front when that has changed.
func (s *settling) follow(ctx context.Context) error {
	p := s.b.front()
	if p != nil && p != s.page {
		if err := s.b.waitReady(ctx); err != nil {
			return err
		}
		s.page, s.noisy = p, false
	}
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if s.page.crashed {
		return errCrashed
	}
	return nil
}

func (s *settling) done(ctx context.Context) bool {
	traffic := s.page.traffic.rest(slowRequest)
	if traffic.flying > 0 || traffic.loading {
		return false
	}
	need := quietAfter
	if traffic.events == 0 {
		need = quietNothing
	}
	if traffic.quiet < need {
		return false
	}
	c, ok := s.probe(ctx)
	if !ok || c.Loading {
		return false
	}
	still := time.Duration(c.Quiet*float64(time.Millisecond)) >= need
	return still || s.noisy || time.Since(s.began) > restless
}

func (s *settling) probe(ctx context.Context) (c calm, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	return c, s.b.script(ctx, s.page, "quiet()", &c) == nil
}

// painted waits until the page's reaction to the input has been drawn.
func (s *settling) painted(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	_ = s.b.script(ctx, s.page, "painted()", nil)
}

// tellSlow notes that the page was still loading when it was given up on. One
// that merely keeps changing is nothing to tell.
func (s *settling) tellSlow() {
	if s.page.traffic.rest(s.b.cfg.SettleLimit).loading {
		s.b.note(env.Note{Kind: env.NoteSlow, Text: "the page was still loading when this picture was taken"})
	}
}
