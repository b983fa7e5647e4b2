package calibrate

import (
	"math"

	"fara/env"
	"fara/imagebudget"
	"fara/model"
)

// Why is what the answers come to.
type Why string

// What answers come to.
const (
	Fits Why = "fits"
	// Offset: always off by the same way.
	Offset Why = "offset"
	// Scaled: they count a screen of another size.
	Scaled Why = "scaled"
	// Mirrored: an axis is counted from the far edge.
	Mirrored Why = "mirrored"
	// Swapped: y comes before x.
	Swapped Why = "swapped"
	// Unused: they count CSS pixels, which no dialect does.
	Unused Why = "viewport"
	// Noisy: they follow the targets, but not closely enough.
	Noisy Why = "noisy"
	// Blind: they have nothing to do with the targets.
	Blind Why = "blind"
	// Unread: too few replies hold a point.
	Unread Why = "unread"
)

// Verdict is what a model's answers to all targets come to.
type Verdict struct {
	Why Why `json:"why"`
	// Space is the one that fits, or else the one that comes nearest.
	Space imagebudget.Space `json:"space"`
	// Scores are those of every space.
	Scores []Score `json:"scores"`
	// X and Y are the lines through the answers; with Swapped each axis follows from
	// the other number. Both are zero when there are none.
	X Line `json:"x"`
	Y Line `json:"y"`
	// Answered is how many replies held a point.
	Answered int `json:"answered"`
	// Constant is the point of every answer when they are all the same.
	Constant *model.Point `json:"constant,omitempty"`

	sizes Sizes
}

// Score is the one of Space.
func (v Verdict) Score() Score {
	for _, s := range v.Scores {
		if s.Space == v.Space {
			return s
		}
	}
	return Score{}
}

// follows is the rank correlation from which on answers are thought to follow the
// targets; of ten random ones it happens once in a thousand, on both axes once in
// a million.
const follows = 0.8

// Judge tells which space the answers are in, or why in none. own is the space of
// the dialect that asked: it is taken when another fits hardly better.
func Judge(shots []Shot, sizes Sizes, own imagebudget.Space) Verdict {
	v := Verdict{Scores: Scores(shots, sizes), sizes: sizes}
	c := columnsOf(shots)
	v.Answered = len(c.x)
	v.choose(own)
	switch {
	case v.Score().Fits && v.Space == CSS:
		v.Why = Unused
	case v.Score().Fits:
		v.Why = Fits
	case !enough(v.Answered, len(shots)):
		v.Why = Unread
	case c.constant():
		v.Why, v.Constant = Blind, &model.Point{X: c.x[0], Y: c.y[0]}
	default:
		v.explain(c, own)
	}
	if v.X == (Line{}) {
		v.X, _ = through(c.x, c.toX)
		v.Y, _ = through(c.y, c.toY)
	}
	return v
}

// nearly is the difference of median errors, in CSS pixels, that does not make one
// space better than another.
const nearly = 1

// choose takes the space with the smallest median error of those that fit, one
// that dialects have if possible, and of all when none does.
func (v *Verdict) choose(own imagebudget.Space) {
	v.Space = own
	for _, ok := range []func(Score) bool{
		func(s Score) bool { return s.Fits && s.Space != CSS },
		func(s Score) bool { return s.Fits },
		func(s Score) bool { return s.Median >= 0 },
	} {
		if best, found := smallest(v.Scores, own, ok); found {
			v.Space = best
			return
		}
	}
}

func smallest(scores []Score, own imagebudget.Space, ok func(Score) bool) (best imagebudget.Space, found bool) {
	least := math.Inf(1)
	for _, s := range scores {
		m := s.Median
		if s.Space == own {
			m -= nearly
		}
		if ok(s) && m < least {
			least, best, found = m, s.Space, true
		}
	}
	return best, found
}

// explain finds out why answers that are all there fit no space.
func (v *Verdict) explain(c columns, own imagebudget.Space) {
	if x, y, ok := c.lines(); ok {
		v.X, v.Y = x, y
		v.Why = v.relate(own)
		return
	}
	if x, y, ok := c.swapped().lines(); ok {
		v.Why, v.X, v.Y = Swapped, x, y
		v.relate(own)
		return
	}
	switch {
	case together(c.x, c.toX) > follows && together(c.y, c.toY) > follows:
		v.Why = Noisy
	case together(c.y, c.toX) > follows && together(c.x, c.toY) > follows:
		v.Why = Swapped
	default:
		v.Why = Blind
	}
}

// relate names the space whose units are nearest to the lines, and whether it
// is moved or scaled against them.
func (v *Verdict) relate(own imagebudget.Space) Why {
	nearest := math.Inf(1)
	var unit units
	for _, u := range v.sizes.candidates() {
		if u.space == CSS {
			continue
		}
		d := math.Abs(math.Log(v.X.Scale/u.x)) + math.Abs(math.Log(v.Y.Scale/u.y))
		if u.space == own {
			d -= 0.001
		}
		if d < nearest { // never for a line that falls, whose logarithm is none
			nearest, unit = d, u
		}
	}
	if unit.space == "" {
		return Mirrored
	}
	v.Space = unit.space
	grows := max(math.Abs(v.X.Scale/unit.x-1)*float64(v.sizes.Viewport.W), math.Abs(v.Y.Scale/unit.y-1)*float64(v.sizes.Viewport.H))
	if grows <= MaxMedian {
		return Offset
	}
	return Scaled
}

// Counted is the screen that the answers count: the number that would stand for
// the far edge, on each axis. A model that answers in pixels of a picture of
// 1008x644 gives (1008, 644). It is zero when there are no lines.
func (v Verdict) Counted() env.Point {
	if v.X.Scale == 0 || v.Y.Scale == 0 {
		return env.Point{}
	}
	return env.Point{X: float64(v.sizes.Viewport.W) / v.X.Scale, Y: float64(v.sizes.Viewport.H) / v.Y.Scale}
}

// columns are the answered shots by axis.
type columns struct{ x, y, toX, toY []float64 }

func columnsOf(shots []Shot) columns {
	var c columns
	for _, s := range shots {
		if s.Raw == nil {
			continue
		}
		c.x, c.y = append(c.x, s.Raw.X), append(c.y, s.Raw.Y)
		c.toX, c.toY = append(c.toX, s.Target.X), append(c.toY, s.Target.Y)
	}
	return c
}

func (c columns) swapped() columns { return columns{x: c.y, y: c.x, toX: c.toX, toY: c.toY} }

func (c columns) constant() bool {
	for i := range c.x {
		if c.x[i] != c.x[0] || c.y[i] != c.y[0] {
			return false
		}
	}
	return true
}

// lines gives the lines through both axes; false when clicks that are corrected
// by them would not land either.
func (c columns) lines() (x, y Line, ok bool) {
	x, okX := through(c.x, c.toX)
	y, okY := through(c.y, c.toY)
	if !okX || !okY {
		return x, y, false
	}
	landed := 0
	for i := range c.x {
		if math.Abs(x.At(c.x[i])-c.toX[i]) <= Landing && math.Abs(y.At(c.y[i])-c.toY[i]) <= Landing {
			landed++
		}
	}
	return x, y, enough(landed, len(c.x))
}
