package imagebudget_test

import (
	"testing"

	"fara/env"
	"fara/imagebudget"
)

func TestLadderGoesDownToAQuarterAndEnds(t *testing.T) {
	for _, c := range []struct {
		grid     imagebudget.Grid
		viewport env.Size
		rungs    int
	}{
		{imagebudget.Grid{Factor: 32, MinPixels: 3136, MaxPixels: 12845056}, env.Size{W: 1440, H: 896}, 4},
		{imagebudget.Grid{Factor: 28, MinPixels: 3136, MaxPixels: 12845056}, env.Size{W: 1440, H: 900}, 4},
		{imagebudget.Grid{Factor: 28, MinPixels: 3136, MaxPixels: 1_000_000}, env.Size{W: 2560, H: 1440}, 4},
		{imagebudget.Grid{Factor: 28, MinPixels: 3136, MaxPixels: 12845056}, env.Size{W: 56, H: 56}, 0},
	} {
		full, err := c.grid.Fit(c.viewport)
		if err != nil {
			t.Fatal(err)
		}
		now, rungs := full, 0
		for ; rungs < 10; rungs++ {
			pixels, ok := c.grid.Smaller(c.viewport, now)
			if !ok {
				break
			}
			small := c.grid.Within(pixels)
			next, err := small.Fit(c.viewport)
			if err != nil || next.W*next.H >= now.W*now.H || next.W*next.H > pixels || small.Tokens(c.viewport) != (next.W/c.grid.Factor)*(next.H/c.grid.Factor) {
				t.Fatalf("%v below %v: got %v for %d pixels, %v", c.viewport, now, next, pixels, err)
			}
			now = next
		}
		if rungs != c.rungs {
			t.Errorf("%v: got %d rungs, want %d", c.viewport, rungs, c.rungs)
		}
		if area := now.W * now.H * 100 / (full.W * full.H); c.rungs > 0 && (area > 25 || area < 18) {
			t.Errorf("%v: the last rung %v has %d %% of the pixels, want about a quarter", c.viewport, now, area)
		}
	}
}

func TestWithinNeverGoesBelowTheLeast(t *testing.T) {
	g := imagebudget.Grid{Factor: 28, MinPixels: 3136, MaxPixels: 10_000}
	for pixels, want := range map[int]int{0: 10_000, 20_000: 10_000, 5000: 5000, 1: 3136} {
		if got := g.Within(pixels).MaxPixels; got != want {
			t.Errorf("within %d pixels: got %d, want %d", pixels, got, want)
		}
	}
}

func TestSteadyDropsInBlocks(t *testing.T) {
	for _, c := range []struct {
		limit, room int
		want        []int // frames in the first requests
	}{
		{3, 0, []int{1, 2, 3, 1, 2, 3, 1}},
		{1, 0, []int{1, 1, 1}},
		{2, 0, []int{1, 2, 1, 2}},
		{5, 0, []int{1, 2, 3, 4, 5, 2, 3, 4, 5, 2}},
		{5, 300, []int{1, 2, 3, 1, 2, 3, 1}}, // three of 100 tokens fit
		{3, 50, []int{1, 1, 1}},              // not even one fits, and the newest stays
	} {
		held := 0
		var tokens []int
		for i, want := range c.want {
			tokens = append(tokens, 100)
			held = imagebudget.Steady(tokens, held+1, c.limit, c.room)
			if held != want {
				t.Errorf("limit %d, room %d, request %d: got %d frames, want %d", c.limit, c.room, i+1, held, want)
			}
		}
	}
}
