// Package captcha knows captchas, and holds a run still while one is being
// solved, up to a limit.
//
// It solves nothing. Widgets says what to look for in pages; Blocking and Touched
// say from what was seen, and from what an action is about to hit, whether a
// person is needed. Whether one is there, and what becomes of the run, is for
// others to decide.
//
// Hosted browsers that solve captchas say so in their console, and a Gate listens.
// A browser of one's own never says anything, so its gate is always open. Only
// feed a gate from a browser whose console can be trusted with that much: any page
// can print the signals.
package captcha

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// ErrUnsolved ends a wait in which the captcha was not solved.
var ErrUnsolved = errors.New("the captcha was not solved in time")

// The console texts of hosted browsers (Browserbase).
const (
	started  = "browserbase-solving-started"
	finished = "browserbase-solving-finished"
)

// Mode says what a wait that reaches its limit means.
type Mode int

// The modes.
const (
	// Raise makes Wait return ErrUnsolved at the first limit.
	Raise Mode = iota
	// GoOn counts and lets the run go on with the captcha unsolved; after
	// Config.GiveUp such waits in a row the gate stays open for the rest of the run.
	GoOn
)

// Config sets a Gate up; its zero value raises after a minute.
type Config struct {
	// Limit bounds one wait; 0 means 60 s, a negative one turns the gate off.
	Limit time.Duration
	// Mode is what happens at the limit.
	Mode Mode
	// GiveUp is the number of unsolved waits in a row after which the gate is
	// open for good; 0 means 2. Only GoOn uses it.
	GiveUp int
}

// Gate is closed while a captcha is being solved. Several goroutines may use it.
type Gate struct {
	cfg Config

	mu       sync.Mutex
	solving  chan struct{} // closed when solved; nil while open
	unsolved int           // waits in a row that reached the limit
	off      bool
}

// New gives an open gate.
func New(cfg Config) *Gate {
	if cfg.Limit == 0 {
		cfg.Limit = time.Minute
	}
	if cfg.GiveUp == 0 {
		cfg.GiveUp = 2
	}
	return &Gate{cfg: cfg, off: cfg.Limit < 0}
}

// Console takes a line of the browser's console: the signals close and open the
// gate, anything else is ignored.
func (g *Gate) Console(text string) {
	switch strings.TrimSpace(text) {
	case started:
		g.close()
	case finished:
		g.open()
	}
}

func (g *Gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.solving == nil {
		g.solving = make(chan struct{})
	}
}

func (g *Gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.solving != nil {
		close(g.solving)
		g.solving = nil
	}
	g.unsolved = 0
}

// Passage is how a wait ended well.
type Passage int

// The passages.
const (
	Open     Passage = iota // nothing to wait for
	Solved                  // it closed and opened again
	Unsolved                // the limit was reached; the run goes on all the same
)

// Wait returns once the gate is open. It returns an error wrapping ErrUnsolved
// at the limit of a gate that raises, and the context's cause when that ends
// first.
func (g *Gate) Wait(ctx context.Context) (Passage, error) {
	solving := g.pending()
	if solving == nil {
		return Open, nil
	}
	limit := time.NewTimer(g.cfg.Limit)
	defer limit.Stop()
	for {
		select {
		case <-solving:
			// A second captcha may have followed the first at once.
			if solving = g.pending(); solving == nil {
				return Solved, nil
			}
		case <-limit.C:
			return g.stepDown()
		case <-ctx.Done():
			return Unsolved, context.Cause(ctx)
		}
	}
}

func (g *Gate) pending() chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.off {
		return nil
	}
	return g.solving
}

func (g *Gate) stepDown() (Passage, error) {
	if g.cfg.Mode == Raise {
		return Unsolved, fmt.Errorf("after %v: %w", g.cfg.Limit, ErrUnsolved)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unsolved++
	g.off = g.unsolved >= g.cfg.GiveUp
	return Unsolved, nil
}
