package chrome

import (
	"context"
	"time"

	"fara/env"
)

// The constants of settling. Package env/envtest/waits has the pages on which
// they were measured.
const (
	settlePoll = 15 * time.Millisecond
	restless   = time.Second            // what changes for longer, changes for ever
	probeLimit = 300 * time.Millisecond // a document that does not answer by then is busy
	// quietUnheard is how long nothing may change in a document whose own world does
	// not tell what it has set off.
	quietUnheard = 150 * time.Millisecond
)

// calm is what pageScript's rest reports of one document since its begin.
type calm struct {
	Loading   bool     `json:"loading"`
	Changes   int      `json:"changes"` // other than those that the page makes all the time
	Quiet     float64  `json:"quiet"`   // ms since the document last changed
	Pending   int      `json:"pending"` // timers and the like that the action set off
	Going     int      `json:"going"`   // the same, again and again
	Moving    int      `json:"moving"`  // animations that it started and that end soon
	Scrolling bool     `json:"scrolling"`
	Asked     []string `json:"asked"`   // addresses that it made the page ask for
	Working   bool     `json:"working"` // it had no moment to spare
	Told      bool     `json:"told"`    // the page's own world has answered
}

// settling waits for the effects of one action.
//
// A page has come to rest when nothing is left that the action set off (requests,
// documents, timers, movements) and the last frame drawn has brought no change.
// What the page did before the action it may go on doing.
type settling struct {
	b     *instance
	page  *page
	began time.Time
	busy  time.Time // when something was last under way
	seen  int       // changes at the last look; -1 before it
	// stirred: something was under way, so that one frame without a change may still
	// come before what it led to, as when a frame tells the page.
	stirred bool
}

// prepare marks the moment just before an action.
func (b *instance) prepare(ctx context.Context, p *page) *settling {
	p.frames.hope()
	_, _ = everywhere[bool](ctx, b, p, "begin()", "begin()")
	p.traffic.begin()
	return &settling{b: b, page: p}
}

// wait returns when the page has come to rest, or at Config.SettleLimit. It
// follows the front to a tab that the action opened. Its error is that of ctx, or
// errCrashed.
func (s *settling) wait(ctx context.Context) error {
	s.began = time.Now()
	s.busy, s.seen = s.began, -1
	tick := time.NewTicker(settlePoll)
	defer tick.Stop()
	for look := drawnFrame; ; {
		if err := s.follow(ctx); err != nil {
			return err
		}
		var over bool
		if over, look = s.over(s.look(ctx, look)); over {
			return nil
		}
		if time.Since(s.began) > s.b.cfg.SettleLimit {
			s.tellSlow()
			return nil
		}
		if look == drawnFrame {
			continue // which takes its time
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
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	p := s.b.front()
	if p != nil && p != s.page {
		if err := s.b.waitReady(ctx); err != nil {
			return err
		}
		s.page, s.seen = p, -1
	}
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if s.page.crashed {
		return errCrashed
	}
	return nil
}

// glance is how a page is looked at.
type glance string

const (
	drawnFrame glance = "drawn" // after the next frame, when the page has nothing left to do
	atOnce     glance = "rest"
)

// sighting is what one look at the page and at its traffic gave.
type sighting struct {
	how     glance
	known   bool // the page has answered
	busy    bool
	changes int
	quiet   bool // nothing goes on again and again
}

// look asks all documents, then the traffic, which is then at least as new.
func (s *settling) look(ctx context.Context, how glance) sighting {
	network := s.page.traffic.rest(s.b.cfg.SettleLimit)
	what := "''"
	if network.flying > 0 || network.loading {
		what = "'busy'"
	}
	documents, err := everywhere[calm](ctx, s.b, s.page, string(how)+"("+what+")", "rest("+what+")")
	v := sighting{how: how, known: err == nil, quiet: true}
	for _, c := range documents {
		s.page.traffic.own(c.Asked)
		v.busy = v.busy || c.Loading || c.Pending > 0 || c.Moving > 0 || c.Scrolling
		v.changes += c.Changes
		if c.Working || c.Going > 0 || !c.Told && c.Changes > 0 && c.Quiet < float64(quietUnheard/time.Millisecond) {
			v.quiet = false
		}
	}
	network = s.page.traffic.rest(s.b.cfg.SettleLimit)
	v.busy = v.busy || network.flying > 0 || network.loading
	v.changes += network.events
	return v
}

// over decides whether the page rests, and if not, how to look next.
func (s *settling) over(v sighting) (bool, glance) {
	now := time.Now()
	if !v.known || v.busy {
		s.busy, s.seen, s.stirred = now, -1, true
		return false, atOnce
	}
	if v.how == atOnce { // what it led to has to be drawn
		return false, drawnFrame
	}
	unchanged := v.changes == s.seen || v.changes == 0 && !s.stirred
	s.seen = v.changes
	return unchanged && v.quiet || now.Sub(s.busy) > restless, drawnFrame
}

// painted waits until what is there now has been drawn.
func (s *settling) painted(ctx context.Context) {
	_, _ = everywhere[calm](ctx, s.b, s.page, "drawn('')", "rest('')")
}

// tellSlow notes that the page was still loading when it was given up on. One
// that merely keeps changing is nothing to tell.
func (s *settling) tellSlow() {
	if s.page.traffic.rest(s.b.cfg.SettleLimit).loading {
		s.b.note(env.Note{Kind: env.NoteSlow, Text: "the page was still loading when this picture was taken"})
	}
}
