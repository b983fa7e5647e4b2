package envtest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"fara/env"
)

// Env is an environment without a browser. It remembers what it was asked to do,
// shows a new frame whenever its page changes, and fails where it is told to.
// The zero value is an empty page of 1440x896. Fields are set before the first
// call; methods may be called by several goroutines.
type Env struct {
	// Viewport is the page's size in CSS pixels; zero means 1440x896.
	Viewport env.Size
	// Still keeps every action but visit_url and history_back from changing the
	// page, so that frames stay equal.
	Still bool
	// OnPerform, when set, decides the outcome of the n-th action, counted from
	// 1, after its arguments were found sound; it may wait for ctx. What it
	// returns as error is Perform's.
	OnPerform func(ctx context.Context, n int, a env.Action) (env.Outcome, error)
	// OnAim, when set, decides what the n-th Aim gives, counted from 1.
	OnAim func(n int, a env.Action) (*env.Element, error)
	// FailObserve, FailPerform, FailRead, FailAim and FailInspect hold the error of
	// the n-th call, counted from 1.
	FailObserve, FailPerform, FailRead, FailAim, FailInspect map[int]error
	// Markdown is what Read gives; empty means a line that names the address.
	Markdown string
	// Elements are what is on every page; nil means none, but on /form.
	Elements []env.Element
	// Widgets are what every observation tells of.
	Widgets []env.Widget
	// Evidence is what Inspect draws from.
	Evidence env.Evidence

	mu       sync.Mutex
	closed   bool
	history  []string
	title    string
	version  int
	notes    []env.Note
	actions  []env.Action
	observes int
	reads    int
	aims     int
	inspects int
	focus    *env.Element
}

// Observe shows the page as a picture of the viewport's size.
func (e *Env) Observe(ctx context.Context) (env.Observation, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable(ctx); err != nil {
		return env.Observation{}, err
	}
	e.observes++
	if err := e.FailObserve[e.observes]; err != nil {
		return env.Observation{}, err
	}
	notes := e.notes
	e.notes = nil
	return env.Observation{
		Image: Frame(e.size(), e.version), MIME: "image/png", ImageSize: e.size(), Viewport: e.size(),
		URL: e.url(), Title: e.title, Notes: notes, Widgets: e.Widgets,
		Tabs: []env.Tab{{URL: e.url(), Title: e.title, Active: true}},
	}, nil
}

// Perform remembers the action and does what a browser would show of it: an
// address is opened, history is walked, a wait waits, anything else changes the
// page.
func (e *Env) Perform(ctx context.Context, a env.Action) (env.Outcome, error) {
	n, err := e.take(ctx, a)
	if err != nil {
		return env.Outcome{}, err
	}
	if e.OnPerform != nil {
		return e.OnPerform(ctx, n, a)
	}
	if a.Kind == env.Wait {
		return pause(ctx, a.For)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.do(a)
}

// take records an action and gives its number.
func (e *Env) take(ctx context.Context, a env.Action) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable(ctx); err != nil {
		return 0, err
	}
	e.actions = append(e.actions, a)
	n := len(e.actions)
	if err := e.FailPerform[n]; err != nil {
		return n, err
	}
	return n, check(a, e.size())
}

func (e *Env) do(a env.Action) (env.Outcome, error) {
	switch a.Kind {
	case env.VisitURL:
		e.open(a.URL)
		return env.Outcome{Text: "opened " + a.URL}, nil
	case env.HistoryBack:
		if len(e.history) == 0 {
			return env.Outcome{}, env.Fail(env.NoEffect, "there is no earlier page")
		}
		e.history = e.history[:len(e.history)-1]
		e.version++
		return env.Outcome{Text: "went to the earlier page, " + e.url()}, nil
	case env.MouseMove:
		return env.Outcome{Text: fmt.Sprintf("moved the pointer to %v", a.Point)}, nil
	}
	if !e.Still {
		e.version++
	}
	if a.Point != nil && (a.Kind == env.LeftClick || a.Kind == env.Type) {
		e.focus = e.at(a.Point)
	}
	text := string(a.Kind)
	if a.Point != nil {
		text += " at " + a.Point.String()
	}
	return env.Outcome{Text: text}, nil
}

// open goes to an address. One whose path is /alert opens a dialog, as Site's
// page of that name does.
func (e *Env) open(address string) {
	e.history = append(e.history, address)
	e.title = address
	e.focus = nil
	e.version++
	if u, err := url.Parse(address); err == nil && strings.HasSuffix(u.Path, "/alert") {
		e.notes = append(e.notes, env.Note{Kind: env.NoteDialog, Text: "the page showed a message, which was closed", Quote: AlertText})
	}
}

// Read gives Markdown, or a line that names the address.
func (e *Env) Read(ctx context.Context) (env.Document, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable(ctx); err != nil {
		return env.Document{}, err
	}
	e.reads++
	if err := e.FailRead[e.reads]; err != nil {
		return env.Document{}, err
	}
	return env.Document{URL: e.url(), Title: e.title, Markdown: e.text()}, nil
}

func (e *Env) text() string {
	if e.Markdown != "" {
		return e.Markdown
	}
	return "The page at " + e.url() + "\n"
}

// Close makes every later call return env.ErrLost.
func (e *Env) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	return nil
}

// Closed reports whether Close was called or the environment was lost.
func (e *Env) Closed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// Go puts the page at an address, as if it had gone there by itself.
func (e *Env) Go(address, title string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open(address)
	e.title = title
}

// Change makes the next frame differ from the last.
func (e *Env) Change() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.version++
}

// Note adds a note to the next observation.
func (e *Env) Note(n env.Note) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.notes = append(e.notes, n)
}

// Actions are the actions so far, refused and failed ones included.
func (e *Env) Actions() []env.Action {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]env.Action(nil), e.actions...)
}

// Observations is how many times the page was looked at.
func (e *Env) Observations() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.observes
}

func (e *Env) usable(ctx context.Context) error {
	if e.closed {
		return env.ErrLost
	}
	return context.Cause(ctx)
}

func (e *Env) size() env.Size {
	if e.Viewport == (env.Size{}) {
		return env.Size{W: 1440, H: 896}
	}
	return e.Viewport
}

func (e *Env) url() string {
	if len(e.history) == 0 {
		return "about:blank"
	}
	return e.history[len(e.history)-1]
}
