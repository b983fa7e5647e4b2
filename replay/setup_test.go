package replay_test

import (
	"context"
	"errors"
	"testing"

	"fara/env"
	"fara/env/envtest"
	"fara/replay"
	"fara/trajectory"
)

const home = "https://shop.example/"

// small is a viewport whose frames are quickly read.
var small = env.Size{W: 448, H: 420}

// tape records a run by hand, as an agent would: it acts in an environment and writes
// down what that shows.
type tape struct {
	t    *testing.T
	w    *trajectory.Writer
	page replay.Environment
	step int
}

// begin begins a run in an environment.
func begin(t *testing.T, page replay.Environment) *tape {
	t.Helper()
	w, err := trajectory.Create(t.TempDir(), trajectory.Task{Run: "run", Task: "Buy <b>it</b>.", URL: home}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &tape{t: t, w: w, page: page}
	r.add(trajectory.Started{Task: "Buy <b>it</b>.", URL: home})
	r.act(env.Action{Kind: env.VisitURL, URL: home}, trajectory.Decided{Allowed: true, Code: "default"})
	return r
}

func (r *tape) add(p trajectory.Payload) {
	r.t.Helper()
	if _, err := r.w.Append(r.step, p); err != nil {
		r.t.Fatal(err)
	}
}

// look begins a step with a frame.
func (r *tape) look() *tape {
	r.t.Helper()
	r.step++
	obs, err := r.page.Observe(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	file, hash, err := r.w.Frame(obs.Image, obs.MIME)
	if err != nil {
		r.t.Fatal(err)
	}
	r.add(trajectory.Observed{Frame: file, SHA256: hash, MIME: obs.MIME, Captured: obs.ImageSize, Size: obs.ImageSize, Viewport: obs.Viewport, URL: obs.URL, Notes: obs.Notes})
	return r
}

// act does an action that was decided about, with what it hit filled in.
func (r *tape) act(act env.Action, d trajectory.Decided) *tape {
	r.t.Helper()
	var err error
	if d.Hit, err = r.page.Aim(r.t.Context(), act); err != nil {
		r.t.Fatal(err)
	}
	r.add(d)
	r.add(trajectory.Acting{Action: act})
	out, err := r.page.Perform(r.t.Context(), act)
	done := trajectory.Acted{Text: out.Text, Hit: out.Hit}
	var fail *env.ActionError
	if errors.As(err, &fail) {
		done.Error = &trajectory.Problem{Reason: string(fail.Code), Text: fail.Text}
	} else if err != nil {
		r.t.Fatal(err)
	}
	r.add(done)
	return r
}

// does is a step of an action that nobody need be asked about.
func (r *tape) does(act env.Action) *tape {
	r.t.Helper()
	return r.look().act(act, trajectory.Decided{Allowed: true, Code: "default"})
}

// plan ends the run and reads it.
func (r *tape) plan() *replay.Plan {
	r.t.Helper()
	if err := r.w.Close(); err != nil {
		r.t.Fatal(err)
	}
	run, err := trajectory.Read(r.w.Dir())
	if err != nil {
		r.t.Fatal(err)
	}
	plan, err := replay.Read(run)
	if err != nil {
		r.t.Fatal(err)
	}
	return plan
}

// play plays a plan and gives the report as it is on disk too.
func play(t *testing.T, plan *replay.Plan, page replay.Environment, cfg replay.Config) replay.Report {
	t.Helper()
	return playIn(t, t.Context(), plan, page, cfg)
}

func playIn(t *testing.T, ctx context.Context, plan *replay.Plan, page replay.Environment, cfg replay.Config) replay.Report {
	t.Helper()
	out, err := replay.Create(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := replay.Play(ctx, plan, page, out, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// fields are two fields and a button, of 200x40 CSS pixels each.
func fields() []env.Element {
	box := func(x, y float64) env.Rect { return env.Rect{X: x, Y: y, W: 200, H: 40} }
	return []env.Element{
		{Tag: "input", Role: "textbox", Name: "First\n name", Editable: true, Box: box(100, 100)},
		{Tag: "input", Role: "textbox", Editable: true, Box: box(100, 200)},
		{Tag: "button", Role: "button", Name: "Add", Box: box(100, 300)},
	}
}

func point(x, y float64) *env.Point { return &env.Point{X: x, Y: y} }

func typed(y float64, text string) env.Action {
	return env.Action{Kind: env.Type, Point: point(200, y), Text: text}
}

func click(y float64) env.Action { return env.Action{Kind: env.LeftClick, Point: point(200, y)} }

// filled is a run of six steps: it types three times, clicks twice and looks.
func filled(t *testing.T) *replay.Plan {
	return begin(t, &envtest.Env{Viewport: small, Elements: fields()}).
		does(typed(120, "Ada")).does(typed(220, "x=1")).does(typed(120, "Grace")).
		does(click(320)).does(click(320)).look().plan()
}
