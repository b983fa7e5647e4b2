package matrix

import (
	"math"

	"fara/env"
)

// page is a kind of page: a small stage with a target in a scroller, somewhere.
// Points of the stage are in its own pixels, before any transform.
type page struct {
	name   string
	stage  stage
	layers []layer // the frames around it, innermost first
	target env.Point
	end    env.Point // another point of the scroller, where drags end
	wheel  float64   // how many of the scroller's pixels one pixel of the wheel is
	scales bool      // whether to try it at every scale factor
}

// stage says how the document that holds the target shows it.
type stage struct {
	// shape is one of the server's: plain, open, closed, scrolled, inner, first,
	// last.
	shape string
	// css is of the stage; lies maps its points into the document.
	css  string
	lies mapping
}

// layer is a frame around a document.
type layer struct {
	origin origin
	css    string
	lies   mapping // of the framed document's points in the one around it
}

// origin says where a framed document comes from, seen from the top page.
type origin string

const (
	home      origin = "home"      // the top page's own origin
	sibling   origin = "sibling"   // another origin of the same site
	foreign   origin = "foreign"   // another site
	sandboxed origin = "sandboxed" // the top page's, without its rights
)

// client gives a point of the stage in its document.
func (p page) client(stage env.Point) env.Point { return p.stage.lies(stage) }

// place gives a point of the stage on the top page.
func (p page) place(stage env.Point) env.Point {
	at := p.client(stage)
	for _, l := range p.layers {
		at = l.lies(at)
	}
	return at
}

// mapping turns a point in one space into the same in another.
type mapping func(env.Point) env.Point

func by(dx, dy float64) mapping {
	return func(p env.Point) env.Point { return env.Point{X: p.X + dx, Y: p.Y + dy} }
}

// linear applies a matrix of two rows about (0,0).
func linear(a, b, c, d float64) mapping {
	return func(p env.Point) env.Point { return env.Point{X: a*p.X + b*p.Y, Y: c*p.X + d*p.Y} }
}

func turned(degrees float64) mapping {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return linear(cos, -sin, sin, cos)
}

// tilted turns about the vertical axis, seen from a distance in pixels.
func tilted(degrees, distance float64) mapping {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return func(p env.Point) env.Point {
		near := distance / (distance + p.X*sin)
		return env.Point{X: p.X * cos * near, Y: p.Y * near}
	}
}

// then applies mappings one after the other.
func then(ms ...mapping) mapping {
	return func(p env.Point) env.Point {
		for _, m := range ms {
			p = m(p)
		}
		return p
	}
}
