package agent_test

import (
	"strings"
	"testing"

	"fara/env"
	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

func TestBudgetOfStepsIsKeptAndNeverDressedUp(t *testing.T) {
	for _, steps := range []int{1, 3} {
		b := newBench(t)
		b.model = modeltest.NewEndlessScript(click(10, 10))
		b.cfg.MaxSteps = steps
		r := b.run(t)
		want(t, r, trajectory.BudgetExhausted, "max_steps")
		if n := len(b.model.Requests()); n != steps || r.Steps != steps || r.Answer != "" {
			t.Errorf("%d steps: got %d requests, %d steps, answer %q", steps, n, r.Steps, r.Answer)
		}
		if n := len(b.page.Actions()); n != steps+1 {
			t.Errorf("%d steps: got %d actions, want the first visit and %d more", steps, n, steps)
		}
		// What the last action led to is on record too.
		if last := b.events(t)[len(b.events(t))-2]; last.Kind != trajectory.KindObserved {
			t.Errorf("%d steps: before the end comes %s, want a last look", steps, last.Kind)
		}
	}
}

func TestModelIsToldItsBudget(t *testing.T) {
	b := newBench(t, done("x"))
	b.cfg.MaxSteps = 37
	b.run(t)
	if text := b.model.Requests()[0].Messages[1].Text; !strings.Contains(text, "Buy tea.") || !strings.Contains(text, "37 steps") {
		t.Errorf("the first turn says %q", text)
	}
}

func TestFailuresInARowEndTheRun(t *testing.T) {
	fail := env.Fail(env.PageFailed, "no")
	for _, c := range []struct {
		name     string
		failing  []int // of the model's actions, from 1
		status   trajectory.Status
		requests int
	}{
		{"three in a row", []int{1, 2, 3}, trajectory.BudgetExhausted, 3},
		{"a success between", []int{1, 2, 4, 5}, trajectory.Success, 6},
	} {
		b := newBench(t, click(1, 1), click(2, 2), click(3, 3), click(4, 4), click(5, 5), done("x"))
		b.cfg.MaxFailures = 3
		b.page.FailPerform = map[int]error{}
		for _, n := range c.failing {
			b.page.FailPerform[n+1] = fail
		}
		r := b.run(t)
		if n := len(b.model.Requests()); r.Status != c.status || n != c.requests {
			t.Errorf("%s: got %s/%s after %d requests, want %s after %d", c.name, r.Status, r.Reason, n, c.status, c.requests)
		}
		if c.status != trajectory.Success && r.Reason != "max_failures" {
			t.Errorf("%s: got reason %s", c.name, r.Reason)
		}
	}
}

func TestLimitsOfTheServerAreLearned(t *testing.T) {
	for name, refusal := range map[string]*model.Error{
		"images":  {Kind: model.ErrTooManyImages, MaxImages: 1},
		"context": {Kind: model.ErrContext},
	} {
		b := newBench(t, click(1, 1), click(2, 2), modeltest.Fail(refusal), modeltest.Fail(refusal), click(3, 3), done("x"))
		if name == "images" {
			b.model = modeltest.NewScript(click(1, 1), click(2, 2), modeltest.Fail(refusal), click(3, 3), done("x"))
		}
		r := b.run(t)
		want(t, r, trajectory.Success, "terminate")
		if r.Steps != 4 {
			t.Errorf("%s: got %d steps, want 4: asking again is no step", name, r.Steps)
		}
		reqs := b.model.Requests()
		if n := frames(reqs[len(reqs)-1]); n != 1 {
			t.Errorf("%s: the last request has %d frames, want 1 from the refusal on", name, n)
		}
	}
}

func frames(req model.Request) int {
	n := 0
	for _, m := range req.Messages {
		n += len(m.Images)
	}
	return n
}

func TestTokensAreBudgeted(t *testing.T) {
	b := newBench(t)
	b.model = modeltest.NewEndlessScript(modeltest.Say(model.Reply{
		Text:  "x\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [1, 1]}}\n</tool_call>",
		Usage: model.Usage{PromptTokens: 400, CompletionTokens: 100},
	}))
	b.cfg.MaxTokens = 900
	r := b.run(t)
	want(t, r, trajectory.BudgetExhausted, "max_tokens")
	if r.Steps != 2 || r.Usage.PromptTokens != 800 || r.Usage.CompletionTokens != 200 || r.Usage.Calls != 2 {
		t.Errorf("got %d steps and %+v, want 2 steps of 500 tokens", r.Steps, r.Usage)
	}
}

func TestRefusalsCountAsFailures(t *testing.T) {
	b := newBench(t)
	b.model = modeltest.NewEndlessScript(call("go", `{"action": "visit_url", "url": "file:///etc/passwd"}`))
	b.cfg.MaxFailures = 3
	r := b.run(t)
	want(t, r, trajectory.BudgetExhausted, "max_failures")
	if r.Steps != 3 {
		t.Errorf("got %d steps, want 3", r.Steps)
	}
}

func TestDefaultsAreAsDocumented(t *testing.T) {
	b := newBench(t)
	b.model = modeltest.NewEndlessScript(modeltest.Text("no call"))
	if b.run(t); len(b.model.Requests()) != 3 {
		t.Errorf("bad replies: got %d requests, want 3", len(b.model.Requests()))
	}
	started := b.events(t)[0].Started
	if started.MaxSteps != 100 || started.MaxImages != 3 || started.ReplyTokens != 2048 {
		t.Errorf("got %+v", started)
	}
	b = newBench(t)
	b.model = modeltest.NewEndlessScript(click(5000, 1))
	if r := b.run(t); r.Reason != "max_failures" || r.Steps != 5 {
		t.Errorf("failures: got %s after %d steps, want max_failures after 5", r.Reason, r.Steps)
	}
}
