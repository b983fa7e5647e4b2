package chrome

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// aimLimit is how long a page may take to say what is about to be hit.
const aimLimit = 2 * time.Second

// Aim is Browser.Aim.
func (b *instance) Aim(ctx context.Context, a env.Action) (*env.Element, error) {
	ctx, end, err := b.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	p := b.front()
	if p == nil || b.crashedInFront() {
		return nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, aimLimit)
	defer cancel()
	var el *env.Element
	_ = poll(limited, settlePoll, func() (bool, error) {
		el, err = b.aimed(limited, p, a)
		return err == nil || b.crashedInFront(), nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && !b.crashedInFront():
		return nil, &env.ActionError{Code: env.TimedOut, Err: err,
			Text: fmt.Sprintf("%s was not done: the page did not say in time what it would reach; wait or open another page", a.Kind)}
	}
	b.memory.aimed = nil
	if at := b.pressPoint(a); el != nil && at != nil {
		b.memory.aimed, b.memory.aimedAt = el, *at
	}
	return el, nil
}

// pressPoint is where an action presses the button; nil when it does not.
func (b *instance) pressPoint(a env.Action) *env.Point {
	switch {
	case a.Kind != env.LeftClickDrag:
		return a.Point
	case a.From == nil:
		return new(b.pointerOrCentre())
	}
	return a.From
}

// still fails with env.Moved when something else is at a point than Aim told of it:
// a page may bring another button under the pointer as soon as that arrives, and
// nobody has decided about that one.
func (b *instance) still(ctx context.Context, p *page, at env.Point) error {
	was := b.memory.aimed
	if was == nil || at != b.memory.aimedAt {
		return nil
	}
	now, err := b.told(ctx, p, at)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil && now != nil && alike(*was, *now):
		return nil
	case err != nil || now == nil:
		return env.Fail(env.Moved, "not done, because nothing is known of what came under the pointer when it arrived; look at the new picture")
	}
	return env.Fail(env.Moved, "not done, because the page changed under the pointer when it arrived: %s is at %v now; look at the new picture", the(now), at)
}

// alike reports whether two elements do the same as far as anybody could tell.
func alike(a, b env.Element) bool {
	forms := a.Form == nil && b.Form == nil
	if a.Form != nil && b.Form != nil {
		forms = a.Form.Method == b.Form.Method && a.Form.Action == b.Form.Action && a.Form.Submits == b.Form.Submits
	}
	return forms && a.Tag == b.Tag && a.Type == b.Type && a.Name == b.Name && a.Link == b.Link && a.Document == b.Document
}

// aimed finds the element; nil when there is none.
func (b *instance) aimed(ctx context.Context, p *page, a env.Action) (*env.Element, error) {
	at := a.Point
	switch a.Kind {
	case env.VisitURL, env.HistoryBack, env.Wait:
		return nil, nil
	case env.Key, env.Type:
		if at == nil {
			return b.takesKeys(ctx, p, a)
		}
	case env.LeftClickDrag:
		at = a.From
		if at == nil {
			at = new(b.pointerOrCentre())
		}
	case env.Scroll, env.HScroll:
		if at == nil {
			at = new(b.pointerOrCentre())
		}
	}
	if at == nil || b.visible(a.Kind, *at) != nil {
		return nil, nil
	}
	return b.told(ctx, p, *at)
}

// told tells all about what a pointer would reach.
func (b *instance) told(ctx context.Context, p *page, at env.Point) (*env.Element, error) {
	seen := b.under(ctx, p, at)
	if seen.err != nil {
		return nil, seen.err
	}
	for i := len(seen.spots) - 1; i >= 0; i-- {
		if seen.found[i] == nil {
			continue
		}
		el, err := b.tell(ctx, p, seen.spots[i], "found")
		if err != nil || i == 0 || el.Editable || el.Tag != "html" && el.Tag != "body" {
			return el, err
		}
	}
	return nil, nil
}

// errNothingFound is what a document says of which nothing is known.
var errNothingFound = errors.New("nothing was found there")

// tell asks a document about what was found there last, at a point or as what has
// the focus.
func (b *instance) tell(ctx context.Context, p *page, s spot, which string) (*env.Element, error) {
	var el *env.Element
	if err := b.ask(ctx, p, s, "tell('"+which+"')", &el); err != nil {
		return nil, err
	}
	if el == nil {
		return nil, errNothingFound
	}
	el.Box = s.inPage(el.Box)
	el.Document, el.Link = env.WithoutUser(el.Document), env.WithoutUser(el.Link)
	if f := el.Form; f != nil {
		f.Action = env.WithoutUser(f.Action)
		f.Fields = append([]env.Field(nil), f.Fields...) // none is nil
	}
	return el, nil
}

// takesKeys tells about what has the focus, or about the field of a page that
// waits for a file by name.
func (b *instance) takesKeys(ctx context.Context, p *page, a env.Action) (*env.Element, error) {
	bound, release := b.bind(ctx, p)
	defer release()
	s, kind, err := b.focusSpot(p, spot{session: bound, frame: proto.PageFrameID(p.target), inner: same, outer: same})
	if err != nil {
		return nil, err
	}
	if open := b.waiting(p); open != nil && a.Kind == env.Type && kind != "text" && kind != "file" {
		var gone *cdp.Error // the document that asked is not there any more
		if el, err := b.tellInput(ctx, p, *open); !errors.As(err, &gone) {
			return el, err
		}
	}
	if kind == "none" {
		return nil, nil
	}
	return b.tell(ctx, p, s, "current")
}

// focusSpot finds what has the focus in a document or the frames in it, and where
// its document lies in the page.
func (b *instance) focusSpot(p *page, s spot) (spot, string, error) {
	f := field{session: s.session, frame: s.frame}
	err := f.ask("focus()", &f)
	for range maxDepth {
		if err != nil {
			return s, "", err
		}
		switch f.Kind {
		case "closed":
			f, err = f.inClosedRoot()
		case "frame":
			inner, missed := b.enter(p, s)
			if missed != nil { // it holds no document, or has no extent
				return s, "other", s.session.ctx.Err()
			}
			s, f = inner, field{session: inner.session, frame: inner.frame}
			err = f.ask("focus()", &f)
		default:
			return s, f.Kind, nil
		}
	}
	return s, "other", nil
}

// waiting gives the question for files that a page waits with; nil when it has
// none.
func (b *instance) waiting(p *page) *chooser {
	b.mu.Lock()
	defer b.mu.Unlock()
	if open := b.choosing.open; open != nil && open.page == p {
		return open
	}
	return nil
}

// tellInput tells about the input that asks for files.
func (b *instance) tellInput(ctx context.Context, p *page, open chooser) (*env.Element, error) {
	s, release := b.bind(ctx, p)
	defer release()
	s.id = open.session
	if err := s.callOn(open.frame, open.node, "function() { fara.found = this }", nil); err != nil {
		return nil, err
	}
	return b.tell(ctx, p, spot{session: s, frame: open.frame, inner: same, outer: same}, "found")
}
