package replay_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"testing"
	"testing/synctest"

	"fara/env"
	"fara/env/envtest"
	"fara/replay"
)

// paper is an environment whose page is drawn: a field that shows what is typed as a bar
// as long as the text, and what else is told of it. Scrolling moves it all.
type paper struct {
	*envtest.Env
	text     string
	scrolled int
	extra    image.Rectangle // drawn too
	echo     bool            // the text shows below the field as well
}

func newPaper() *paper { return &paper{Env: &envtest.Env{Viewport: small}} }

func (p *paper) field() env.Element {
	return env.Element{Tag: "input", Role: "textbox", Name: "Name", Editable: true, Box: env.Rect{X: 50, Y: 100 - float64(p.scrolled), W: 300, H: 30}}
}

func (p *paper) Aim(_ context.Context, act env.Action) (*env.Element, error) {
	f := p.field()
	if at := act.Point; at != nil && at.X >= f.Box.X && at.X < f.Box.X+f.Box.W && at.Y >= f.Box.Y && at.Y < f.Box.Y+f.Box.H {
		return &f, nil
	}
	return nil, nil
}

func (p *paper) Perform(ctx context.Context, act env.Action) (env.Outcome, error) {
	hit, err := p.Aim(ctx, act)
	if err != nil {
		return env.Outcome{}, err
	}
	switch act.Kind {
	case env.Type:
		p.text = act.Text
	case env.Scroll:
		p.scrolled += int(act.DY)
	}
	out, err := p.Env.Perform(ctx, act)
	out.Hit = hit
	return out, err
}

func (p *paper) Observe(ctx context.Context) (env.Observation, error) {
	obs, err := p.Env.Observe(ctx)
	img := image.NewGray(image.Rect(0, 0, small.W, small.H))
	fill := func(r image.Rectangle, grey uint8) {
		draw.Draw(img, r, image.NewUniform(color.Gray{Y: grey}), image.Point{}, draw.Src)
	}
	fill(img.Rect, 255)
	bar := image.Rect(55, 110, 55+8*len(p.text), 120).Sub(image.Pt(0, p.scrolled))
	fill(bar, 0)
	fill(p.extra.Sub(image.Pt(0, p.scrolled)), 0)
	if p.echo {
		fill(bar.Add(image.Pt(0, 60)), 0)
	}
	var buf bytes.Buffer
	if e := png.Encode(&buf, img); e != nil {
		return obs, e
	}
	obs.Image = buf.Bytes()
	return obs, err
}

// typedAndScrolled is a run that types into the field, and scrolls by so much.
func typedAndScrolled(t *testing.T, by float64) *replay.Plan {
	t.Helper()
	plan := begin(t, newPaper()).does(env.Action{Kind: env.Type, Point: point(60, 115), Text: "Ada"}).
		does(env.Action{Kind: env.Scroll, Point: point(10, 10), DY: by}).look().plan()
	if err := plan.Set("Name=Grace Hopper"); err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestNewValuesAreExpectedInTheirFieldsAlone(t *testing.T) {
	for _, c := range []struct {
		what string
		by   float64
		page func(*paper)
		step int // of the first difference; 0 is none
	}{
		{"in its field", 0, func(*paper) {}, 0},
		{"in its field, which was scrolled", 40, func(*paper) {}, 0},
		{"out of sight", 400, func(*paper) {}, 0},
		{"elsewhere too", 0, func(p *paper) { p.echo = true }, 2},
		{"something else beside it", 0, func(p *paper) { p.extra = image.Rect(50, 200, 80, 230) }, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			page := newPaper()
			c.page(page)
			report := play(t, typedAndScrolled(t, c.by), page, replay.Config{Tolerance: 0.0001})
			got := 0
			if report.First != nil {
				got = *report.First
			}
			if got != c.step {
				t.Fatalf("%s: got step %d (%s), want %d", c.what, got, report.Message, c.step)
			}
			if changed := strings.Contains(report.Message, "a value was changed"); changed != (c.step == 2) {
				t.Errorf("%s: the message is %q", c.what, report.Message)
			}
			did := page.Actions()
			if len(did) > 1 && did[1].Text != "Grace Hopper" {
				t.Errorf("%s: it typed %q", c.what, did[1].Text)
			}
		})
	}
}
