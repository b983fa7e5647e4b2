package calibrate

import (
	"fmt"
	"math"
	"strings"

	"fara/env"
	"fara/imagebudget"
)

// String says in one line what the answers come to and, when they do not fit,
// what to do.
func (v Verdict) String() string {
	s := v.Score()
	switch v.Why {
	case Fits:
		return fmt.Sprintf("fits: the model counts %s; %d of %d clicks land in a button of %d px, the median error is %.1f px, the worst %.1f px",
			counts(v.Space), s.Landed, s.Asked, Button, s.Median, s.Worst)
	case Offset:
		return fmt.Sprintf("does not fit: read as %s every click lands %s its target, so the picture that the model sees is a moved one; use a server or build that neither pads nor crops pictures",
			counts(v.Space), shift(v.X, v.Y))
	case Scaled:
		return "does not fit: " + v.scaled()
	case Mirrored:
		return "does not fit: the model counts an axis from the far edge, which no dialect does; use another model, or a build whose template is the maker's own"
	case Swapped:
		return fmt.Sprintf("does not fit: the model gives y before x (%s), which no dialect does; use another model, or a build whose template is the maker's own", counts(v.Space))
	case Unused:
		return fmt.Sprintf("does not fit: the model counts CSS pixels of the page of %v although the picture it gets has %v; give a --viewport of %v, for which both are the same",
			v.sizes.Viewport, v.sizes.Picture, v.sizes.Picture)
	case Noisy:
		return fmt.Sprintf("does not fit: the model sees the targets but misses them by %.0f px (median, read as %s); use a larger model or one that is less quantised, or a smaller --viewport, where things are larger to it",
			s.Median, counts(v.Space))
	case Blind:
		return "does not fit: " + v.blind()
	}
	return fmt.Sprintf("does not fit: only %d of %d replies hold a point; try another --dialect or --constrain, and see with fara doctor what the model replies", v.Answered, s.Asked)
}

func (v Verdict) blind() string {
	if v.Constant != nil {
		return fmt.Sprintf("the model always answers [%g, %g], wherever the target is; it does not see the pictures: run fara doctor, and use a model with vision", v.Constant.X, v.Constant.Y)
	}
	return "the model's answers have nothing to do with where the target is; it does not see the pictures, or cannot point: run fara doctor, and use a model with vision that was trained to point"
}

// round is how far the two axes may count from each other and still count the
// same.
const round = 0.02

func (v Verdict) scaled() string {
	far := v.Counted()
	beside := ""
	if dx, dy := math.Abs(v.X.Offset), math.Abs(v.Y.Offset); max(dx, dy) > MaxMedian {
		beside = fmt.Sprintf(", and is moved by %+.0f px and %+.0f px", v.X.Offset, v.Y.Offset)
	}
	w, h := v.sizes.Viewport.W, v.sizes.Viewport.H
	if math.Abs(far.X/far.Y-1) < round && math.Abs(float64(w)/float64(h)-1) > 2*round {
		return fmt.Sprintf("the model counts 0 to %.0f on each axis%s, which no dialect does; use another model, or a build whose template is the maker's own", far.X, beside)
	}
	return fmt.Sprintf("the model counts a picture of about %.0fx%.0f%s, although one of %v was sent, so its server resizes pictures; let it take larger ones, or calibrate again with --viewport %v",
		far.X, far.Y, beside, v.sizes.Picture, env.Size{W: int(math.Round(far.X)), H: int(math.Round(far.Y))})
}

// counts says what a space counts.
func counts(s imagebudget.Space) string {
	switch s {
	case imagebudget.Thousandths:
		return "0 to 1000 on each axis"
	case imagebudget.Pixels:
		return "pixels of the picture"
	case imagebudget.Fractions:
		return "0 to 1 on each axis"
	}
	return "CSS pixels of the page"
}

// shift says where clicks land when the lines have these offsets: a line that adds
// 40 px corrects clicks that land 40 px to the left.
func shift(x, y Line) string {
	var parts []string
	if d := math.Round(-x.Offset); d != 0 {
		parts = append(parts, fmt.Sprintf("%.0f px to the %s of", math.Abs(d), toward(d, "right", "left")))
	}
	if d := math.Round(-y.Offset); d != 0 {
		parts = append(parts, fmt.Sprintf("%.0f px %s", math.Abs(d), toward(d, "below", "above")))
	}
	return strings.Join(parts, " and ")
}

func toward(d float64, positive, negative string) string {
	if d > 0 {
		return positive
	}
	return negative
}
