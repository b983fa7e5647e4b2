package chrome

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// buttonBits are the buttons held down, as mouse events carry them.
var buttonBits = map[proto.InputMouseButton]int{
	proto.InputMouseButtonNone: 0, proto.InputMouseButtonLeft: 1, proto.InputMouseButtonRight: 2,
}

// needPoint checks that an action's point lies in the viewport: from (0,0) to
// just below the size, so that the last whole pixel is inside.
func (b *instance) needPoint(a env.Action) (env.Point, error) {
	if a.Point == nil {
		return env.Point{}, env.Fail(env.BadArgument, "%s needs a point", a.Kind)
	}
	return *a.Point, b.visible(a.Kind, *a.Point)
}

// visible refuses a point that is not on the page's visible part.
func (b *instance) visible(kind env.Kind, at env.Point) error {
	v := b.cfg.Viewport
	inside := func(n float64, size int) bool { return n >= 0 && n < float64(size) } // false for NaN
	if !inside(at.X, v.W) || !inside(at.Y, v.H) {
		return env.Fail(env.BadArgument, "%s at %v is outside the page's visible %v pixels", kind, at, v)
	}
	return nil
}

func (b *instance) planMove(a env.Action) (act, error) {
	at, err := b.needPoint(a)
	if err != nil {
		return nil, err
	}
	return b.settled(func(ctx context.Context, p *page) (env.Outcome, error) {
		hit := b.hit(ctx, p, at)
		if err := b.move(ctx, p, at); err != nil {
			return env.Outcome{}, err
		}
		return env.Outcome{Text: fmt.Sprintf("moved the pointer to %v", at) + on(hit), Hit: hit}, nil
	}), nil
}

// clicks is how the clicking actions differ.
var clicks = map[env.Kind]struct {
	button proto.InputMouseButton
	count  int
	done   string
}{
	env.LeftClick:   {proto.InputMouseButtonLeft, 1, "clicked"},
	env.RightClick:  {proto.InputMouseButtonRight, 1, "right-clicked"},
	env.DoubleClick: {proto.InputMouseButtonLeft, 2, "double-clicked"},
	env.TripleClick: {proto.InputMouseButtonLeft, 3, "triple-clicked"},
}

func (b *instance) planClick(a env.Action) (act, error) {
	at, err := b.needPoint(a)
	if err != nil {
		return nil, err
	}
	c := clicks[a.Kind]
	return func(ctx context.Context, p *page) (env.Outcome, error) {
		var watch *coverWatch
		out, err := b.settled(func(ctx context.Context, p *page) (env.Outcome, error) {
			seen := b.under(ctx, p, at)
			hit := seen.element()
			out := env.Outcome{Text: fmt.Sprintf("%s at %v", c.done, at) + on(hit), Hit: hit}
			if err := b.unmoved(ctx, p, seen); err != nil {
				return out, err
			}
			watch = b.watchCover(ctx, p, seen)
			return out, b.strike(ctx, p, at, c.button, c.count)
		})(ctx, p)
		if err != nil {
			return out, err
		}
		if said := b.clicked(ctx, p); said != "" && a.Kind != env.RightClick {
			out.Text, out.Tell = out.Text+said, true
			return out, nil
		}
		if watch == nil {
			return out, nil
		}
		if said := watch.verdict(ctx, at); said != "" {
			out.Text, out.Tell = out.Text+said, true
		}
		return out, nil
	}, nil
}

// click presses the button count times at a point, unless something else is there
// now than in the last picture.
func (b *instance) click(ctx context.Context, p *page, at env.Point, button proto.InputMouseButton, count int) error {
	if err := b.unmoved(ctx, p, b.under(ctx, p, at)); err != nil {
		return err
	}
	return b.strike(ctx, p, at, button, count)
}

// strike moves there and presses and releases the button count times.
func (b *instance) strike(ctx context.Context, p *page, at env.Point, button proto.InputMouseButton, count int) error {
	if err := b.move(ctx, p, at); err != nil {
		return err
	}
	for n := 1; n <= count; n++ {
		if err := b.still(ctx, p, at); err != nil {
			return err
		}
		if err := b.press(ctx, p, at, button, n, func() error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// press holds the button down while doing what between does. The button is
// released also when that fails or ctx ends.
func (b *instance) press(ctx context.Context, p *page, at env.Point, button proto.InputMouseButton, count int, between func() error) error {
	event := proto.InputDispatchMouseEvent{
		Type: proto.InputDispatchMouseEventTypeMousePressed, X: at.X, Y: at.Y,
		Button: button, Buttons: new(buttonBits[button]), ClickCount: count,
	}
	err := b.mouse(ctx, p, event)
	if err == nil {
		err = between()
	}
	if end := b.where(); end != nil {
		event.X, event.Y = end.X, end.Y
	}
	event.Type, event.Buttons = proto.InputDispatchMouseEventTypeMouseReleased, new(0)
	release, cancel := b.afterwards(ctx)
	defer cancel()
	if released := b.mouse(release, p, event); err == nil {
		err = released
	}
	return err
}

// releaseLimit is how long letting go may take after an action's end: on a busy
// machine longer than a look, and soon enough for who ended it.
const releaseLimit = time.Second

// afterwards gives the context of what has to be done even when ctx has ended.
func (b *instance) afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(b.life, releaseLimit)
}

func (b *instance) move(ctx context.Context, p *page, at env.Point) error {
	if err := b.mouse(ctx, p, moved(at)); err != nil {
		return err
	}
	b.pointAt(at)
	return nil
}

func moved(at env.Point) proto.InputDispatchMouseEvent {
	return proto.InputDispatchMouseEvent{
		Type: proto.InputDispatchMouseEventTypeMouseMoved, X: at.X, Y: at.Y,
		Button: proto.InputMouseButtonNone, Buttons: new(0),
	}
}

func (b *instance) mouse(ctx context.Context, p *page, event proto.InputDispatchMouseEvent) error {
	s, cancel := b.bind(ctx, p)
	defer cancel()
	return event.Call(s)
}

func (b *instance) pointAt(at env.Point) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pointer = &at
}

func (b *instance) where() *env.Point {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pointer
}

// pointerOrCentre is where the pointer is, or the middle of the page when it was
// never moved.
func (b *instance) pointerOrCentre() env.Point {
	if at := b.where(); at != nil {
		return *at
	}
	v := b.cfg.Viewport
	return env.Point{X: math.Floor(float64(v.W) / 2), Y: math.Floor(float64(v.H) / 2)}
}

// hit describes the element under a point, nil when that cannot be found out in
// a moment.
func (b *instance) hit(ctx context.Context, p *page, at env.Point) *env.Element {
	return b.under(ctx, p, at).element()
}

// on names an element in a sentence: `, on button "Add to basket"`.
func on(el *env.Element) string {
	if el == nil || el.Tag == "html" || el.Tag == "body" {
		return ""
	}
	return ", on " + the(el)
}

// the names an element: `button "Add to basket"`.
func the(el *env.Element) string {
	what := el.Role
	if what == "" {
		what = el.Tag
	}
	if el.Name == "" {
		return what
	}
	return fmt.Sprintf("%s %q", what, el.Name)
}
