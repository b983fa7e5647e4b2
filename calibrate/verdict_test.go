package calibrate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"fara/calibrate"
	"fara/env"
	"fara/imagebudget"
	"fara/model"
)

// wide is what a page of 1440x900 is to a dialect with a grid of 28.
var wide = calibrate.Sizes{Viewport: env.Size{W: 1440, H: 900}, Picture: env.Size{W: 1428, H: 896}}

// answering has a model answer every target: how gives its point for shares of
// the screen.
func answering(sizes calibrate.Sizes, n int, how func(x, y float64) *model.Point) []calibrate.Shot {
	var shots []calibrate.Shot
	for _, t := range calibrate.Targets(sizes.Viewport, n) {
		shots = append(shots, calibrate.Shot{Target: t, Raw: how(t.X/float64(sizes.Viewport.W), t.Y/float64(sizes.Viewport.H))})
	}
	return shots
}

func at(x, y float64) *model.Point { return &model.Point{X: math.Round(x), Y: math.Round(y)} }

func TestAnswersAreToldApart(t *testing.T) {
	noise := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		name  string
		how   func(x, y float64) *model.Point
		why   calibrate.Why
		space imagebudget.Space
		says  string
	}{
		{"thousandths", func(x, y float64) *model.Point { return at(x*1000, y*1000) }, calibrate.Fits, imagebudget.Thousandths, "0 to 1000"},
		{"pixels", func(x, y float64) *model.Point { return at(x*1428, y*896) }, calibrate.Fits, imagebudget.Pixels, "pixels of the picture"},
		{"fractions", func(x, y float64) *model.Point { return &model.Point{X: x, Y: y} }, calibrate.Fits, imagebudget.Fractions, "0 to 1 on each"},
		{"small noise", func(x, y float64) *model.Point {
			return at(x*1000+noise.NormFloat64()*2, y*1000+noise.NormFloat64()*2)
		}, calibrate.Fits, imagebudget.Thousandths, "12 of 12"},
		{"large noise", func(x, y float64) *model.Point {
			return at(x*1000+noise.NormFloat64()*30, y*1000+noise.NormFloat64()*30)
		}, calibrate.Noisy, imagebudget.Thousandths, "misses them by"},
		{"offset in pixels", func(x, y float64) *model.Point { return at(x*1428+40, y*896-25) }, calibrate.Offset, imagebudget.Pixels, "40 px to the right of and 25 px above"},
		{"offset down alone", func(x, y float64) *model.Point { return at(x*1000, y*1000+30) }, calibrate.Offset, imagebudget.Thousandths, "lands 27 px below its target"},
		{"shrunk by the server", func(x, y float64) *model.Point { return at(x*1008, y*644) }, calibrate.Scaled, "", "--viewport 1008x644"},
		{"doubled", func(x, y float64) *model.Point { return at(x*2856, y*1792) }, calibrate.Scaled, imagebudget.Pixels, "about 2856x179"},
		{"0 to 100", func(x, y float64) *model.Point { return at(x*100, y*100) }, calibrate.Scaled, "", "0 to 100 on each axis"},
		{"0 to 1024", func(x, y float64) *model.Point { return at(x*1024, y*1024) }, calibrate.Scaled, imagebudget.Thousandths, "0 to 1024 on each axis"},
		{"letterbox", func(x, y float64) *model.Point { return at(x*1000, (y*900+270)/1440*1000) }, calibrate.Scaled, "", "moved by"},
		{"y first", func(x, y float64) *model.Point { return at(y*1000, x*1000) }, calibrate.Swapped, imagebudget.Thousandths, "y before x (0 to 1000 on each axis)"},
		{"y first in pixels", func(x, y float64) *model.Point { return at(y*896, x*1428) }, calibrate.Swapped, imagebudget.Pixels, "y before x (pixels of the picture)"},
		{"y first and noisy", func(x, y float64) *model.Point {
			return at(y*1000+noise.NormFloat64()*30, x*1000+noise.NormFloat64()*30)
		}, calibrate.Swapped, "", "y before x"},
		{"from below", func(x, y float64) *model.Point { return at(x*1000, 1000-y*1000) }, calibrate.Mirrored, "", "far edge"},
		{"random", func(x, y float64) *model.Point { return at(noise.Float64()*1000, noise.Float64()*1000) }, calibrate.Blind, "", "does not see"},
		{"constant", func(x, y float64) *model.Point { return at(500, 500) }, calibrate.Blind, "", "always answers [500, 500]"},
		{"nearly constant", func(x, y float64) *model.Point { return at(500+noise.Float64()*9, 500+noise.Float64()*9) }, calibrate.Blind, "", "nothing to do"},
		{"x alone", func(x, y float64) *model.Point { return at(x*1000, 500) }, calibrate.Blind, "", "nothing to do"},
		{"nothing", func(x, y float64) *model.Point { return nil }, calibrate.Unread, "", "only 0 of 12"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := calibrate.Judge(answering(wide, 12, c.how), wide, imagebudget.Thousandths)
			if v.Why != c.why || c.space != "" && v.Space != c.space {
				t.Errorf("got %s in %s, want %s in %q; %+v", v.Why, v.Space, c.why, c.space, v)
			}
			if say := v.String(); !strings.Contains(say, c.says) || strings.Contains(say, "\n") {
				t.Errorf("it says %q, want %q in one line", say, c.says)
			}
		})
	}
}

// TestNoiseFitsUpToTheButton draws the line where the words put it: at a button of
// 24 px.
func TestNoiseFitsUpToTheButton(t *testing.T) {
	sizes := calibrate.Sizes{Viewport: env.Size{W: 1440, H: 896}, Picture: env.Size{W: 1440, H: 896}}
	for _, c := range []struct {
		far  []float64 // errors to the right, one a target
		want bool
	}{
		{[]float64{6, 6, 6, 6, 6, 6, 6, 6, 6, 6}, true},
		{[]float64{7, -7, 7, -7, 7, -7, 7, -7, 7, -7}, false}, // lands, but just so
		{[]float64{0, 0, 0, 0, 0, 0, 0, 0, 12, 12}, true},
		{[]float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 500}, true}, // one miss in ten
		{[]float64{0, 0, 0, 0, 0, 0, 0, 0, 13, -13}, false},
	} {
		i := 0
		shots := answering(sizes, len(c.far), func(x, y float64) *model.Point {
			i++
			return at(x*1440+c.far[i-1], y*896)
		})
		if v := calibrate.Judge(shots, sizes, imagebudget.Pixels); (v.Why == calibrate.Fits) != c.want {
			t.Errorf("errors %v: got %s, want fits %v", c.far, v.Why, c.want)
		}
	}
}

func TestMissingAnswersCountAsMisses(t *testing.T) {
	for missing, want := range map[int]calibrate.Why{0: calibrate.Fits, 1: calibrate.Fits, 2: calibrate.Unread, 6: calibrate.Unread} {
		i := 0
		v := calibrate.Judge(answering(wide, 12, func(x, y float64) *model.Point {
			if i++; i <= missing {
				return nil
			}
			return at(x*1000, y*1000)
		}), wide, imagebudget.Thousandths)
		if v.Why != want || v.Answered != 12-missing || v.Score().Asked != 12 {
			t.Errorf("%d missing: got %s and %d of %d answers, want %s", missing, v.Why, v.Answered, v.Score().Asked, want)
		}
	}
}

// TestOwnSpaceIsKeptWhereSpacesAreTheSame: on a page of 1000x1000 pixels and
// thousandths are one.
func TestOwnSpaceIsKeptWhereSpacesAreTheSame(t *testing.T) {
	square := calibrate.Sizes{Viewport: env.Size{W: 1000, H: 1000}, Picture: env.Size{W: 1000, H: 1000}}
	shots := answering(square, 12, func(x, y float64) *model.Point { return at(x*1000, y*1000) })
	for _, own := range []imagebudget.Space{imagebudget.Pixels, imagebudget.Thousandths} {
		if v := calibrate.Judge(shots, square, own); v.Why != calibrate.Fits || v.Space != own {
			t.Errorf("own %s: got %s in %s", own, v.Why, v.Space)
		}
	}
}

func TestViewportPixelsAreNamedWhenPicturesDiffer(t *testing.T) {
	half := calibrate.Sizes{Viewport: env.Size{W: 2880, H: 1792}, Picture: env.Size{W: 1440, H: 896}}
	v := calibrate.Judge(answering(half, 12, func(x, y float64) *model.Point { return at(x*2880, y*1792) }), half, imagebudget.Pixels)
	if v.Why != calibrate.Unused || v.Space != calibrate.CSS || !strings.Contains(v.String(), "--viewport of 1440x896") {
		t.Errorf("got %s in %s: %s", v.Why, v.Space, v)
	}
	// Where they are nearly the same the dialects' own space is good enough.
	if v := calibrate.Judge(answering(wide, 12, func(x, y float64) *model.Point { return at(x*1440, y*900) }), wide, imagebudget.Pixels); v.Why == calibrate.Unused {
		t.Errorf("got %s, want a space that dialects have", v.Why)
	}
}

func TestLinesTellScaleAndOffset(t *testing.T) {
	shots := answering(wide, 20, func(x, y float64) *model.Point { return &model.Point{X: x*714 + 50, Y: y*448 - 10} })
	shots[3].Raw = &model.Point{X: 5, Y: 5} // one slip changes nothing
	v := calibrate.Judge(shots, wide, imagebudget.Pixels)
	near := func(got, want float64) bool { return math.Abs(got-want) < 0.02*math.Abs(want) }
	if !near(v.X.Scale, 1440./714) || !near(v.Y.Scale, 900./448) || !near(v.X.Offset, -50*1440./714) || !near(v.Y.Offset, 10*900./448) {
		t.Errorf("got x %+v and y %+v", v.X, v.Y)
	}
	if far := v.Counted(); !near(far.X, 714) || !near(far.Y, 448) {
		t.Errorf("it counts %v, want 714x448", far)
	}
}

// TestPointIsWhereARunWouldClick compares the one conversion of runs with ours.
func TestPointIsWhereARunWouldClick(t *testing.T) {
	for _, sizes := range []calibrate.Sizes{
		wide,
		{Viewport: env.Size{W: 1440, H: 896}, Picture: env.Size{W: 1440, H: 896}},
		{Viewport: env.Size{W: 411, H: 733}, Picture: env.Size{W: 420, H: 728}},
	} {
		for space, raw := range map[imagebudget.Space]model.Point{
			imagebudget.Thousandths: {X: 123, Y: 456}, imagebudget.Pixels: {X: 300, Y: 200}, imagebudget.Fractions: {X: 0.25, Y: 0.75},
		} {
			g := imagebudget.Geometry{Size: sizes.Picture, Viewport: sizes.Viewport, Space: space}
			act, err := g.ToViewport(model.Call{Action: "left_click", Coordinate: &raw})
			got, ok := sizes.Point(space, raw)
			if err != nil || !ok || math.Abs(got.X-act.Point.X) > 1e-9 || math.Abs(got.Y-act.Point.Y) > 1e-9 {
				t.Errorf("%v in %s of %v: got %v, want %v, %v", raw, space, sizes, got, act.Point, err)
			}
		}
	}
	if _, ok := wide.Point("inches", model.Point{}); ok {
		t.Error("an unknown space has a point")
	}
}

func TestTargetsAreSpreadAndInside(t *testing.T) {
	for _, size := range []env.Size{{W: 1440, H: 896}, {W: 1428, H: 896}, {W: 200, H: 200}, {W: 333, H: 777}, {W: 8000, H: 500}} {
		for _, n := range []int{calibrate.MinTargets, 12, 17, 50} {
			targets := calibrate.Targets(size, n)
			if fmt.Sprint(targets) != fmt.Sprint(calibrate.Targets(size, n)) {
				t.Fatalf("%d targets on %v differ from call to call", n, size)
			}
			quarters, corners, edges := map[string]int{}, 0, 0
			for _, p := range targets {
				if p.X < 22 || p.Y < 22 || p.X > float64(size.W-22) || p.Y > float64(size.H-22) {
					t.Fatalf("%v of %v: a disc around %v is cut off", n, size, p)
				}
				x, y := p.X/float64(size.W), p.Y/float64(size.H)
				quarters[fmt.Sprint(x < 0.5, y < 0.5)]++
				nearX, nearY := min(p.X, float64(size.W)-p.X) < 22+0.05*float64(size.W), min(p.Y, float64(size.H)-p.Y) < 22+0.05*float64(size.H)
				switch {
				case nearX && nearY:
					corners++
				case nearX || nearY:
					edges++
				}
			}
			if len(targets) != n || len(quarters) != 4 || corners < 2 || edges < 2 {
				t.Errorf("%d targets on %v: %d in quarters %v, %d near corners and %d near edges", n, size, len(targets), quarters, corners, edges)
			}
		}
	}
}
