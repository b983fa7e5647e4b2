package chrome

import (
	"errors"
	"math"

	"fara/env"
)

// projection maps points of a plane onto another as a camera does; it covers
// moving, scaling, turning, skewing and perspective. It is a matrix of three rows
// that is applied to (x, y, 1).
type projection [9]float64

// same maps every point to itself.
var same = projection{1, 0, 0, 0, 1, 0, 0, 0, 1}

var errFlat = errors.New("it is seen from the side and has no extent")

func (m projection) to(p env.Point) env.Point {
	w := m[6]*p.X + m[7]*p.Y + m[8]
	return env.Point{X: (m[0]*p.X + m[1]*p.Y + m[2]) / w, Y: (m[3]*p.X + m[4]*p.Y + m[5]) / w}
}

// after applies first, then m.
func (m projection) after(first projection) (out projection) {
	for r := range 3 {
		for c := range 3 {
			for k := range 3 {
				out[3*r+c] += m[3*r+k] * first[3*k+c]
			}
		}
	}
	return out
}

// back finds the point that m maps to p.
func (m projection) back(p env.Point) (env.Point, error) {
	inverse := projection{
		m[4]*m[8] - m[5]*m[7], m[2]*m[7] - m[1]*m[8], m[1]*m[5] - m[2]*m[4],
		m[5]*m[6] - m[3]*m[8], m[0]*m[8] - m[2]*m[6], m[2]*m[3] - m[0]*m[5],
		m[3]*m[7] - m[4]*m[6], m[1]*m[6] - m[0]*m[7], m[0]*m[4] - m[1]*m[3],
	}
	at := inverse.to(p)
	if !finite(at.X) || !finite(at.Y) {
		return env.Point{}, errFlat
	}
	return at, nil
}

// ontoQuad maps a rectangle of w×h pixels with its corner at (0,0) onto the four
// corners x1,y1,…,x4,y4, clockwise from its top left one. (0,0,100,50) onto
// 10,10, 210,10, 210,110, 10,110 maps (50,25) to (110,60).
func ontoQuad(w, h float64, q []float64) (projection, error) {
	if len(q) != 8 || w <= 0 || h <= 0 {
		return same, errFlat
	}
	dx1, dx2, sx := q[2]-q[4], q[6]-q[4], q[0]-q[2]+q[4]-q[6]
	dy1, dy2, sy := q[3]-q[5], q[7]-q[5], q[1]-q[3]+q[5]-q[7]
	det := dx1*dy2 - dx2*dy1
	if math.Abs(det) < 1e-9 {
		return same, errFlat
	}
	g, k := (sx*dy2-dx2*sy)/det, (dx1*sy-sx*dy1)/det
	unit := projection{
		q[2] - q[0] + g*q[2], q[6] - q[0] + k*q[6], q[0],
		q[3] - q[1] + g*q[3], q[7] - q[1] + k*q[7], q[1],
		g, k, 1,
	}
	return unit.after(projection{1 / w, 0, 0, 0, 1 / h, 0, 0, 0, 1}), nil
}

// around is the smallest box that holds the points.
func around(points ...env.Point) env.Rect {
	low, high := points[0], points[0]
	for _, p := range points[1:] {
		low = env.Point{X: math.Min(low.X, p.X), Y: math.Min(low.Y, p.Y)}
		high = env.Point{X: math.Max(high.X, p.X), Y: math.Max(high.Y, p.Y)}
	}
	return env.Rect{X: low.X, Y: low.Y, W: high.X - low.X, H: high.Y - low.Y}
}
