package chrome

import (
	"context"
	"fmt"
	"math"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

func (b *instance) planScroll(a env.Action) (act, error) {
	if !finite(a.DX) || !finite(a.DY) || (a.DX == 0 && a.DY == 0) {
		return nil, env.Fail(env.BadArgument, "%s needs a distance in pixels that is not zero", a.Kind)
	}
	at := b.pointerOrCentre()
	if a.Point != nil {
		var err error
		if at, err = b.needPoint(a); err != nil {
			return nil, err
		}
	}
	return b.scroll(at, a.DX, a.DY), nil
}

func finite(n float64) bool { return !math.IsNaN(n) && !math.IsInf(n, 0) }

// scroll turns the wheel at a point and tells when nothing moved, which a
// picture cannot show.
func (b *instance) scroll(at env.Point, dx, dy float64) act {
	var hit *env.Element
	turn := b.settled(func(ctx context.Context, p *page) (env.Outcome, error) {
		hit = b.hit(ctx, p, at)
		if err := b.move(ctx, p, at); err != nil {
			return env.Outcome{}, err
		}
		_ = b.script(ctx, p, fmt.Sprintf("watchScroll(%v,%v)", at.X, at.Y), nil)
		return env.Outcome{}, b.mouse(ctx, p, proto.InputDispatchMouseEvent{
			Type: proto.InputDispatchMouseEventTypeMouseWheel, X: at.X, Y: at.Y, DeltaX: dx, DeltaY: dy,
			Button: proto.InputMouseButtonNone, Buttons: new(0),
		})
	})
	return func(ctx context.Context, p *page) (env.Outcome, error) {
		if _, err := turn(ctx, p); err != nil {
			return env.Outcome{}, err
		}
		var result struct{ Known, Moved bool }
		_ = b.script(ctx, p, "scrollMoved()", &result)
		way := direction(dx, dy)
		if result.Known && !result.Moved {
			return env.Outcome{Text: fmt.Sprintf("nothing moved: what is at %v cannot be scrolled further %s", at, way), Tell: true, Hit: hit}, nil
		}
		return env.Outcome{Text: fmt.Sprintf("scrolled %s by %.0f pixels at %v", way, math.Hypot(dx, dy), at), Hit: hit}, nil
	}
}

func direction(dx, dy float64) string {
	switch {
	case math.Abs(dx) > math.Abs(dy) && dx > 0:
		return "right"
	case math.Abs(dx) > math.Abs(dy):
		return "left"
	case dy > 0:
		return "down"
	}
	return "up"
}
