package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fara/env"
	"fara/imagebudget"
	"fara/trajectory"
)

// observe takes the step's one picture and writes it down as the model will get
// it. The geometry leads back from the model's numbers to the page.
func (a *Agent) observe(ctx context.Context) (imagebudget.Geometry, error) {
	var geo imagebudget.Geometry
	obs, err := a.look(ctx)
	if err != nil {
		return geo, err
	}
	for _, n := range obs.Notes {
		if n.Kind == env.NoteRecovered {
			if err := a.record(trajectory.Recovered{Text: n.Text}); err != nil {
				return geo, err
			}
		}
	}
	grid := a.cfg.Dialect.Grid
	target, err := grid.Fit(obs.Viewport)
	if err != nil {
		return geo, err
	}
	frame, err := imagebudget.Prepare(obs, target, a.cfg.Dialect.Space)
	if err != nil {
		return geo, err
	}
	file, hash, err := a.run.Frame(frame.Image, frame.MIME)
	if err != nil {
		return geo, err
	}
	unchanged := a.touched && hash == a.lastSeen
	a.lastSeen, a.touched = hash, false
	return a.cfg.Dialect.Geometry(target, obs.Viewport), a.record(trajectory.Observed{
		Frame: file, SHA256: hash, MIME: frame.MIME,
		Captured: obs.ImageSize, Size: target, Viewport: obs.Viewport, Tokens: grid.Tokens(target),
		URL: env.WithoutUser(obs.URL), Title: obs.Title, Tabs: obs.Tabs, Notes: obs.Notes, Unchanged: unchanged,
	})
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
