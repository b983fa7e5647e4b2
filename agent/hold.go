package agent

import (
	"context"
	"sync"

	"fara/trajectory"
)

// Hold has a run hold still. Others press and release it while the run goes on;
// its zero value is released. Several goroutines may use it.
type Hold struct {
	mu       sync.Mutex
	released chan struct{} // closed when it is released; nil while it is
}

// Pause has the run stop before its next look at the page or its next action.
// What the browser is doing at that moment it finishes.
func (h *Hold) Pause() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released == nil {
		h.released = make(chan struct{})
	}
}

// Resume lets the run go on, with a fresh look at the page.
func (h *Hold) Resume() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released != nil {
		close(h.released)
		h.released = nil
	}
}

// Paused reports whether the run is to hold still.
func (h *Hold) Paused() bool { return h.pending() != nil }

// pending is closed when the run may go on; nil when it may now.
func (h *Hold) pending() <-chan struct{} {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released == nil {
		return nil
	}
	return h.released
}

// pause holds still as long as somebody wants that, and reports whether it had
// to. A person may have used the browser meanwhile.
func (a *Agent) pause(ctx context.Context) (held bool, err error) {
	released := a.cfg.Hold.pending()
	if released == nil {
		return false, nil
	}
	if err := a.record(trajectory.Paused{Why: "asked", By: trajectory.Person}); err != nil {
		return true, err
	}
	select {
	case <-released:
	case <-ctx.Done():
		return true, context.Cause(ctx)
	}
	return true, a.record(trajectory.Resumed{Why: "asked", Hands: true, Text: handsText})
}

// handsText is what the model is told after a person may have acted.
const handsText = "A person had the browser for a while and may have changed something. Look at the page as it is now."
