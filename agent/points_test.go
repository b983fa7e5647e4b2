package agent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"fara/dialect"
	"fara/env"
	"fara/imagebudget"
	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

// scattered points anywhere, also a little and far outside, in a space's numbers.
func scattered(t *testing.T, rng *rand.Rand, space imagebudget.Space) *modeltest.Script {
	return modeltest.NewEndlessScript(func(_ context.Context, req model.Request) (model.Reply, error) {
		w, h := area(t, req)
		scale := map[imagebudget.Space][2]float64{imagebudget.Thousandths: {1000, 1000}, imagebudget.Pixels: {float64(w), float64(h)}, imagebudget.Fractions: {1, 1}}[space]
		x, y := scale[0]*(rng.Float64()*1.4-0.2), scale[1]*(rng.Float64()*1.4-0.2)
		action := []string{"left_click", "mouse_move", "type", "scroll"}[rng.IntN(4)]
		return model.Reply{Text: fmt.Sprintf("<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": %q, \"coordinate\": [%v, %v], \"text\": \"x\", \"pixels\": %v}}\n</tool_call>", action, x, y, y)}, nil
	})
}

// TestDispatchedPointsFollowFromTheRecordAlone computes every point and distance
// of a recorded run again from its events.
func TestDispatchedPointsFollowFromTheRecordAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	clamped, refused, placed := 0, 0, 0
	for n := range 6 {
		b := newBench(t)
		d, err := dialect.Get([]string{"fara-1.5", "fara-7b"}[n%2])
		if err != nil {
			t.Fatal(err)
		}
		d.Space = []imagebudget.Space{imagebudget.Thousandths, imagebudget.Pixels, imagebudget.Fractions}[n%3]
		d.Viewport = env.Size{W: 200 + rng.IntN(500), H: 200 + rng.IntN(400)}
		b.cfg.Dialect, b.page.Viewport = d, d.Viewport
		b.cfg.MaxSteps, b.cfg.MaxFailures = 15, 100
		b.model = scattered(t, rng, d.Space)
		if n%2 == 0 { // from some step on the server takes small pictures only
			b.server = choking(d.Viewport.W * d.Viewport.H / 2)
		}
		b.run(t)
		run, err := trajectory.Read(b.writer.Dir())
		if err != nil {
			t.Fatal(err)
		}
		back, err := dialect.Restore(run.Events[0].Started.Speech)
		if err != nil {
			t.Fatal(err)
		}
		var seen *trajectory.Observed
		var call *model.Call
		for _, e := range run.Events {
			switch {
			case e.Observed != nil:
				seen = e.Observed
			case e.Proposed != nil && e.Proposed.Call != nil:
				call = e.Proposed.Call
			case e.Acting != nil && e.Step > 0:
				geo := back.Geometry(seen.Size, seen.Viewport)
				again, err := geo.ToViewport(*call)
				if err != nil || *again.Point != *e.Acting.Action.Point || again.DY != e.Acting.Action.DY || e.Acting.Clamped != geo.Clamps(*call) {
					t.Errorf("step %d: dispatched %+v, clamped %v; from the record %+v, %v", e.Step, e.Acting.Action, e.Acting.Clamped, again, err)
				}
				placed++
				if e.Acting.Clamped {
					clamped++
				}
			case e.Acted != nil && e.Acted.Error != nil && e.Acted.Error.Reason == string(env.BadArgument):
				refused++
			}
		}
	}
	if clamped == 0 || refused == 0 || placed == clamped {
		t.Errorf("got %d points, %d of them clamped, and %d refused, want some of each", placed, clamped, refused)
	}
}
