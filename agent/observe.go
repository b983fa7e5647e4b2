package agent

import (
	"context"
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
	began := time.Now()
	obs, err := a.page.Observe(ctx)
	a.timings.Browser += time.Since(began)
	if err != nil {
		return geo, fmt.Errorf("look at the page: %w", err)
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
		URL: obs.URL, Title: obs.Title, Tabs: obs.Tabs, Notes: obs.Notes, Unchanged: unchanged,
	})
}
