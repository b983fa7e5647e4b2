package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fara/captcha"
	"fara/env"
	"fara/imagebudget"
	"fara/trajectory"
)

// view is what a step looks at.
type view struct {
	// taken is the step's one picture as the browser gave it.
	taken env.Observation
	// geo leads back from the model's numbers on the picture as it was sent.
	geo imagebudget.Geometry
	// frame is the file of the picture as it was sent.
	frame string
	// unchanged: it is the picture of the step before, although something was done.
	unchanged bool
}

// observe takes the step's one picture and writes it down as the model will get
// it.
//
// A page that is nothing but a captcha is for a person; then it looks again.
func (a *Agent) observe(ctx context.Context) error {
	for {
		obs, err := a.look(ctx)
		if err != nil {
			return err
		}
		obs.Notes, a.untold = append(a.untold, obs.Notes...), nil
		if err := a.tellCaptchas(obs.Widgets); err != nil {
			return err
		}
		if err := a.see(obs); err != nil {
			return err
		}
		name := captcha.Blocking(obs)
		if name == "" {
			return nil
		}
		if err := a.person(ctx, name); err != nil {
			return err
		}
	}
}

// see writes an observation down as the step's view.
func (a *Agent) see(obs env.Observation) error {
	for _, n := range obs.Notes {
		if n.Kind == env.NoteRecovered {
			if err := a.record(trajectory.Recovered{Text: n.Text}); err != nil {
				return err
			}
		}
	}
	a.view = view{taken: obs}
	before := a.lastSeen
	seen, err := a.prepare()
	if err != nil {
		return err
	}
	a.view.unchanged = a.touched && seen.SHA256 == before
	a.touched = false
	seen.Notes, seen.Unchanged = obs.Notes, a.view.unchanged
	return a.record(seen)
}

// prepare makes the frame of the picture that was taken, no larger than the
// server takes, and stores it.
func (a *Agent) prepare() (trajectory.Observed, error) {
	obs := a.view.taken
	grid := a.cfg.Dialect.Grid.Within(a.spoken.maxPixels)
	target, err := grid.Fit(obs.Viewport)
	if err != nil {
		return trajectory.Observed{}, err
	}
	frame, err := imagebudget.Prepare(obs, target, a.cfg.Dialect.Space)
	if err != nil {
		return trajectory.Observed{}, err
	}
	file, hash, err := a.run.Frame(frame.Image, frame.MIME)
	if err != nil {
		return trajectory.Observed{}, err
	}
	a.lastSeen, a.view.frame = hash, file
	a.view.geo = a.cfg.Dialect.Geometry(target, obs.Viewport)
	return trajectory.Observed{
		Frame: file, SHA256: hash, MIME: frame.MIME,
		Captured: obs.ImageSize, Size: target, Viewport: obs.Viewport, Tokens: grid.Tokens(target),
		URL: env.WithoutUser(obs.URL), Title: obs.Title, Tabs: obs.Tabs,
	}, nil
}

// shrink prepares the step's picture once more, one rung down the ladder of
// sizes. It returns why when there is none below.
func (a *Agent) shrink(why error) error {
	pixels, ok := a.cfg.Dialect.Grid.Smaller(a.view.taken.Viewport, a.view.geo.Size)
	if !ok {
		return why
	}
	a.spoken.maxPixels = pixels
	return a.showAgain(trajectory.Adapted{MaxPixels: pixels, Why: why.Error()})
}

// showAgain prepares the step's picture at the size that goes now, and writes it
// down behind what was learned.
func (a *Agent) showAgain(learned trajectory.Adapted) error {
	seen, err := a.prepare()
	if err != nil {
		return err
	}
	if err := a.respeak(learned, seen.Size); err != nil {
		return err
	}
	seen.Again, seen.Unchanged = true, a.view.unchanged
	return a.record(seen)
}

// look sees the page in front. One that a link or a redirect led to although it
// may not be shown is left first; what happened around it is told all the same,
// without its words.
func (a *Agent) look(ctx context.Context) (env.Observation, error) {
	var before []env.Note
	for _, way := range []env.Action{{Kind: env.HistoryBack}, {Kind: env.VisitURL, URL: "about:blank"}} {
		obs, err := a.glance(ctx)
		if err != nil {
			return obs, err
		}
		refusal := a.cfg.Policy.Show(obs.URL)
		if refusal == nil {
			obs.Notes = append(before, obs.Notes...)
			return obs, nil
		}
		for _, n := range obs.Notes {
			before = append(before, env.Note{Kind: n.Kind, Text: n.Text})
		}
		if err := a.record(trajectory.Decided{Code: refusal.Code, Text: refusal.Error() + "; the page was left"}); err != nil {
			return obs, err
		}
		var fail *env.ActionError
		if err := a.perform(ctx, way); err != nil && !errors.As(err, &fail) {
			return obs, err
		}
	}
	obs, err := a.glance(ctx)
	if refusal := a.cfg.Policy.Show(obs.URL); err == nil && refusal != nil {
		return obs, Ending{Status: trajectory.Blocked, Reason: "policy", Message: "the browser stays on a page that is not allowed: " + refusal.Error()}
	}
	obs.Notes = append(before, obs.Notes...)
	return obs, err
}

func (a *Agent) glance(ctx context.Context) (env.Observation, error) {
	began := time.Now()
	obs, err := a.page.Observe(ctx)
	a.timings.Browser += time.Since(began)
	if err != nil {
		return obs, fmt.Errorf("look at the page: %w", err)
	}
	return obs, nil
}
