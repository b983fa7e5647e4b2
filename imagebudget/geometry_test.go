package imagebudget_test

import (
	"errors"
	"math"
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
	for _, p := range []model.Point{{X: -1, Y: 5}, {X: 5, Y: 1000.5}, {X: 1200, Y: 5}, {X: math.NaN(), Y: 1}, {X: math.Inf(1), Y: 1}} {
		_, err := thousandths(1440, 896).ToViewport(model.Call{Action: "left_click", Coordinate: &p})
		var fail *env.ActionError
		if !errors.As(err, &fail) || fail.Code != env.BadArgument {
			t.Errorf("point %v: got %v, want %s", p, err, env.BadArgument)
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
