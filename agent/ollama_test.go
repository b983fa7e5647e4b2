package agent_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"fara/agent"
	"fara/env"
	"fara/model"
	"fara/model/ollama"
	"fara/model/ollama/ollamatest"
	"fara/model/openai"
	"fara/model/retry"
	"fara/trajectory"
)

// system is short: the tiny model reads a token for every character.
const system = "You use a browser.\n<tools>\n" +
	`{"function": {"name": "computer_use", "parameters": {"properties": {"action": {"enum": ["left_click", "terminate"]}}}}}` + "\n</tools>"

// read has a real server read every request and takes the words from a script.
func read(server model.Chatter) func(model.Chatter) model.Chatter {
	return func(script model.Chatter) model.Chatter {
		return chatFunc(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
			said, err := script.Chat(ctx, req, until)
			if err != nil {
				return said, err
			}
			short := req
			short.MaxTokens = 1
			heard, err := server.Chat(ctx, short, nil)
			said.Usage = heard.Usage
			return said, err
		})
	}
}

// TestRunsAgainstARealOllama holds what is learned and found against the server
// itself, over both of its APIs.
func TestRunsAgainstARealOllama(t *testing.T) {
	endpoint := ollamatest.Start(t)
	small := env.Size{W: 320, H: 256}
	newRun := func(t *testing.T) *bench {
		b := newBench(t)
		d, err := b.cfg.Dialect.WithPrompt(system, small)
		if err != nil {
			t.Fatal(err)
		}
		d.Viewport, b.page.Viewport, b.cfg.Dialect, b.cfg.NumCtx = small, small, d, 8192
		b.model = chatter(d)
		return b
	}
	t.Run("CountsAreLearned", func(t *testing.T) {
		b := newRun(t)
		b.cfg.MaxSteps = 5
		client, err := ollama.New(ollama.Config{Endpoint: endpoint, Model: ollamatest.Vision, NumCtx: 8192})
		if err != nil {
			t.Fatal(err)
		}
		b.server = read(client)
		want(t, b.run(t), trajectory.BudgetExhausted, "max_steps")
		for _, e := range b.events(t) {
			if e.Proposed == nil {
				continue
			}
			p := e.Proposed
			if p.Truncated != "" || p.FrameTokens != len(p.Frames)*(10*8+2) {
				t.Errorf("step %d: truncated %q, frames of %d tokens, want none and 82 each", e.Step, p.Truncated, p.FrameTokens)
			}
			if off := math.Abs(float64(p.EstimatedTokens)/float64(p.Usage.PromptTokens) - 1); e.Step > 2 && off > 0.08 {
				t.Errorf("step %d: thought %d tokens, the server read %d", e.Step, p.EstimatedTokens, p.Usage.PromptTokens)
			}
		}
	})
	t.Run("SilentCutIsSeen", func(t *testing.T) {
		b := newRun(t)
		b.cfg.Task, b.cfg.MaxSteps = strings.Repeat("Buy green tea. ", 180), 8
		client, err := openai.New(openai.Config{Endpoint: endpoint + "/v1", Model: ollamatest.Vision})
		if err != nil {
			t.Fatal(err)
		}
		b.server = read(client)
		r := b.run(t)
		want(t, r, trajectory.BudgetExhausted, "max_steps")
		if r.Steps != 8 || r.Usage.Truncated == 0 || r.Usage.Truncated > 3 {
			t.Errorf("got %d steps, %d truncated, want 8 and a few: %v", r.Steps, r.Usage.Truncated, b.signs(t))
		}
		for _, e := range b.events(t) {
			if p := e.Proposed; p != nil && p.Truncated == "" && p.Usage.PromptTokens >= 4096 && p.EstimatedTokens > 4096*101/100 {
				t.Errorf("step %d: a reply to a request that was cut at %d tokens was used", e.Step, p.Usage.PromptTokens)
			}
		}
	})
	t.Run("ConstrainedRepliesAct", func(t *testing.T) {
		b := newRun(t)
		d := speaking(t, "json")
		own, err := d.WithPrompt("You use a browser.\n{\"action\": \"left_click\", \"coordinate\": [x, y]}", small)
		if err != nil {
			t.Fatal(err)
		}
		own.Viewport = small
		b.cfg.Dialect, b.cfg.MaxSteps, b.cfg.Replies = own, 2, agent.Constrained
		b.cfg.Temperature = 1 // at 0 it repeats itself until the server gives up
		client, err := ollama.New(ollama.Config{Endpoint: endpoint, Model: ollamatest.Vision, NumCtx: 8192})
		if err != nil {
			t.Fatal(err)
		}
		memory := b.model
		b.server = func(model.Chatter) model.Chatter {
			return spy{retry.Wrap(client, retry.Config{First: time.Millisecond}), memory}
		}
		r := b.run(t)
		want(t, r, trajectory.BudgetExhausted, "max_steps")
		if r.Steps != 2 || r.Usage.BadReplies != 0 {
			t.Errorf("got %d steps and %d replies that could not be used, want 2 and none", r.Steps, r.Usage.BadReplies)
		}
		for _, a := range b.page.Actions()[1:] {
			if a.Kind != env.LeftClick || a.Point == nil {
				t.Errorf("a model of random weights came to %+v, want a click", a)
			}
		}
	})
}
