package calibrate

import (
	"math"
	"slices"

	"fara/env"
	"fara/imagebudget"
	"fara/model"
)

// Limits of what fits. A click lands when it is no more than half a Button away
// from the target's middle on either axis.
const (
	// Landing is that half, in CSS pixels.
	Landing = Button / 2
	// MaxMedian is the largest median error in CSS pixels: half of Landing, so that
	// an ordinary click is well inside.
	MaxMedian = Landing / 2
	// MinLanded is the least share of all targets on which the click landed.
	MinLanded = 0.9
)

// CSS is the page's own pixels as a space. It is scored beside the spaces that
// dialects have, to tell when a model counts in it; no dialect does.
const CSS imagebudget.Space = "viewport"

// Sizes connect a page with its picture.
type Sizes struct {
	// Viewport is the page's visible area in CSS pixels.
	Viewport env.Size `json:"viewport"`
	// Picture is the sent picture's size in its own pixels.
	Picture env.Size `json:"picture"`
}

// Shot is one target and what the model answered.
type Shot struct {
	// Target is the target's middle in CSS pixels.
	Target env.Point
	// Raw is the answer's point, numbers as the model wrote them; nil when the reply
	// held none.
	Raw *model.Point
}

// Score is how well one space explains the answers.
type Score struct {
	Space imagebudget.Space `json:"space"`
	// Median and Worst are errors in CSS pixels over the answered targets, where the
	// error of a click is the greater one of its two axes. Both are -1 when nothing
	// was answered.
	Median float64 `json:"median_px"`
	Worst  float64 `json:"worst_px"`
	// Landed is on how many of the asked targets the click landed.
	Landed int  `json:"landed"`
	Asked  int  `json:"asked"`
	Fits   bool `json:"fits"`
}

// units is a space as CSS pixels for one of its units.
type units struct {
	space imagebudget.Space
	x, y  float64
}

// candidates are the spaces the answers are read in. CSS is one only where it
// differs from the picture's pixels.
func (s Sizes) candidates() []units {
	w, h := float64(s.Viewport.W), float64(s.Viewport.H)
	all := []units{
		{imagebudget.Thousandths, w / 1000, h / 1000},
		{imagebudget.Pixels, w / float64(s.Picture.W), h / float64(s.Picture.H)},
		{imagebudget.Fractions, w, h},
	}
	if s.Viewport != s.Picture {
		all = append(all, units{CSS, 1, 1})
	}
	return all
}

// Point is where an answer in that space is on the page, in CSS pixels and also
// outside of it; false for a space there is not.
func (s Sizes) Point(space imagebudget.Space, raw model.Point) (env.Point, bool) {
	for _, u := range s.candidates() {
		if u.space == space {
			return env.Point{X: raw.X * u.x, Y: raw.Y * u.y}, true
		}
	}
	return env.Point{}, false
}

// Off is how far a click is from its target on each axis, in CSS pixels; right
// and down are positive.
func Off(target, click env.Point) (dx, dy float64) { return click.X - target.X, click.Y - target.Y }

// Scores reads the same answers in every space, in a fixed order.
func Scores(shots []Shot, sizes Sizes) []Score {
	var out []Score
	for _, u := range sizes.candidates() {
		out = append(out, score(u.space, shots, func(raw model.Point) env.Point {
			return env.Point{X: raw.X * u.x, Y: raw.Y * u.y}
		}))
	}
	return out
}

func score(space imagebudget.Space, shots []Shot, read func(model.Point) env.Point) Score {
	s := Score{Space: space, Median: -1, Worst: -1, Asked: len(shots)}
	var errs []float64
	for _, shot := range shots {
		if shot.Raw == nil {
			continue
		}
		dx, dy := Off(shot.Target, read(*shot.Raw))
		e := max(math.Abs(dx), math.Abs(dy))
		if e <= Landing {
			s.Landed++
		}
		errs = append(errs, e)
	}
	if len(errs) > 0 {
		s.Median, s.Worst = hundredths(median(errs)), hundredths(slices.Max(errs))
	}
	s.Fits = enough(s.Landed, len(shots)) && s.Median <= MaxMedian
	return s
}

// enough reports whether so many of all are the share that has to land.
func enough(n, all int) bool { return n > 0 && float64(n) >= MinLanded*float64(all) }

// median does not change values; of an even number it is the mean of the two in
// the middle. It is NaN of none.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
