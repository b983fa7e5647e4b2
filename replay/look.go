package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fara/captcha"
	"fara/env"
	"fara/imagebudget"
)

// lookAgain is the time between two looks at a page that is not yet what it was.
const lookAgain = 150 * time.Millisecond

// view is one look, compared with the run's.
type view struct {
	frame imagebudget.Frame
	Contrast
	masked      []Box
	differences []Difference
}

// look waits for the page to be what it was, and writes down what it found. The last
// look counts.
func (p *player) look(ctx context.Context, m *Move, s *Step) error {
	data, err := p.plan.Run.Load(m.Seen.Frame)
	if err != nil {
		return err
	}
	want, err := decode(data)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Seen.Frame, err)
	}
	began := time.Now()
	v, err := p.await(ctx, m, want, s)
	if err == nil && len(v.differences) > 0 && m.Restarted {
		if err = p.reload(ctx); err == nil {
			v, err = p.await(ctx, m, want, s)
		}
	}
	s.Waited = time.Since(began)
	if err != nil {
		return err
	}
	s.URL, s.Contrast, s.Masked, s.Differences = env.WithoutUser(p.seen.URL), v.Contrast, v.masked, v.differences
	if s.RunFrame, err = p.out.frame(data, m.Seen.MIME); err != nil {
		return err
	}
	s.Frame, err = p.out.frame(v.frame.Image, v.frame.MIME)
	return err
}

// await looks again and again until nothing differs, at most for the limit.
func (p *player) await(ctx context.Context, m *Move, want picture, s *Step) (view, error) {
	began := time.Now()
	for {
		if err := p.observe(ctx, s); err != nil {
			return view{}, err
		}
		if err := p.locate(ctx); err != nil {
			return view{}, err
		}
		v, err := p.compare(m, want)
		if err != nil || len(v.differences) == 0 || time.Since(began) >= p.cfg.Limit {
			return v, err
		}
		if err := rest(ctx, lookAgain); err != nil {
			return v, err
		}
	}
}

// rest waits a moment.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// observe takes one look. It stops at what may not be shown, and at a page that is there
// for a captcha alone.
func (p *player) observe(ctx context.Context, s *Step) error {
	obs, err := p.page.Observe(ctx)
	if err != nil {
		return err
	}
	p.seen = obs
	s.Notes = append(s.Notes, obs.Notes...)
	if refusal := p.cfg.Policy.Show(obs.URL); refusal != nil {
		return &stop{ReasonPolicy, fmt.Sprintf("step %d: the page may not be shown: %v", s.Step, refusal)}
	}
	if name := captcha.Blocking(obs); name != "" {
		return &stop{ReasonCaptcha, fmt.Sprintf("step %d: %s wants a person", s.Step, name)}
	}
	return nil
}

// compare holds the last look to the run's.
func (p *player) compare(m *Move, want picture) (view, error) {
	var v view
	var err error
	if v.frame, err = imagebudget.Prepare(p.seen, m.Seen.Size, imagebudget.Pixels); err != nil {
		return v, err
	}
	if !bytes.Equal(v.frame.Image, p.now.data) { // most looks while waiting see the same
		if p.now, err = decode(v.frame.Image); err != nil {
			return v, err
		}
	}
	now := p.now
	var found Step
	if was := moved(m.Seen.URL, p.cfg.Bases); p.checks(CheckURL) && !sameAddress(was, p.seen.URL) {
		p.differs(&found, CheckURL, "the page is %s, was %s", env.WithoutUser(p.seen.URL), was)
	}
	if p.seen.Viewport != m.Seen.Viewport || now.size() != want.size() {
		v.Contrast = Contrast{Share: 1}
		if p.checks(CheckFrame) {
			p.differs(&found, CheckFrame, "the frame is of a viewport of %v and has %v pixels, was of %v and had %v", p.seen.Viewport, now.size(), m.Seen.Viewport, want.size())
		}
		v.differences = found.Differences
		return v, nil
	}
	v.masked = p.masked(m)
	v.Contrast = contrast(want, now, v.masked, p.cfg.Tolerance == 0)
	if p.checks(CheckFrame) && v.Share > p.cfg.Tolerance {
		p.differs(&found, CheckFrame, "the frame differs in %s of its pixels, within %v", percent(v.Share), v.Box)
	}
	v.differences = found.Differences
	return v, nil
}

// reload asks for the page in front once more, as the run did when it was taken up
// again.
func (p *player) reload(ctx context.Context) error {
	if !strings.HasPrefix(p.seen.URL, "http") || p.cfg.Policy.Visit(p.seen.URL) != nil {
		return nil
	}
	_, err := p.page.Perform(ctx, env.Action{Kind: env.VisitURL, URL: p.seen.URL})
	var fail *env.ActionError
	if errors.As(err, &fail) {
		return nil // the look behind it shows what there is
	}
	return err
}

// percent writes a share for people.
func percent(share float64) string {
	if share > 0 && share < 0.0001 {
		return "under 0.01%"
	}
	return fmt.Sprintf("%.2f%%", 100*share)
}
