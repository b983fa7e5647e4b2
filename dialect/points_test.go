package dialect_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"fara/dialect"
	"fara/env"
	"fara/imagebudget"
	"fara/model"
)

// sight is a page as it is shown to a model.
type sight struct {
	Of string `json:"of"`
	// Viewport is in CSS pixels, Captured and Sent are the picture's sizes.
	Viewport env.Size `json:"viewport"`
	Captured env.Size `json:"captured"`
	Sent     env.Size `json:"sent"`
	Points   []spot   `json:"points"`
	Scrolls  []turned `json:"scrolls"`
}

// spot is a point of the model's and where it lies on the page.
type spot struct {
	At      string     `json:"at"`
	Model   []float64  `json:"model"`
	Page    []float64  `json:"page,omitempty"`
	Clamped bool       `json:"clamped,omitempty"`
	Refused env.Code   `json:"refused,omitempty"`
	share   [2]float64 // of the picture's width and height
}

// turned is a scroll of the model's and its distance on the page.
type turned struct {
	Action string   `json:"action"`
	Pixels float64  `json:"pixels"`
	DX     *float64 `json:"dx,omitempty"`
	DY     *float64 `json:"dy,omitempty"`
}

// sights are the three sizes for which points are written down.
func sights(t *testing.T, d dialect.Dialect) []sight {
	t.Helper()
	odd, small := env.Size{W: 1013, H: 517}, env.Size{W: 840, H: 525}
	all := []sight{
		{Of: "the dialect's own viewport", Viewport: d.Viewport, Captured: d.Viewport},
		{Of: "a viewport that the grid changes", Viewport: odd, Captured: odd},
		{Of: "a screen with two pixels for each of the page's", Viewport: small, Captured: env.Size{W: 2 * small.W, H: 2 * small.H}},
	}
	for i := range all {
		fit, err := d.Grid.Fit(all[i].Viewport)
		if err != nil {
			t.Fatal(err)
		}
		all[i].Sent = fit
	}
	return all
}

func places() []spot {
	return []spot{
		{At: "top left", share: [2]float64{0, 0}},
		{At: "top right", share: [2]float64{1, 0}},
		{At: "bottom left", share: [2]float64{0, 1}},
		{At: "bottom right", share: [2]float64{1, 1}},
		{At: "centre", share: [2]float64{0.5, 0.5}},
		{At: "a quarter across, three quarters down", share: [2]float64{0.25, 0.75}},
		{At: "a little beyond the right edge", share: [2]float64{1.05, 0.5}},
		{At: "a little above the top", share: [2]float64{0.5, -0.05}},
		{At: "far beyond the right edge", share: [2]float64{1.25, 0.5}},
		{At: "far above the top", share: [2]float64{0.5, -0.25}},
	}
}

// fill puts points and scrolls into a sight.
func (s *sight) fill(t *testing.T, d dialect.Dialect) {
	t.Helper()
	g := d.Geometry(s.Sent, s.Viewport)
	for _, p := range places() {
		call := model.Call{Action: string(env.LeftClick), Coordinate: asked(d, s.Sent, p.share)}
		p.Model = []float64{call.Coordinate.X, call.Coordinate.Y}
		act, err := g.ToViewport(call)
		var failed *env.ActionError
		switch {
		case errors.As(err, &failed):
			p.Refused = failed.Code
		case err != nil:
			t.Fatal(err)
		default:
			p.Page, p.Clamped = []float64{act.Point.X, act.Point.Y}, g.Clamps(call)
		}
		s.Points = append(s.Points, p)
	}
	for _, reply := range replies(t, d.Name) {
		if c := reply.Gives; c != nil && c.Pixels != nil {
			act, err := g.ToViewport(*c)
			if err != nil {
				t.Fatal(err)
			}
			row := turned{Action: c.Action, Pixels: *c.Pixels}
			if c.Action == string(env.Scroll) {
				row.DY = &act.DY
			} else {
				row.DX = &act.DX
			}
			s.Scrolls = append(s.Scrolls, row)
		}
	}
}

// asked gives the numbers with which a model of the dialect points at a share of
// the picture, as whole ones where its space has those.
func asked(d dialect.Dialect, sent env.Size, share [2]float64) *model.Point {
	switch d.Space {
	case imagebudget.Thousandths:
		return &model.Point{X: 1000 * share[0], Y: 1000 * share[1]}
	case imagebudget.Fractions:
		return &model.Point{X: share[0], Y: share[1]}
	}
	return &model.Point{X: math.Round(share[0] * float64(sent.W)), Y: math.Round(share[1] * float64(sent.H))}
}

// pointsOf is a dialect's points.json, with a line for each point and scroll.
func pointsOf(t *testing.T, d dialect.Dialect) string {
	t.Helper()
	var sizes []string
	for _, s := range sights(t, d) {
		s.fill(t, d)
		points, scrolls := s.Points, s.Scrolls
		s.Points, s.Scrolls = nil, nil
		sizes = append(sizes, strings.NewReplacer(
			`,"points":null`, ",\n\"points\":["+lines(points)+"]",
			`,"scrolls":null`, ",\n\"scrolls\":["+lines(scrolls)+"]").Replace(inJSON(s)))
	}
	return "[\n" + strings.Join(sizes, ",\n") + "\n]\n"
}

func lines[T any](list []T) string {
	var out []string
	for _, v := range list {
		out = append(out, "\n "+inJSON(v))
	}
	return strings.Join(out, ",")
}

// TestPointsLieWhereTheyWereAsked holds every point against the share of the page
// that it was asked for, whatever the dialect's space: what is written in
// points.json is right, and not only unchanged.
func TestPointsLieWhereTheyWereAsked(t *testing.T) {
	for _, name := range dialect.Names() {
		d := get(t, name)
		for _, s := range sights(t, d) {
			s.fill(t, d)
			for _, p := range s.Points {
				x, y := p.share[0], p.share[1]
				outside := x < 0 || x > 1 || y < 0 || y > 1
				far := x > 1.1 || y < -0.1
				if (p.Refused != "") != far || p.Clamped != (outside && !far) {
					t.Errorf("%s, %s, %s: got refused %q, clamped %v", name, s.Of, p.At, p.Refused, p.Clamped)
				}
				if far {
					continue
				}
				wantX, wantY := onPage(x, s.Viewport.W), onPage(y, s.Viewport.H)
				// A whole pixel of the picture may be half of one off.
				off := func(page, sent int) float64 { return 0.5*float64(page)/float64(sent) + 1e-9 }
				if math.Abs(p.Page[0]-wantX) > off(s.Viewport.W, s.Sent.W) || math.Abs(p.Page[1]-wantY) > off(s.Viewport.H, s.Sent.H) {
					t.Errorf("%s, %s, %s: %v lies at %v, want (%g, %g)", name, s.Of, p.At, p.Model, p.Page, wantX, wantY)
				}
			}
		}
	}
}

// onPage is a share of a side in CSS pixels, on the page's own pixels.
func onPage(share float64, side int) float64 {
	return max(0, min(share*float64(side), float64(side-1)))
}

func TestPointFilesAreJSON(t *testing.T) {
	for _, name := range dialect.Names() {
		var back []sight
		if err := json.Unmarshal([]byte(pointsOf(t, get(t, name))), &back); err != nil || len(back) != 3 || len(back[0].Scrolls) == 0 {
			t.Errorf("%s: got %d sizes, %v, want three with points and scrolls", name, len(back), err)
		}
	}
}

func TestGeometryCarriesSpaceAndScroll(t *testing.T) {
	g := get(t, "fara-7b").Geometry(env.Size{W: 1428, H: 896}, env.Size{W: 1440, H: 900})
	if g.Space != imagebudget.Pixels || g.ScrollStep != 400 {
		t.Errorf("fara-7b: got %+v", g)
	}
	if g := get(t, "fara-1.5").Geometry(env.Size{}, env.Size{}); g.Space != imagebudget.Thousandths || g.ScrollStep != 0 {
		t.Errorf("fara-1.5: got %+v", g)
	}
}
