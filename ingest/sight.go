package ingest

import (
	"fmt"
	"time"

	"fara/env"
	"fara/trajectory"
)

// show writes the pictures since the last reply. One that shows what the next one
// shows is left out.
func (s *scribe) show() error {
	held := s.held
	s.held = nil
	var seen []trajectory.Observed
	var times []time.Time
	for _, p := range held {
		o, err := s.observe(p)
		if err != nil {
			return fmt.Errorf("screenshot %s: %w", p.name, err)
		}
		if n := len(seen); n > 0 && seen[n-1].SHA256 == o.SHA256 {
			o.URL = pick(o.URL, seen[n-1].URL)
			seen, times = seen[:n-1], times[:n-1]
		}
		seen, times = append(seen, o), append(times, p.at)
	}
	if len(seen) == 0 && s.view != nil {
		s.rec.note(fmt.Sprintf("step %d has no screenshot of its own; the one before stands in its place", s.step))
		seen, times = append(seen, *s.view), append(times, time.Time{})
	}
	for i, o := range seen {
		o.Unchanged = s.touched && s.view != nil && s.view.SHA256 == o.SHA256
		s.touched = false
		s.at(times[i])
		if err := s.write(o); err != nil {
			return err
		}
		s.view = &o
	}
	return nil
}

// observe stores a picture's bytes as they are. Its size as sent is the one that the
// model's server makes of it, for that is what pixels count.
func (s *scribe) observe(p *picture) (trajectory.Observed, error) {
	data, err := p.read()
	if err != nil {
		return trajectory.Observed{}, err
	}
	mime, size, err := look(data)
	if err != nil {
		return trajectory.Observed{}, err
	}
	sent, err := s.d.Grid.Fit(size)
	if err != nil {
		return trajectory.Observed{}, err
	}
	file, hash, err := s.run.Frame(data, mime)
	if err != nil {
		return trajectory.Observed{}, err
	}
	o := trajectory.Observed{
		Frame: file, SHA256: hash, MIME: mime, Captured: size, Size: sent,
		Viewport: s.rec.page(size, p.scale), Tokens: s.d.Grid.Tokens(sent),
		URL: env.WithoutUser(p.url), Title: p.title, Notes: p.notes, Tabs: p.tabs,
	}
	if p.sent != nil && p.viewport != nil {
		o.Size, o.Viewport, o.Tokens = *p.sent, *p.viewport, s.d.Grid.Tokens(*p.sent)
	}
	return o, nil
}

// page is the size in CSS pixels of what a picture shows.
func (r *recording) page(picture env.Size, scale float64) env.Size {
	switch {
	case r.viewport != env.Size{}:
		return r.viewport
	case scale > 0 && scale != 1:
		return env.Size{W: int(float64(picture.W)/scale + 0.5), H: int(float64(picture.H)/scale + 0.5)}
	}
	return picture
}
