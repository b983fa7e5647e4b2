package imagebudget

import (
	"fmt"
	"math"
	"unicode/utf8"

	"fara/env"
)

// maxAspect is the longest side over the shortest that the models' own
// preprocessing accepts.
const maxAspect = 200

// Grid is how a model family cuts pictures into tokens: squares of Factor
// pixels, and pictures of MinPixels to MaxPixels in all.
type Grid struct {
	// Factor is patch size times merge size: 28 for Qwen2.5-VL, 32 for Qwen3-VL.
	Factor int `json:"factor"`
	// MinPixels and MaxPixels bound width times height.
	MinPixels int `json:"min_pixels"`
	MaxPixels int `json:"max_pixels"`
}

// Fit gives the size nearest to s that the model's server leaves as it is: both
// sides multiples of Factor, the area within the limits, the aspect nearly
// kept. 1440x900 fits as 1440x896 on a grid of 32 and as 1428x896 on one of 28.
// Fit(Fit(s)) equals Fit(s).
//
// It is the smart resize of Qwen's image processor, halves rounded to even as
// Python rounds. An empty size, or one over 200 times longer than wide, is an
// error.
func (g Grid) Fit(s env.Size) (env.Size, error) {
	if s.W <= 0 || s.H <= 0 {
		return env.Size{}, fmt.Errorf("a picture of %v has no pixels", s)
	}
	if float64(max(s.W, s.H))/float64(min(s.W, s.H)) > maxAspect {
		return env.Size{}, fmt.Errorf("a picture of %v is more than %d times longer than wide", s, maxAspect)
	}
	w, h, f := float64(s.W), float64(s.H), float64(g.Factor)
	fit := env.Size{W: g.nearest(w), H: g.nearest(h)}
	switch area := fit.W * fit.H; {
	case area > g.MaxPixels:
		shrink := math.Sqrt(w * h / float64(g.MaxPixels))
		fit.W = max(g.Factor, int(math.Floor(w/shrink/f))*g.Factor)
		fit.H = max(g.Factor, int(math.Floor(h/shrink/f))*g.Factor)
	case area < g.MinPixels:
		grow := math.Sqrt(float64(g.MinPixels) / (w * h))
		fit.W = int(math.Ceil(w*grow/f)) * g.Factor
		fit.H = int(math.Ceil(h*grow/f)) * g.Factor
	}
	return fit, nil
}

func (g Grid) nearest(side float64) int {
	f := float64(g.Factor)
	return max(g.Factor, int(math.RoundToEven(side/f))*g.Factor)
}

// Tokens is what a picture of size s costs once it is fitted: one token a
// square, so 1440x896 costs 1260 on a grid of 32. It is 0 for a size that
// cannot be fitted.
func (g Grid) Tokens(s env.Size) int {
	fit, err := g.Fit(s)
	if err != nil {
		return 0
	}
	return (fit.W / g.Factor) * (fit.H / g.Factor)
}

// TextTokens estimates what a text costs without a tokenizer: a token for four
// characters, and one more. It never counts bytes.
func TextTokens(s string) int { return utf8.RuneCountInString(s)/4 + 1 }
