package imagebudget_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"fara/env"
	"fara/imagebudget"
)

var (
	grid28 = imagebudget.Grid{Factor: 28, MinPixels: 3136, MaxPixels: 12845056}
	grid32 = imagebudget.Grid{Factor: 32, MinPixels: 3136, MaxPixels: 12845056}
)

func TestFitMatchesTheModelsPreprocessing(t *testing.T) {
	small := imagebudget.Grid{Factor: 28, MinPixels: 3136, MaxPixels: 2_000_000}
	for _, c := range []struct {
		grid     imagebudget.Grid
		in, want env.Size
	}{
		{grid32, env.Size{W: 1440, H: 900}, env.Size{W: 1440, H: 896}},
		{grid28, env.Size{W: 1440, H: 900}, env.Size{W: 1428, H: 896}},
		{grid32, env.Size{W: 1280, H: 720}, env.Size{W: 1280, H: 704}},
		{grid28, env.Size{W: 1280, H: 720}, env.Size{W: 1288, H: 728}},
		{grid32, env.Size{W: 1280, H: 800}, env.Size{W: 1280, H: 800}},
		{grid28, env.Size{W: 1280, H: 800}, env.Size{W: 1288, H: 812}},
		{grid32, env.Size{W: 1920, H: 1080}, env.Size{W: 1920, H: 1088}},
		{grid28, env.Size{W: 1920, H: 1080}, env.Size{W: 1932, H: 1092}},
		{grid32, env.Size{W: 1366, H: 768}, env.Size{W: 1376, H: 768}},
		{grid28, env.Size{W: 1366, H: 768}, env.Size{W: 1372, H: 756}},
		{grid32, env.Size{W: 1536, H: 864}, env.Size{W: 1536, H: 864}},
		{grid28, env.Size{W: 1536, H: 864}, env.Size{W: 1540, H: 868}},
		{grid32, env.Size{W: 1512, H: 982}, env.Size{W: 1504, H: 992}},
		{grid28, env.Size{W: 1512, H: 982}, env.Size{W: 1512, H: 980}},
		{grid28, env.Size{W: 1302, H: 1302}, env.Size{W: 1288, H: 1288}}, // 46.5 rounds to 46
		{grid32, env.Size{W: 2560, H: 1440}, env.Size{W: 2560, H: 1440}},
		{grid28, env.Size{W: 2560, H: 1440}, env.Size{W: 2548, H: 1428}},
		{grid32, env.Size{W: 3840, H: 2160}, env.Size{W: 3840, H: 2176}},
		{grid28, env.Size{W: 3840, H: 2160}, env.Size{W: 3836, H: 2156}},
		{grid32, env.Size{W: 7680, H: 4320}, env.Size{W: 4768, H: 2688}},
		{grid28, env.Size{W: 7680, H: 4320}, env.Size{W: 4760, H: 2688}},
		{grid32, env.Size{W: 20, H: 20}, env.Size{W: 64, H: 64}},
		{grid28, env.Size{W: 20, H: 20}, env.Size{W: 56, H: 56}},
		{grid32, env.Size{W: 48, H: 80}, env.Size{W: 64, H: 64}},
		{grid28, env.Size{W: 48, H: 80}, env.Size{W: 56, H: 84}},
		{small, env.Size{W: 3000, H: 2000}, env.Size{W: 1708, H: 1148}},
	} {
		got, err := c.grid.Fit(c.in)
		if err != nil || got != c.want {
			t.Errorf("Fit(%v) on %d: got %v, %v, want %v", c.in, c.grid.Factor, got, err, c.want)
		}
	}
}

func TestFitLeavesFittedSizesAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		in := env.Size{W: 30 + rng.IntN(4000), H: 30 + rng.IntN(3000)}
		for _, g := range []imagebudget.Grid{grid28, grid32} {
			once, err := g.Fit(in)
			if err != nil {
				t.Fatalf("Fit(%v): %v", in, err)
			}
			if twice, _ := g.Fit(once); twice != once {
				t.Fatalf("Fit(Fit(%v)) on %d: got %v, want %v", in, g.Factor, twice, once)
			}
		}
	}
}

func TestFitRefusesWhatNoModelTakes(t *testing.T) {
	for _, s := range []env.Size{{W: 1000, H: 4}, {W: 0, H: 5}, {W: 5, H: -1}} {
		if got, err := grid32.Fit(s); err == nil {
			t.Errorf("Fit(%v): got %v, want an error", s, got)
		}
	}
}

func TestTokensCountSquares(t *testing.T) {
	for _, c := range []struct {
		grid imagebudget.Grid
		in   env.Size
		want int
	}{
		{grid28, env.Size{W: 1280, H: 800}, 1334}, {grid32, env.Size{W: 1280, H: 800}, 1000},
		{grid28, env.Size{W: 1440, H: 900}, 1632}, {grid32, env.Size{W: 1440, H: 900}, 1260},
		{grid28, env.Size{W: 1920, H: 1080}, 2691}, {grid32, env.Size{W: 1920, H: 1080}, 2040},
	} {
		if got := c.grid.Tokens(c.in); got != c.want {
			t.Errorf("Tokens(%v) on %d: got %d, want %d", c.in, c.grid.Factor, got, c.want)
		}
	}
}

func TestTextTokensCountCharacters(t *testing.T) {
	for text, want := range map[string]int{"": 1, "abcd": 2, strings.Repeat("é", 400): 101} {
		if got := imagebudget.TextTokens(text); got != want {
			t.Errorf("TextTokens(%.10q): got %d, want %d", text, got, want)
		}
	}
}

func TestWindowDropsOldestFirstAndKeepsTheNewest(t *testing.T) {
	for _, c := range []struct {
		tokens          []int
		maxFrames, room int
		want            int
	}{
		{nil, 3, 0, 0},
		{[]int{9}, 3, 0, 1},
		{[]int{9, 9, 9, 9, 9}, 3, 0, 3},
		{[]int{9, 9, 9, 9, 9}, 1, 0, 1},
		{[]int{9, 9, 9, 9, 9}, 0, 0, 5},
		{[]int{1260, 1260, 1260}, 3, 3000, 2},
		{[]int{5000, 10, 10}, 3, 30, 2},
		{[]int{10, 10, 5000}, 3, 30, 1}, // the newest stays even when it does not fit
		{[]int{10, 10, 10}, 3, 30, 3},
	} {
		if got := imagebudget.Window(c.tokens, c.maxFrames, c.room); got != c.want {
			t.Errorf("Window(%v, %d, %d): got %d, want %d", c.tokens, c.maxFrames, c.room, got, c.want)
		}
	}
}
