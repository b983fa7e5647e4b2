package envtest

import (
	"fmt"
	"math"
	"testing"

	"fara/env"
	"fara/env/envtest/matrix"
)

// matrixCases run the whole matrix at a scale factor of one, and the part of it
// that scaling could break at others.
func matrixCases() []browserCase {
	cases := []browserCase{{name: "EveryActionLandsOnItsPixelOnEveryPage", options: matrixOptions(1), run: func(t *testing.T, b *Tab) {
		runMatrix(t, b, 1, (*matrix.Site).Cells)
	}}}
	for _, scale := range []float64{1.25, 1.5, 2, 3} {
		cases = append(cases, browserCase{name: fmt.Sprintf("EveryActionLandsAtScale%v", scale), options: matrixOptions(scale), run: func(t *testing.T, b *Tab) {
			runMatrix(t, b, scale, (*matrix.Site).Few)
		}})
	}
	return cases
}

func matrixOptions(scale float64) func(*testing.T) Options {
	return func(*testing.T) Options { return Options{Viewport: matrix.Viewport, Scale: scale} }
}

func runMatrix(t *testing.T, b *Tab, scale float64, cells func(*matrix.Site) []matrix.Cell) {
	site, err := matrix.Serve()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := site.Close(); err != nil {
			t.Error(err)
		}
	}()
	pixels := func(n int) int { return int(math.Round(float64(n) * scale)) }
	if got, want := b.See().ImageSize, (env.Size{W: pixels(matrix.Viewport.W), H: pixels(matrix.Viewport.H)}); got != want {
		t.Errorf("picture of %v at scale %v: got %v, want %v", matrix.Viewport, scale, got, want)
	}
	for _, row := range matrix.Rows(t.Context(), b, scale, cells(site)) {
		if row.Err != nil {
			t.Errorf("%s on %s at scale %v: %v", row.Action, row.Page, row.Scale, row.Err)
		}
	}
}
