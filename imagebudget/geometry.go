package imagebudget

import (
	"math"
	"time"

	"fara/env"
	"fara/model"
)

// Space says what a model's coordinates count.
type Space string

// The spaces.
const (
	// Thousandths: 0 to 1000 on each axis, whatever the picture's shape.
	Thousandths Space = "0-1000"
	// Pixels: pixels of the picture as it was sent.
	Pixels Space = "pixels"
	// Fractions: 0 to 1 on each axis.
	Fractions Space = "0-1"
)

// Geometry connects a model's numbers with the page: the one place where the
// two meet.
type Geometry struct {
	// Size is the sent picture's, in its own pixels.
	Size env.Size `json:"size"`
	// Viewport is the page's visible area in CSS pixels.
	Viewport env.Size `json:"viewport"`
	// Space is what the model's coordinates count.
	Space Space `json:"space"`
	// ScrollStep makes every scroll this many CSS pixels long and takes only its
	// direction from the model; 0 takes the model's amount, in its own space.
	ScrollStep float64 `json:"scroll_step,omitempty"`
}

// longestScroll bounds one scroll, in CSS pixels: longer than any page.
const longestScroll = 100_000

// longestWait bounds one wait action.
const longestWait = 60 * time.Second

// defaultWait is how long a wait without a time takes, as the Fara models mean it.
const defaultWait = 3 * time.Second

// ToViewport turns a call's coordinate and distances into CSS pixels. A
// coordinate on the far edge means the last pixel: in thousandths, [1000,1000]
// of a viewport of 1600x400 is (1599, 399). One outside the space is an
// *env.ActionError with code env.BadArgument, since no pixel is meant by it.
// The call's address and text are taken over as they are.
func (g Geometry) ToViewport(call model.Call) (env.Action, error) {
	act := env.Action{Kind: env.Kind(call.Action), Keys: call.Keys}
	if call.Coordinate != nil {
		p, err := g.point(*call.Coordinate)
		if err != nil {
			return env.Action{}, err
		}
		act.Point = &p
	}
	switch act.Kind {
	case env.Type:
		act.Text, act.Enter, act.Clear = value(call.Text), value(call.PressEnter), value(call.DeleteExistingText)
	case env.Scroll:
		// Models count a scroll upwards as positive, pages downwards.
		act.DY = -g.distance(value(call.Pixels), g.Viewport.H, g.Size.H)
	case env.HScroll:
		act.DX = g.distance(value(call.Pixels), g.Viewport.W, g.Size.W)
	case env.VisitURL:
		act.URL = value(call.URL)
	case env.Wait:
		d, err := waitTime(call.Time)
		if err != nil {
			return env.Action{}, err
		}
		act.For = d
	}
	return act, nil
}

func (g Geometry) point(p model.Point) (env.Point, error) {
	x, okX := g.position(p.X, g.Viewport.W, g.Size.W)
	y, okY := g.position(p.Y, g.Viewport.H, g.Size.H)
	if !okX || !okY {
		w, h := g.limits()
		return env.Point{}, env.Fail(env.BadArgument,
			"the point [%g, %g] is outside the screen: x goes from 0 to %g and y from 0 to %g", p.X, p.Y, w, h)
	}
	return env.Point{X: x, Y: y}, nil
}

func (g Geometry) limits() (x, y float64) {
	if g.Space == Thousandths {
		return 1000, 1000
	}
	return float64(g.Size.W), float64(g.Size.H)
}

// position scales one axis: v of size becomes a place on viewport.
func (g Geometry) position(v float64, viewport, size int) (float64, bool) {
	limit := float64(size)
	if g.Space == Thousandths {
		limit = 1000
	}
	if math.IsNaN(v) || v < 0 || v > limit {
		return 0, false
	}
	return min(v/limit*float64(viewport), float64(viewport-1)), true
}

func (g Geometry) distance(v float64, viewport, size int) float64 {
	if g.ScrollStep > 0 && v != 0 {
		return math.Copysign(g.ScrollStep, v)
	}
	d := v / float64(size) * float64(viewport)
	if g.Space == Thousandths {
		d = v / 1000 * float64(viewport)
	}
	return max(-longestScroll, min(longestScroll, d))
}

func waitTime(seconds *float64) (time.Duration, error) {
	if seconds == nil {
		return defaultWait, nil
	}
	// Compared as a number of seconds: a huge one would overflow a Duration.
	if !(*seconds >= 0 && *seconds <= longestWait.Seconds()) {
		return 0, env.Fail(env.BadArgument, "a wait takes from 0 to %g seconds, not %g", longestWait.Seconds(), *seconds)
	}
	return time.Duration(*seconds * float64(time.Second)), nil
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
