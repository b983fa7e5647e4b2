package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"fara/agent"
	"fara/calibrate"
	"fara/dialect"
	"fara/env"
	"fara/imagebudget"
	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

// aimTask is the same for every target: it is the only thing on its page.
const aimTask = "Click exactly in the middle of the red disc. It is the only thing on the page."

// probeTargets is after how many replies without a point a manner is given up.
const probeTargets = 3

// aimReply bounds a reply in tokens, as a run does.
const aimReply = 2048

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

// settled reports whether no other manner can come out better: it fits, or the
// answers follow the targets in a way that another form would not change.
func (r round) settled() bool {
	return !slices.Contains([]calibrate.Why{calibrate.Unread, calibrate.Blind, calibrate.Noisy}, r.verdict.Why)
}

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
// may in another.
func refusesManner(err error) bool {
	return errors.Is(err, model.ErrSchema) || errors.Is(err, model.ErrTools)
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
	request, err := r.manner.request(frame, aimTask, g.srv.window(g.flags.numCtx), g.flags.temperature)
	if errors.Is(err, prompt.ErrOverflow) {
		return nil, said{}, usage("%w: --num-ctx or the model's own context has %d tokens; give more, or a smaller --viewport", err, g.srv.window(g.flags.numCtx))
	}
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

// manner is one way of asking: a dialect, and how the reply is held to its form.
type manner struct {
	// name is what --dialect takes.
	name    string
	dialect dialect.Dialect
	replies agent.Replies
}

func (m manner) String() string {
	if m.replies == agent.FreeText {
		return "dialect " + m.dialect.Name
	}
	return fmt.Sprintf("dialect %s, replies %s", m.dialect.Name, m.replies)
}

// request is the first request of a run that sees this frame.
func (m manner) request(frame imagebudget.Frame, task string, numCtx int, temperature float64) (model.Request, error) {
	const file = "frames/1"
	sum := sha256.Sum256(frame.Image)
	started := &trajectory.Started{
		Task: task, URL: "https://target.example/", Dialect: m.dialect.Name, System: m.dialect.System(frame.Size),
		MaxSteps: 100, MaxImages: 1, NumCtx: numCtx, ReplyTokens: aimReply, Temperature: temperature, Speech: m.dialect.Speech(),
	}
	built, err := prompt.Build([]trajectory.Event{
		{Kind: trajectory.KindStarted, Started: started},
		{Kind: trajectory.KindObserved, Observed: &trajectory.Observed{
			Frame: file, SHA256: hex.EncodeToString(sum[:]), MIME: frame.MIME, Captured: frame.Size, Size: frame.Size,
			Viewport: frame.Viewport, Tokens: m.dialect.Grid.Tokens(frame.Size), URL: started.URL,
		}},
	}, m.dialect, func(string) ([]byte, error) { return frame.Image, nil })
	return built.Request, err
}

func (m manner) until() model.Until { return m.dialect.Complete }

// read finds a reply's call.
func (m manner) read(reply model.Reply) (model.Call, error) {
	picture, err := m.dialect.Grid.Fit(m.dialect.Viewport)
	if err != nil {
		return model.Call{}, err
	}
	allowed, err := dialect.Allowed(m.dialect.System(picture))
	if err != nil {
		return model.Call{}, err
	}
	parsed, err := m.dialect.Parse(reply, allowed)
	return parsed.Call, err
}

// point is where a reply points, in the model's own numbers; or why nowhere.
func (m manner) point(reply model.Reply) (*model.Point, string) {
	call, err := m.read(reply)
	switch {
	case err != nil:
		return nil, err.Error()
	case call.Coordinate == nil:
		return nil, fmt.Sprintf("the model answers with %s, not with a click", call.Action)
	}
	return call.Coordinate, ""
}

// manners are the ways to ask, the likeliest first.
func (m *modelFlags) manners(viewport env.Size) ([]manner, error) {
	d, err := m.fitted(viewport)
	if err != nil {
		return nil, err
	}
	return []manner{{d.Name, d, agent.FreeText}}, nil
}
