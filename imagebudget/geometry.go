package imagebudget

import (
	"errors"
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

// Spaces lists the spaces.
func Spaces() []Space { return []Space{Thousandths, Pixels, Fractions} }

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

// overshoot is how far beyond an edge a point may lie, as a share of the axis:
// models that aim at an edge miss it by a few per cent, while one that lies
// further out means no place on this page.
const overshoot = 0.1

// longestShare bounds a scroll that is given as a share of the screen. Nobody
// scrolls further at once, so a larger number counts pixels of the picture.
const longestShare = 10

// errNoSize: what is missing cannot be guessed, and a number of the model's must
// never reach the page as it is.
var errNoSize = errors.New("a point cannot be placed without the sizes of the picture and the page and the space of the model's numbers")

// ToViewport turns a call's points and distances into CSS pixels, each axis on
// its own. A point on the far edge means the last pixel: in thousandths,
// [1000,1000] of a viewport of 1600x400 is (1599, 399).
//
// A point up to a tenth of the axis beyond an edge is moved to the pixel at that
// edge, which Clamps tells: in thousandths, 1 to 100 above 1000 or below 0. One
// further out is an *env.ActionError with code env.BadArgument that names the
// limits. The call's address and text are taken over as they are.
func (g Geometry) ToViewport(call model.Call) (env.Action, error) {
	act := env.Action{Kind: env.Kind(call.Action), Keys: call.Keys}
	var err error
	if act.Point, err = g.place(call.Coordinate); err != nil {
		return env.Action{}, err
	}
	if act.From, err = g.place(call.Start); err != nil {
		return env.Action{}, err
	}
	switch act.Kind {
	case env.Type:
		act.Text, act.Enter, act.Clear = value(call.Text), value(call.PressEnter), value(call.DeleteExistingText)
	case env.Scroll:
		// Models count a scroll upwards as positive, pages downwards.
		act.DY, err = g.distance(-value(call.Pixels), g.Viewport.H, g.Size.H)
	case env.HScroll:
		act.DX, err = g.distance(value(call.Pixels), g.Viewport.W, g.Size.W)
	case env.VisitURL:
		act.URL = value(call.URL)
	case env.Wait:
		act.For, err = waitTime(call.Time)
	}
	if err != nil {
		return env.Action{}, err
	}
	return act, nil
}

// Clamps reports whether ToViewport moves a point of the call to an edge.
func (g Geometry) Clamps(call model.Call) bool {
	w, h := g.limits()
	for _, p := range []*model.Point{call.Coordinate, call.Start} {
		if p != nil && (p.X < 0 || p.X > w || p.Y < 0 || p.Y > h) {
			return true
		}
	}
	return false
}

// place gives a point's place on the page; nil stays nil.
func (g Geometry) place(p *model.Point) (*env.Point, error) {
	if p == nil {
		return nil, nil
	}
	w, h := g.limits()
	if w <= 0 || h <= 0 || g.Viewport.W <= 0 || g.Viewport.H <= 0 {
		return nil, errNoSize
	}
	x, okX := position(p.X, w, g.Viewport.W)
	y, okY := position(p.Y, h, g.Viewport.H)
	if !okX || !okY {
		return nil, env.Fail(env.BadArgument,
			"the point [%g, %g] is outside the screen: x goes from 0 to %g and y from 0 to %g", p.X, p.Y, w, h)
	}
	return &env.Point{X: x, Y: y}, nil
}

// limits are the largest numbers a point may have in the model's space; 0 when
// they are not known.
func (g Geometry) limits() (x, y float64) {
	switch g.Space {
	case Thousandths:
		return 1000, 1000
	case Fractions:
		return 1, 1
	case Pixels:
		return float64(g.Size.W), float64(g.Size.H)
	}
	return 0, 0
}

// position scales one axis: v of limit becomes a place on the viewport. It is
// false for what is too far outside.
func position(v, limit float64, viewport int) (float64, bool) {
	if !(v >= -overshoot*limit && v <= (1+overshoot)*limit) { // NaN is neither
		return 0, false
	}
	return max(0, min(v/limit*float64(viewport), float64(viewport-1))), true
}

// distance scales a length along one axis.
func (g Geometry) distance(v float64, viewport, size int) (float64, error) {
	if math.IsNaN(v) {
		return 0, env.Fail(env.BadArgument, "a scroll needs a number of pixels")
	}
	if v == 0 {
		return 0, nil
	}
	if g.ScrollStep > 0 {
		return math.Copysign(g.ScrollStep, v), nil
	}
	limit := float64(size)
	switch {
	case g.Space == Thousandths:
		limit = 1000
	case g.Space == Fractions && math.Abs(v) <= longestShare:
		limit = 1
	case g.Space != Pixels && g.Space != Fractions:
		limit = 0
	}
	if limit <= 0 || viewport <= 0 {
		return 0, errNoSize
	}
	return max(-longestScroll, min(longestScroll, v/limit*float64(viewport))), nil
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
