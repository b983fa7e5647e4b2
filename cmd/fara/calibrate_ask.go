package main

import (
	"context"
	"errors"
	"slices"

	"fara/calibrate"
	"fara/env"
	"fara/imagebudget"
	"fara/model"
)

// aimTask is the same for every target: it is the only thing on its page.
const aimTask = "Click exactly in the middle of the red disc. It is the only thing on the page."

// probeTargets is after how many replies without a point a manner is given up.
const probeTargets = 3

// gunner has a model click targets.
type gunner struct {
	srv    *server
	flags  *modelFlags
	shown  *gallery
	clicks int
	told   func(m manner, n, of int)
}

// round is what came of asking in one manner.
type round struct {
	manner  manner
	sizes   calibrate.Sizes
	shots   []calibrate.Shot
	said    []said
	verdict calibrate.Verdict
	// refused is the server's own refusal of the manner; nil is none.
	refused error
}

// said is a reply, and why it holds no point; empty when it does.
type said struct{ reply, problem string }

// shoot shows all targets in a manner, or the first few when no reply to them can
// be used.
func (g *gunner) shoot(ctx context.Context, m manner) (round, error) {
	r := round{manner: m}
	for i, target := range calibrate.Targets(m.dialect.Viewport, g.clicks) {
		g.told(m, i+1, g.clicks)
		obs, err := g.shown.show(ctx, m.dialect.Viewport, target)
		if err != nil {
			return r, err
		}
		point, said, err := g.ask(ctx, &r, obs)
		if refusesManner(err) {
			r.refused = err
			break
		}
		if err != nil {
			return r, err
		}
		r.shots, r.said = append(r.shots, calibrate.Shot{Target: target, Raw: point}), append(r.said, said)
		if len(r.shots) == probeTargets && !slices.ContainsFunc(r.shots, func(s calibrate.Shot) bool { return s.Raw != nil }) {
			break
		}
	}
	r.verdict = calibrate.Judge(r.shots, r.sizes, m.dialect.Space)
	return r, nil
}

// refusesManner reports whether a server cannot ask the model in this manner, and
// may in another: one dialect's prompt is longer than the other's.
func refusesManner(err error) bool {
	return errors.Is(err, model.ErrSchema) || errors.Is(err, model.ErrTools) || errors.Is(err, model.ErrContext)
}

// ask sends what a run would send first and reads the answer's point, raw.
func (g *gunner) ask(ctx context.Context, r *round, obs env.Observation) (*model.Point, said, error) {
	d := r.manner.dialect
	target, err := d.Grid.Fit(d.Viewport)
	if err != nil {
		return nil, said{}, usage("--viewport: %w", err)
	}
	frame, err := imagebudget.Prepare(obs, target, d.Space)
	if err != nil {
		return nil, said{}, err
	}
	r.sizes = calibrate.Sizes{Viewport: obs.Viewport, Picture: frame.Size}
	request, err := r.manner.request(frame, g.srv.window(g.flags.numCtx), g.flags.temperature)
	if err != nil {
		return nil, said{}, err
	}
	reply, err := g.srv.chat.Chat(ctx, request, r.manner.until())
	if ctx.Err() != nil {
		return nil, said{}, context.Cause(ctx)
	}
	if err != nil {
		return nil, said{}, modelError(err)
	}
	point, problem := r.manner.point(reply)
	return point, said{reply.Text, problem}, nil
}
