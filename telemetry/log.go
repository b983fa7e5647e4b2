package telemetry

import (
	"context"
	"log/slog"
	"sync"

	"fara/trajectory"
)

// Lines has log lines tell which run and which step they are from. Several
// goroutines may use it; its zero value is before any run, and adds nothing.
type Lines struct {
	mu         sync.Mutex
	run, trace string
	step       int
}

// Begin has the lines from here on tell of that run, and of its trace when there is
// one; an empty trace is none.
func (l *Lines) Begin(run, trace string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.run, l.step, l.trace = run, 0, trace
}

// Event takes the run's next event.
func (l *Lines) Event(e trajectory.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.step = e.Step
}

func (l *Lines) attributes() []slog.Attr {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run == "" {
		return nil
	}
	about := []slog.Attr{slog.String("run", l.run), slog.Int("step", l.step)}
	if l.trace != "" {
		about = append(about, slog.String("trace", l.trace))
	}
	return about
}

// Handler gives a handler that adds run, step and trace to each line and hands it
// to next. A line that has a step of its own keeps that.
func (l *Lines) Handler(next slog.Handler) slog.Handler { return &handler{lines: l, next: next} }

type handler struct {
	lines *Lines
	next  slog.Handler
	// with are the groups and attributes that were asked for since, which come
	// behind ours: so ours stay outside of all groups.
	with []func(slog.Handler) slog.Handler
	own  bool // one of them is a step
	deep bool // one of them is a group
}

// Enabled is what the next handler says.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle adds what the line belongs to.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	own := h.own
	if !h.deep {
		r.Attrs(func(a slog.Attr) bool {
			own = own || a.Key == "step"
			return !own
		})
	}
	var about []slog.Attr
	for _, a := range h.lines.attributes() {
		if a.Key != "step" || !own {
			about = append(about, a)
		}
	}
	to := h.next
	if len(about) > 0 {
		to = to.WithAttrs(about)
	}
	for _, f := range h.with {
		to = f(to)
	}
	return to.Handle(ctx, r)
}

// WithAttrs gives a handler whose lines also have these attributes.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	own := false
	for _, a := range attrs {
		own = own || a.Key == "step" && !h.deep
	}
	return h.and(func(to slog.Handler) slog.Handler { return to.WithAttrs(attrs) }, own, false)
}

// WithGroup gives a handler whose lines have their own attributes in a group.
func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return h.and(func(to slog.Handler) slog.Handler { return to.WithGroup(name) }, false, true)
}

func (h *handler) and(f func(slog.Handler) slog.Handler, own, deep bool) slog.Handler {
	more := *h
	more.with = append(h.with[:len(h.with):len(h.with)], f)
	more.own, more.deep = h.own || own, h.deep || deep
	return &more
}
