package calibrate

import (
	"math/rand/v2"

	"fara/env"
)

// Disc is a target's diameter and Button the side of the button a click has to
// land in, both in CSS pixels around the same middle: a model that hits Button is
// good enough for the small icons of real pages.
const (
	Disc   = 36
	Button = 24
)

// MinTargets is the least number of targets that tells the spaces apart for sure.
const MinTargets = 10

// margin is how far a target's middle stays from the edges, in CSS pixels: its
// whole disc is seen, with little to spare.
const margin = Disc/2 + 4

// seed makes the places the same in every run.
const seed = 20

// Targets spreads the middles of n targets over a page of that size in CSS pixels:
// of four in turn one is near a corner, one near an edge and two are inside. The
// same size and number give the same places.
func Targets(viewport env.Size, n int) []env.Point {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	out := make([]env.Point, n)
	for i := range out {
		x, y := place(rng, i)
		out[i] = env.Point{X: along(viewport.W, x), Y: along(viewport.H, y)}
	}
	return out
}

// place gives the i-th place as shares of the sides, 0 to 1. Sides and corners
// are taken in turn, and the quarters of the inside too.
func place(rng *rand.Rand, i int) (x, y float64) {
	round := i / 4
	near := 0.04 * rng.Float64()
	switch i % 4 {
	case 0: // a corner
		return side(round&1 == 0, near), side(round&2 == 0, 0.04*rng.Float64())
	case 1: // an edge
		mid := 0.2 + 0.6*rng.Float64()
		if round&1 == 0 {
			return side(round&2 != 0, near), mid
		}
		return mid, side(round&2 != 0, near)
	}
	quarter := round*2 + i%4
	return inside(rng, quarter&1), inside(rng, quarter>>1&1)
}

func side(first bool, near float64) float64 {
	if first {
		return near
	}
	return 1 - near
}

func inside(rng *rand.Rand, half int) float64 { return 0.1 + 0.4*float64(half) + 0.4*rng.Float64() }

// along is a share of a side as a whole CSS pixel that keeps the margin.
func along(length int, share float64) float64 {
	return float64(int(margin + share*float64(length-2*margin)))
}
