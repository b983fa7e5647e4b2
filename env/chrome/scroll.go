package chrome

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// wheelLimit is how long a document may take to hear of the wheel.
const wheelLimit = 2 * time.Second

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
	return func(ctx context.Context, p *page) (env.Outcome, error) {
		var seen sight
		_, err := b.settled(func(ctx context.Context, p *page) (env.Outcome, error) {
			seen = b.under(ctx, p, at)
			if err := b.move(ctx, p, at); err != nil {
				return env.Outcome{}, err
			}
			for _, s := range seen.spots {
				_ = b.ask(ctx, p, s, fmt.Sprintf("watchScroll(%v,%v)", s.at.X, s.at.Y), nil)
			}
			return env.Outcome{}, b.mouse(ctx, p, proto.InputDispatchMouseEvent{
				Type: proto.InputDispatchMouseEventTypeMouseWheel, X: at.X, Y: at.Y, DeltaX: dx, DeltaY: dy,
				Button: proto.InputMouseButtonNone, Buttons: new(0),
			})
		})(ctx, p)
		if err != nil {
			return env.Outcome{}, err
		}
		out := b.wheeled(ctx, p, seen).outcome(at, dx, dy)
		out.Hit = seen.element()
		return out, nil
	}
}

// wheeled is what came of turning the wheel, as pageScript's scrollMoved reports
// it: distances in CSS pixels of the document that moved.
type wheeled struct {
	Known bool    `json:"known"`
	Any   bool    `json:"any"` // something moved
	X     float64 `json:"x"`   // how far
	Y     float64 `json:"y"`
	Left  float64 `json:"left"` // what is left on each side of what moved
	Right float64 `json:"right"`
	Up    float64 `json:"up"`
	Down  float64 `json:"down"`
}

// wheeled asks each document at the point. The wheel moves one of them; nothing
// is known when one that the wheel reached cannot tell.
func (b *instance) wheeled(ctx context.Context, p *page, seen sight) wheeled {
	sum := wheeled{Known: len(seen.spots) > 0}
	for i := len(seen.spots) - 1; i >= 0; i-- {
		var w wheeled
		if err := b.askWithin(ctx, p, wheelLimit, seen.spots[i], "scrollMoved()", &w); err == nil && w.Any {
			sum = w
			sum.Known = true
			continue
		} else if err != nil || !w.Known && i == len(seen.spots)-1 {
			sum.Known = false
		}
	}
	return sum
}

func (w wheeled) outcome(at env.Point, dx, dy float64) env.Outcome {
	way := direction(dx, dy)
	if !w.Known {
		return env.Outcome{Text: fmt.Sprintf("turned the wheel %s by %.0f pixels at %v", way, math.Hypot(dx, dy), at)}
	}
	if !w.Any {
		return env.Outcome{Text: fmt.Sprintf("nothing moved: what is at %v cannot be scrolled further %s", at, way), Tell: true}
	}
	text := fmt.Sprintf("scrolled %s by %.0f pixels at %v", way, math.Hypot(w.X, w.Y), at)
	if left := map[string]float64{"left": w.Left, "right": w.Right, "up": w.Up, "down": w.Down}[way]; left < 1 {
		text += "; this was the end"
	}
	return env.Outcome{Text: text}
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
