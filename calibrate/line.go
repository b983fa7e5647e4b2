package calibrate

import (
	"cmp"
	"math"
	"slices"
)

// Line is how one axis of the page follows from the answers:
// CSS pixels = Scale × answer + Offset.
type Line struct {
	Scale  float64 `json:"scale"`
	Offset float64 `json:"offset_px"`
}

// At gives the place in CSS pixels that an answer stands for.
func (l Line) At(answer float64) float64 { return l.Scale*answer + l.Offset }

// through finds the line by the median of the slopes between all pairs, so that
// up to a quarter of the answers may be anything (Theil and Sen). It is false
// when all answers are the same.
func through(answers, css []float64) (Line, bool) {
	var slopes []float64
	for i := range answers {
		for j := range i {
			if run := answers[i] - answers[j]; run != 0 {
				slopes = append(slopes, (css[i]-css[j])/run)
			}
		}
	}
	if len(slopes) == 0 {
		return Line{}, false
	}
	l := Line{Scale: median(slopes)}
	rest := make([]float64, len(css))
	for i := range css {
		rest[i] = css[i] - l.Scale*answers[i]
	}
	l.Offset = median(rest)
	return l, true
}

// together is Spearman's rank correlation, -1 to 1: whether a grows when b does,
// however much. It is 0 when one of them never changes.
func together(a, b []float64) float64 {
	ra, rb := ranks(a), ranks(b)
	mean := float64(len(a)-1) / 2
	var ab, aa, bb float64
	for i := range ra {
		da, db := ra[i]-mean, rb[i]-mean
		ab, aa, bb = ab+da*db, aa+da*da, bb+db*db
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// ranks gives each value its place in the order, from 0; equal ones share the
// mean of theirs.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return out
}
