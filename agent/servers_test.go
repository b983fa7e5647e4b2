package agent_test

import (
	"context"
	"math"
	"testing"
	"time"

	"fara/env"
	"fara/model"
	"fara/model/modeltest"
	"fara/model/ollama"
	"fara/model/openai"
	"fara/model/retry"
	"fara/trajectory"
)

// over runs against a real HTTP server in front of a brain, through the client of
// an API and the wrapper that repeats calls.
func (b *bench) over(t *testing.T, api modeltest.API, cfg modeltest.Config, brain model.Chatter, faults ...modeltest.Fault) {
	t.Helper()
	srv, err := cfg.Serve(brain, faults...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	var client model.Chatter
	if api == modeltest.Ollama {
		client, err = ollama.New(ollama.Config{Endpoint: srv.URL(), Model: srv.Model(), NumCtx: max(4096, b.cfg.NumCtx)})
	} else {
		client, err = openai.New(openai.Config{Endpoint: srv.URL(), Model: srv.Model()})
	}
	if err != nil {
		t.Fatal(err)
	}
	b.server = func(m model.Chatter) model.Chatter {
		return spy{retry.Wrap(client, retry.Config{First: time.Millisecond, Longest: 2 * time.Millisecond}), b.model}
	}
}

// spy has a script remember what a client was asked, for the checks that every
// run goes through.
type spy struct {
	model.Chatter
	memory *modeltest.Script
}

func (s spy) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	_, _ = s.memory.Chat(ctx, req, nil) // it answers what nobody reads
	return s.Chatter.Chat(ctx, req, until)
}

// TestRunsComeThroughWithServersOfEveryMood runs some steps against servers that
// limit, cut and fail, over both APIs.
func TestRunsComeThroughWithServersOfEveryMood(t *testing.T) {
	const steps = 6
	target := env.Point{X: 1080, Y: 224}
	for name, c := range map[string]struct {
		apis   []modeltest.API
		cfg    modeltest.Config
		wrap   func(model.Chatter) model.Chatter
		faults []modeltest.Fault
		numCtx int
		// What must be true at the end.
		mostFrames int
		truncated  bool
		smaller    bool
	}{
		"one image":        {wrap: limitImages(1), mostFrames: 1},
		"two images":       {wrap: limitImages(2), mostFrames: 2},
		"small context":    {apis: []modeltest.API{modeltest.OpenAI}, cfg: modeltest.Config{Context: 4096}, numCtx: 16384, mostFrames: 2},
		"smaller context":  {apis: []modeltest.API{modeltest.OpenAI}, cfg: modeltest.Config{Context: 2600}, numCtx: 16384, mostFrames: 1, smaller: true},
		"cuts in silence":  {apis: []modeltest.API{modeltest.OpenAI}, wrap: func(m model.Chatter) model.Chatter { return modeltest.CutPrompts(m, 4096) }, numCtx: 16384, mostFrames: 2, truncated: true},
		"chokes":           {wrap: func(m model.Chatter) model.Chatter { return modeltest.LimitPixels(m, 700_000) }, mostFrames: 3, smaller: true},
		"insists on turns": {wrap: modeltest.Alternating, mostFrames: 3},
		"fails at random":  {faults: []modeltest.Fault{modeltest.Chaos(3, 0.4, modeltest.Status(500, `{"error":"boom"}`), modeltest.Busy(0))}, mostFrames: 3},
		"all of it": {wrap: func(m model.Chatter) model.Chatter {
			return modeltest.Alternating(modeltest.LimitImages(modeltest.LimitPixels(m, 700_000), 2))
		}, faults: []modeltest.Fault{modeltest.Chaos(5, 0.2, modeltest.Busy(0))}, mostFrames: 2, smaller: true},
	} {
		if c.apis == nil {
			c.apis = []modeltest.API{modeltest.Ollama, modeltest.OpenAI}
		}
		for _, api := range c.apis {
			for _, trim := range []string{"window", "steady"} {
				b := newBench(t)
				b.cfg.MaxSteps, b.cfg.NumCtx, b.cfg.Trim = steps, c.numCtx, trim
				if api == modeltest.Ollama && c.numCtx == 0 {
					b.cfg.NumCtx = 16384
				}
				b.model = modeltest.NewEndlessScript(modeltest.Text(""))
				var brain model.Chatter = marksman(t, "thousandths", 0.75, 0.25)
				if c.wrap != nil {
					brain = c.wrap(brain)
				}
				b.over(t, api, c.cfg, brain, c.faults...)
				r := b.run(t)
				id := name + " over " + string(api) + ", " + trim
				want(t, r, trajectory.BudgetExhausted, "max_steps")
				if r.Steps != steps || c.truncated != (r.Usage.Truncated > 0) {
					t.Errorf("%s: got %d steps, %d truncated (%s), want %d and truncated: %v: %v", id, r.Steps, r.Usage.Truncated, r.Message, steps, c.truncated, b.signs(t))
				}
				for _, a := range b.page.Actions()[1:] {
					if math.Abs(a.Point.X-target.X) > 1 || math.Abs(a.Point.Y-target.Y) > 1 {
						t.Fatalf("%s: clicked at %v, want %v", id, *a.Point, target)
					}
				}
				smaller := false
				for _, e := range b.events(t) {
					if e.Proposed != nil && e.Proposed.Truncated == "" && e.Step == steps && len(e.Proposed.Frames) > c.mostFrames {
						t.Errorf("%s: the last request has %d frames, want at most %d", id, len(e.Proposed.Frames), c.mostFrames)
					}
					smaller = smaller || e.Observed != nil && e.Observed.Again
				}
				if smaller != c.smaller {
					t.Errorf("%s: frames became smaller: %v, want %v", id, smaller, c.smaller)
				}
			}
		}
	}
}

func limitImages(n int) func(model.Chatter) model.Chatter {
	return func(m model.Chatter) model.Chatter { return modeltest.LimitImages(m, n) }
}
