package imagebudget

import "fara/env"

// ladder holds the shares of a picture's pixels, in per cent, that are tried one
// after the other when a server cannot take the whole. The last one halves both
// sides: below that, ordinary text cannot be read.
var ladder = []int{70, 50, 35, 25}

// Within is the grid for pictures of at most that many pixels, width times
// height; 0 leaves it as it is. It never goes below MinPixels.
func (g Grid) Within(pixels int) Grid {
	if pixels > 0 {
		g.MaxPixels = max(g.MinPixels, min(g.MaxPixels, pixels))
	}
	return g
}

// Smaller gives the next lower limit of pixels for pictures of a viewport that
// are sent at size now: 70, 50, 35 and 25 per cent of the full picture's. It is
// false when there is none below.
//
// 1440x896 has 1,290,240 pixels on a grid of 32; the first limit is 903,168, at
// which Fit gives 1184x736.
func (g Grid) Smaller(viewport, now env.Size) (pixels int, ok bool) {
	full, err := g.Fit(viewport)
	if err != nil {
		return 0, false
	}
	for _, share := range ladder {
		pixels = full.W * full.H * share / 100
		fit, err := g.Within(pixels).Fit(viewport)
		if err == nil && fit.W*fit.H < now.W*now.H {
			return pixels, true
		}
	}
	return 0, false
}
