// Package waits checks that a browser's pictures show what an action did, however
// late a page shows it, and measures what waiting for that costs. It is data, so
// that tests and benchmarks can run it as they like; what else a browser promises
// is left to package envtest.
package waits

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // frames may be either
	_ "image/png"
	"time"

	"fara/env"
)

// Subject is the browser under test. Its viewport is at least 640x480 CSS pixels.
type Subject interface {
	Observe(context.Context) (env.Observation, error)
	Perform(context.Context, env.Action) (env.Outcome, error)
}

// Page is one way in which a page answers an action.
type Page struct {
	Name string
	// Due is when the effect is there, counted from the end of the input; 0 means
	// at once.
	Due time.Duration
	// Cap is how much longer an action may take on a machine that has other work too:
	// generous, and never longer than what a page is waited for at all.
	Cap time.Duration
	// Idle marks a page on which the action has no effect, so that only the time
	// counts.
	Idle bool

	address string
	steps   []step
}

// step is an action, and whether the next picture has to show its effect.
type step struct {
	env.Action
	shows bool
}

// Row is what came of a page.
type Row struct {
	Page string
	// Seen and Pictures are how many pictures showed the effect, and how many should
	// have.
	Seen, Pictures int
	// Added is how much longer than Due the slowest action took that should have
	// shown an effect, its own input included.
	Added time.Duration
}

// ErrEarly means that the effect was there before the action, so that a picture
// of it would prove nothing.
var ErrEarly = errors.New("the effect is there before the action")

// Run shows the page, acts on it and looks. It returns what the subject fails
// with, and ErrEarly.
func (p Page) Run(ctx context.Context, e Subject) (Row, error) {
	row := Row{Page: p.Name}
	steps := p.steps
	if steps[0].Kind != env.VisitURL {
		steps = append([]step{{Action: env.Action{Kind: env.VisitURL, URL: p.address}}}, steps...)
	}
	for i, s := range steps {
		began := time.Now()
		if _, err := e.Perform(ctx, s.Action); err != nil {
			return row, fmt.Errorf("%s, step %d: %w", p.Name, i+1, err)
		}
		took := time.Since(began)
		obs, err := e.Observe(ctx)
		if err != nil {
			return row, fmt.Errorf("%s, step %d: %w", p.Name, i+1, err)
		}
		seen, err := shown(obs)
		switch {
		case err != nil:
			return row, fmt.Errorf("%s, step %d: %w", p.Name, i+1, err)
		case !s.shows && seen:
			return row, fmt.Errorf("%s, step %d: %w", p.Name, i+1, ErrEarly)
		case s.shows || p.Idle && i == len(steps)-1:
			row.Added = max(row.Added, took-p.Due)
		}
		if s.shows {
			row.Pictures++
		}
		if seen {
			row.Seen++
		}
	}
	return row, nil
}

// The effect fills a square with one colour.
var (
	effect = color.RGBA{0, 128, 0, 255}
	middle = env.Point{X: 350, Y: 50}
)

// shown reports whether a picture shows the effect.
func shown(obs env.Observation) (bool, error) {
	img, _, err := image.Decode(bytes.NewReader(obs.Image))
	if err != nil {
		return false, err
	}
	scale := float64(obs.ImageSize.W) / float64(obs.Viewport.W)
	got := color.RGBAModel.Convert(img.At(int(middle.X*scale), int(middle.Y*scale))).(color.RGBA)
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 10 }
	return near(got.R, effect.R) && near(got.G, effect.G) && near(got.B, effect.B), nil
}
