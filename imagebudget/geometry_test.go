package imagebudget_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"fara/env"
	"fara/imagebudget"
	"fara/model"
)

func ptr[T any](v T) *T { return &v }

func thousandths(w, h int) imagebudget.Geometry {
	s := env.Size{W: w, H: h}
	return imagebudget.Geometry{Size: s, Viewport: s, Space: imagebudget.Thousandths}
}

func pixels(image, viewport env.Size) imagebudget.Geometry {
	return imagebudget.Geometry{Size: image, Viewport: viewport, Space: imagebudget.Pixels}
}

func TestToViewportScalesEachAxisOnItsOwn(t *testing.T) {
	hd := env.Size{W: 1440, H: 900}
	for _, c := range []struct {
		name string
		geo  imagebudget.Geometry
		in   model.Point
		want env.Point
	}{
		{"thousandths", thousandths(1440, 900), model.Point{X: 500, Y: 500}, env.Point{X: 720, Y: 450}},
		{"thousandths of a wide page", thousandths(1600, 400), model.Point{X: 250, Y: 500}, env.Point{X: 400, Y: 200}},
		{"first pixel", thousandths(1600, 400), model.Point{}, env.Point{}},
		{"last pixel", thousandths(1600, 400), model.Point{X: 1000, Y: 1000}, env.Point{X: 1599, Y: 399}},
		{"pixels of a resized picture", pixels(env.Size{W: 1288, H: 812}, env.Size{W: 1280, H: 800}), model.Point{X: 644, Y: 406}, env.Point{X: 640, Y: 400}},
		{"the same numbers in pixels", pixels(env.Size{W: 1428, H: 896}, hd), model.Point{X: 500, Y: 500}, env.Point{X: 504.2, Y: 502.2}},
		{"a published log", pixels(env.Size{W: 1428, H: 896}, hd), model.Point{X: 1074, Y: 37}, env.Point{X: 1083.03, Y: 37.17}},
		{"picture as large as the page", pixels(hd, hd), model.Point{X: 1440, Y: 899.5}, env.Point{X: 1439, Y: 899}},
	} {
		act, err := c.geo.ToViewport(model.Call{Action: "left_click", Coordinate: &c.in})
		if err != nil || act.Point == nil {
			t.Errorf("%s: got %v, %v", c.name, act.Point, err)
			continue
		}
		if math.Abs(act.Point.X-c.want.X) > 0.05 || math.Abs(act.Point.Y-c.want.Y) > 0.05 {
			t.Errorf("%s: %v became %v, want %v", c.name, c.in, *act.Point, c.want)
		}
	}
}

func TestToViewportRefusesPointsOutside(t *testing.T) {
	for _, p := range []model.Point{{X: -101, Y: 5}, {X: 5, Y: 1100.5}, {X: 1200, Y: 5}, {X: math.NaN(), Y: 1}, {X: math.Inf(1), Y: 1}} {
		_, err := thousandths(1440, 896).ToViewport(model.Call{Action: "left_click", Coordinate: &p})
		var fail *env.ActionError
		if !errors.As(err, &fail) || fail.Code != env.BadArgument || !strings.Contains(fail.Text, "from 0 to 1000") {
			t.Errorf("point %v: got %v, want %s with the limits", p, err, env.BadArgument)
		}
	}
}

func TestOvershootIsMovedToTheEdgeUpToATenth(t *testing.T) {
	sent := pixels(env.Size{W: 1288, H: 812}, env.Size{W: 1280, H: 800})
	shares := imagebudget.Geometry{Size: env.Size{W: 1000, H: 500}, Viewport: env.Size{W: 1000, H: 500}, Space: imagebudget.Fractions}
	for _, c := range []struct {
		name  string
		geo   imagebudget.Geometry
		in    model.Point
		want  env.Point
		clamp bool
		ok    bool
	}{
		{"inside", sent, model.Point{X: 1244, Y: 756}, env.Point{X: 1236.27, Y: 744.83}, false, true},
		{"far edge", sent, model.Point{X: 1288, Y: 812}, env.Point{X: 1279, Y: 799}, false, true},
		{"a little right", sent, model.Point{X: 1330, Y: 790}, env.Point{X: 1279, Y: 778.33}, true, true},
		{"a tenth right", sent, model.Point{X: 1416.8, Y: 1}, env.Point{X: 1279, Y: 0.985}, true, true},
		{"more than a tenth", sent, model.Point{X: 1417, Y: 1}, env.Point{}, true, false},
		{"far out", sent, model.Point{X: 5000, Y: 100}, env.Point{}, true, false},
		{"a little left and above", sent, model.Point{X: -3, Y: -80}, env.Point{}, true, true},
		{"too far above", sent, model.Point{X: 3, Y: -82}, env.Point{}, true, false},
		{"both axes", thousandths(1440, 896), model.Point{X: 1001, Y: 1100}, env.Point{X: 1439, Y: 895}, true, true},
		{"share", shares, model.Point{X: 1.05, Y: 0.5}, env.Point{X: 999, Y: 250}, true, true},
		{"pixels in a share's place", shares, model.Point{X: 2, Y: 2}, env.Point{}, true, false},
	} {
		call := model.Call{Action: "left_click", Coordinate: &c.in}
		act, err := c.geo.ToViewport(call)
		if (err == nil) != c.ok || c.geo.Clamps(call) != c.clamp {
			t.Errorf("%s: %v gave error %v, clamped %v, want ok %v, clamped %v", c.name, c.in, err, c.geo.Clamps(call), c.ok, c.clamp)
			continue
		}
		if c.ok && (math.Abs(act.Point.X-c.want.X) > 0.05 || math.Abs(act.Point.Y-c.want.Y) > 0.05) {
			t.Errorf("%s: %v became %v, want %v", c.name, c.in, *act.Point, c.want)
		}
	}
}

func TestFractionsAreOneOfTheSpacesAndNeverGuessed(t *testing.T) {
	hd := env.Size{W: 1920, H: 1080}
	shares := imagebudget.Geometry{Size: hd, Viewport: hd, Space: imagebudget.Fractions}
	for _, c := range []struct {
		geo  imagebudget.Geometry
		in   model.Point
		want env.Point
	}{
		{shares, model.Point{X: 0.3725, Y: 0.8140}, env.Point{X: 715.2, Y: 879.12}},
		{shares, model.Point{X: 1, Y: 1}, env.Point{X: 1919, Y: 1079}},
		{pixels(hd, hd), model.Point{X: 1, Y: 1}, env.Point{X: 1, Y: 1}},
		{pixels(hd, hd), model.Point{X: 0.5, Y: 0.5}, env.Point{X: 0.5, Y: 0.5}},
		{thousandths(1920, 1080), model.Point{X: 0.5, Y: 1}, env.Point{X: 0.96, Y: 1.08}},
	} {
		act, err := c.geo.ToViewport(model.Call{Action: "left_click", Coordinate: &c.in})
		if err != nil || math.Abs(act.Point.X-c.want.X) > 0.001 || math.Abs(act.Point.Y-c.want.Y) > 0.001 {
			t.Errorf("%v in %s: got %v, %v, want %v", c.in, c.geo.Space, act.Point, err, c.want)
		}
	}
}

// TestEveryNumberOfEveryActionIsScaled looks for numbers that pass unscaled from
// the model to the page.
func TestEveryNumberOfEveryActionIsScaled(t *testing.T) {
	geo := pixels(env.Size{W: 1400, H: 560}, env.Size{W: 700, H: 1120}) // x halved, y doubled
	at, from, amount := model.Point{X: 200, Y: 100}, model.Point{X: 20, Y: 10}, -40.0
	for _, kind := range env.Kinds() {
		act, err := geo.ToViewport(model.Call{Action: string(kind), Coordinate: &at, Start: &from, Pixels: &amount})
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if *act.Point != (env.Point{X: 100, Y: 200}) || *act.From != (env.Point{X: 10, Y: 20}) {
			t.Errorf("%s: got %v from %v, want both scaled", kind, *act.Point, *act.From)
		}
		wantX, wantY := map[env.Kind]float64{env.HScroll: -20}[kind], map[env.Kind]float64{env.Scroll: 80}[kind]
		if act.DX != wantX || act.DY != wantY {
			t.Errorf("%s: got a distance of (%g, %g), want (%g, %g)", kind, act.DX, act.DY, wantX, wantY)
		}
	}
}

func TestNothingPassesWithoutSizes(t *testing.T) {
	p, amount := model.Point{X: 5, Y: 5}, 5.0
	full := thousandths(100, 100)
	for name, geo := range map[string]imagebudget.Geometry{
		"no picture":  {Viewport: full.Viewport, Space: imagebudget.Pixels},
		"no viewport": {Size: full.Size, Space: imagebudget.Thousandths},
		"no space":    {Size: full.Size, Viewport: full.Viewport},
		"odd space":   {Size: full.Size, Viewport: full.Viewport, Space: "0-100"},
	} {
		if act, err := geo.ToViewport(model.Call{Action: "left_click", Coordinate: &p}); err == nil {
			t.Errorf("%s: the point became %v", name, act.Point)
		}
		if act, err := geo.ToViewport(model.Call{Action: "scroll", Pixels: &amount}); err == nil {
			t.Errorf("%s: the distance became %v", name, act.DY)
		}
	}
}

func TestScrollDistances(t *testing.T) {
	stepped := pixels(env.Size{W: 1428, H: 896}, env.Size{W: 1440, H: 900})
	stepped.ScrollStep = 400
	for _, c := range []struct {
		name   string
		geo    imagebudget.Geometry
		action string
		pixels float64
		dx, dy float64
	}{
		{"up is positive for the model", thousandths(1440, 896), "scroll", 500, 0, -448},
		{"down", thousandths(1440, 896), "scroll", -1000, 0, 896},
		{"beyond any page", thousandths(1440, 896), "scroll", -1e30, 0, 100_000},
		{"right", thousandths(1440, 896), "hscroll", 100, 144, 0},
		{"only the direction counts", stepped, "scroll", -3, 0, 400},
		{"nothing", stepped, "scroll", 0, 0, 0},
		{"a share of the screen", imagebudget.Geometry{Size: env.Size{W: 700, H: 500}, Viewport: env.Size{W: 1400, H: 1000}, Space: imagebudget.Fractions}, "scroll", -0.5, 0, 500},
		{"no share of a screen", imagebudget.Geometry{Size: env.Size{W: 700, H: 500}, Viewport: env.Size{W: 1400, H: 1000}, Space: imagebudget.Fractions}, "hscroll", 70, 140, 0},
		{"resized picture", pixels(env.Size{W: 700, H: 500}, env.Size{W: 1400, H: 1000}), "scroll", -100, 0, 200},
	} {
		act, err := c.geo.ToViewport(model.Call{Action: c.action, Pixels: &c.pixels})
		if err != nil || act.DX != c.dx || act.DY != c.dy {
			t.Errorf("%s: got (%g, %g), %v, want (%g, %g)", c.name, act.DX, act.DY, err, c.dx, c.dy)
		}
	}
}

func TestWaitTimes(t *testing.T) {
	for _, c := range []struct {
		seconds *float64
		want    time.Duration
		ok      bool
	}{
		{nil, 3 * time.Second, true}, {ptr(0.5), 500 * time.Millisecond, true}, {ptr(0.0), 0, true},
		{ptr(-1.0), 0, false}, {ptr(1e300), 0, false}, {ptr(math.NaN()), 0, false}, {ptr(61.0), 0, false},
	} {
		act, err := thousandths(100, 100).ToViewport(model.Call{Action: "wait", Time: c.seconds})
		if (err == nil) != c.ok || c.ok && act.For != c.want {
			t.Errorf("wait %v: got %v, %v, want %v", c.seconds, act.For, err, c.want)
		}
	}
}

func TestTextGoesThroughUnchanged(t *testing.T) {
	text := " [1,2] \n<b>ü"
	act, err := thousandths(100, 100).ToViewport(model.Call{Action: "type", Text: &text, PressEnter: ptr(true)})
	if err != nil || act.Text != text || !act.Enter || act.Clear {
		t.Errorf("type: got %+v, %v", act, err)
	}
}
