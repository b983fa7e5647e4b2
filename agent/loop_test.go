package agent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fara/agent"
	"fara/captcha"
	"fara/env"
	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

func TestRunGoesFromTheFirstPageToTheAnswer(t *testing.T) {
	b := newBench(t, click(500, 250), done("4 euro"))
	var seenAtFirstVisit int
	b.page.OnPerform = func(_ context.Context, n int, a env.Action) (env.Outcome, error) {
		if n == 1 {
			seenAtFirstVisit = len(b.model.Requests())
			b.page.Go(a.URL, "Shop")
		} else {
			b.page.Change()
		}
		return env.Outcome{Text: "did it"}, nil
	}
	r := b.run(t)
	want(t, r, trajectory.Success, "terminate")
	if r.Answer != "4 euro" || r.Steps != 2 || len(r.Verified) != 0 || r.Claim != "success" {
		t.Errorf("got %+v", r)
	}
	if seenAtFirstVisit != 0 {
		t.Errorf("the model was asked %d times before the first page", seenAtFirstVisit)
	}
	acts := b.page.Actions()
	if len(acts) != 2 || acts[0].Kind != env.VisitURL || acts[0].URL != start || acts[1].Kind != env.LeftClick || *acts[1].Point != (env.Point{X: 720, Y: 224}) {
		t.Errorf("actions: got %+v", acts)
	}
	if n := b.page.Observations(); n != 2 {
		t.Errorf("got %d pictures for 2 steps, want one each", n)
	}
	var kinds []trajectory.Kind
	for _, e := range b.events(t) {
		kinds = append(kinds, e.Kind)
	}
	wantKinds := []trajectory.Kind{
		trajectory.KindStarted, trajectory.KindDecided, trajectory.KindActing, trajectory.KindActed,
		trajectory.KindObserved, trajectory.KindProposed, trajectory.KindDecided, trajectory.KindActing, trajectory.KindActed,
		trajectory.KindObserved, trajectory.KindProposed, trajectory.KindEnded,
	}
	if !slices.Equal(kinds, wantKinds) {
		t.Errorf("events: got %v, want %v", kinds, wantKinds)
	}
}

func TestIntentIsOnDiskBeforeTheEffect(t *testing.T) {
	b := newBench(t, click(1, 1), done("x"))
	checked := 0
	b.page.OnPerform = func(_ context.Context, _ int, a env.Action) (env.Outcome, error) {
		events := b.events(t)
		if last := events[len(events)-1]; last.Kind != trajectory.KindActing || last.Acting.Action.Kind != a.Kind {
			t.Errorf("during %s the last event on disk is %s", a.Kind, last.Kind)
		}
		if _, err := os.Stat(filepath.Join(b.writer.Dir(), "result.json")); err == nil {
			t.Error("there is a result while the run goes on")
		}
		checked++
		return env.Outcome{}, nil
	}
	b.run(t)
	if checked != 2 {
		t.Errorf("got %d effects, want 2", checked)
	}
}

func TestFrameSentIsTheFrameStored(t *testing.T) {
	b := newBench(t, click(1, 1), done("x"))
	b.run(t)
	for i, req := range b.model.Requests() {
		msg := req.Messages[len(req.Messages)-1]
		if len(msg.Images) != 1 {
			t.Fatalf("request %d: the newest message has %d frames", i, len(msg.Images))
		}
		stored, err := os.ReadFile(filepath.Join(b.writer.Dir(), "frames", []string{"1.png", "2.png"}[i]))
		if err != nil || string(stored) != string(msg.Images[0].Data) {
			t.Errorf("request %d: the stored frame differs from the sent one: %v", i, err)
		}
	}
}

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

func TestWithoutAPageTheModelIsToldToOpenOne(t *testing.T) {
	b := newBench(t, done("x"))
	b.cfg.URL = ""
	b.run(t)
	if n := len(b.page.Actions()); n != 0 {
		t.Errorf("got %d actions before the model was asked", n)
	}
	if text := b.model.Requests()[0].Messages[1].Text; !strings.Contains(text, "No page is open yet") {
		t.Errorf("the first turn says %q", text)
	}
}

func TestFailuresAreToldAndTheRunGoesOn(t *testing.T) {
	b := newBench(t, click(1, 1), done("x"))
	b.page.FailPerform = map[int]error{2: env.Fail(env.PageFailed, "the page did not take it")}
	want(t, b.run(t), trajectory.Success, "terminate")
	turn := b.model.Requests()[1].Messages
	if text := turn[len(turn)-1].Text; !strings.Contains(text, "The last action failed: the page did not take it") {
		t.Errorf("the next turn says %q", text)
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

func TestPointOutsideTheScreenNeverReachesTheBrowser(t *testing.T) {
	b := newBench(t, click(1200, 5), done("x"))
	b.run(t)
	if n := len(b.page.Actions()); n != 1 {
		t.Errorf("got %d actions, want only the first visit", n)
	}
	turn := b.model.Requests()[1].Messages
	if text := turn[len(turn)-1].Text; !strings.Contains(text, "outside the screen") {
		t.Errorf("the next turn says %q", text)
	}
}

func TestUnchangedScreenIsTold(t *testing.T) {
	b := newBench(t, click(1, 1), call("wait", `{"action": "wait", "time": 0}`), done("x"))
	b.page.Still = true
	b.run(t)
	var told []bool
	for _, req := range b.model.Requests() {
		text := req.Messages[len(req.Messages)-1].Text
		told = append(told, strings.Contains(text, "exactly as it did before"))
	}
	// After a click that did nothing yes; after a wait nothing else was expected.
	if !slices.Equal(told, []bool{false, true, false}) {
		t.Errorf("told: got %v", told)
	}
}

func TestFirstPageThatCannotBeOpenedEndsTheRun(t *testing.T) {
	b := newBench(t)
	b.page.FailPerform = map[int]error{1: env.Fail(env.Navigation, "the host nope.test does not exist")}
	r := b.run(t)
	want(t, r, trajectory.Failure, "start_url")
	if len(b.model.Requests()) != 0 || !strings.Contains(r.Message, "nope.test") || !strings.Contains(r.Message, "--url") {
		t.Errorf("got %d requests and %q", len(b.model.Requests()), r.Message)
	}
}

func TestLostBrowserEndsTheRun(t *testing.T) {
	for name, spoil := range map[string]func(*bench){
		"while looking": func(b *bench) { b.page.FailObserve = map[int]error{2: env.ErrLost} },
		"while acting":  func(b *bench) { b.page.FailPerform = map[int]error{2: env.ErrLost} },
	} {
		b := newBench(t, click(1, 1), click(2, 2))
		spoil(b)
		r := b.run(t)
		if r.Status != trajectory.BrowserLost {
			t.Errorf("%s: got %s/%s", name, r.Status, r.Reason)
		}
	}
}

func TestModelErrorsHaveTheirEndings(t *testing.T) {
	for _, c := range []struct {
		kind   error
		status trajectory.Status
		reason string
	}{
		{model.ErrUnreachable, trajectory.ModelUnavailable, "unreachable"},
		{model.ErrNotFound, trajectory.ModelUnavailable, "model_not_found"},
		{model.ErrUnauthorized, trajectory.ModelUnavailable, "unauthorized"},
		{model.ErrBusy, trajectory.ModelUnavailable, "busy"},
		{model.ErrServer, trajectory.ModelUnavailable, "server_error"},
		{model.ErrIncomplete, trajectory.ModelUnavailable, "incomplete_replies"},
		{model.ErrBadRequest, trajectory.ModelUnavailable, "bad_request"},
		{model.ErrContext, trajectory.ContextOverflow, "server"},
		{model.ErrTooManyImages, trajectory.ModelUnavailable, "no_images"},
		{errors.New("who knows"), trajectory.Error, "internal"},
	} {
		b := newBench(t, modeltest.Fail(&model.Error{Kind: c.kind, Message: "its words"}))
		r := b.run(t)
		want(t, r, c.status, c.reason)
		if c.status != trajectory.Error && !strings.Contains(r.Message, "its words") {
			t.Errorf("%v: the message is %q", c.kind, r.Message)
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

func TestCancelEndsEveryPhaseAtOnce(t *testing.T) {
	hang := func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
	for name, prepare := range map[string]func(*bench){
		"first visit": func(b *bench) {
			b.page.OnPerform = func(ctx context.Context, _ int, _ env.Action) (env.Outcome, error) { return env.Outcome{}, hang(ctx) }
		},
		"model": func(b *bench) { b.model = modeltest.NewScript(modeltest.Hang()) },
		"action": func(b *bench) {
			b.page.OnPerform = func(ctx context.Context, n int, _ env.Action) (env.Outcome, error) {
				if n == 1 {
					return env.Outcome{}, nil
				}
				return env.Outcome{}, hang(ctx)
			}
		},
		"question": func(b *bench) {
			b.model = modeltest.NewScript(call("hm", `{"action": "ask_user_question", "question": "Which?"}`))
			b.user = userFunc(func(ctx context.Context, _ string) (string, error) { return "", hang(ctx) })
		},
	} {
		for _, deadline := range []bool{false, true} {
			b := newBench(t, click(1, 1), click(2, 2))
			prepare(b)
			ctx, cancel := context.WithCancelCause(t.Context())
			began := time.Now()
			if deadline {
				b.cfg.Deadline = 50 * time.Millisecond
			} else {
				time.AfterFunc(50*time.Millisecond, func() { cancel(errors.New("interrupted")) })
			}
			r := b.runIn(t, ctx)
			cancel(nil)
			if took := time.Since(began); took > time.Second {
				t.Errorf("%s: took %v", name, took)
			}
			if deadline {
				want(t, r, trajectory.BudgetExhausted, "deadline")
			} else {
				want(t, r, trajectory.Cancelled, "interrupted")
			}
		}
	}
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

func TestAnAgentRunsOnce(t *testing.T) {
	b := newBench(t, done("x"))
	a := agent.New(b.cfg, b.page, b.model, nil, b.writer)
	if _, err := a.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(t.Context()); !errors.Is(err, agent.ErrRanBefore) {
		t.Errorf("second run: got %v", err)
	}
}

func TestRecoveryIsOnRecord(t *testing.T) {
	b := newBench(t, done("x"))
	b.page.Note(env.Note{Kind: env.NoteRecovered, Text: "The page crashed and was opened again."})
	b.run(t)
	if e := b.last(t, trajectory.KindRecovered); e.Recovered.Text == "" {
		t.Errorf("got %+v", e)
	}
	if text := b.model.Requests()[0].Messages[1].Text; !strings.Contains(text, "crashed") {
		t.Errorf("the model is told %q", text)
	}
}

func TestFaultOfOurOwnLosesNothing(t *testing.T) {
	b := newBench(t, click(1, 1), click(2, 2))
	b.page.OnPerform = func(_ context.Context, n int, _ env.Action) (env.Outcome, error) {
		if n == 3 {
			panic("broken")
		}
		return env.Outcome{}, nil
	}
	r := b.run(t)
	want(t, r, trajectory.Error, "internal")
	if r.Steps != 2 || !strings.Contains(r.Message, "broken") {
		t.Errorf("got %d steps, %q", r.Steps, r.Message)
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

func TestGenerationStopsWhenTheCallIsComplete(t *testing.T) {
	rest := strings.Repeat(" and so on", 1000)
	b := newBench(t, modeltest.Text("x\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"terminate\", \"answer\": \"ok\"}}\n</tool_call>"+rest))
	want(t, b.run(t), trajectory.Success, "terminate")
	p := b.last(t, trajectory.KindProposed).Proposed
	if p.Finish != model.FinishUntil || len(p.Raw) > len(rest)/10 {
		t.Errorf("finish %s after %d characters, want %s soon after the call", p.Finish, len(p.Raw), model.FinishUntil)
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

func TestUnsolvedCaptchaBlocks(t *testing.T) {
	b := newBench(t, click(1, 1))
	gate := captcha.New(captcha.Config{Limit: 20 * time.Millisecond})
	page := captcha.Guard{Environment: b.page, Gate: gate}
	b.page.OnPerform = func(_ context.Context, n int, _ env.Action) (env.Outcome, error) {
		if n == 2 {
			gate.Console("browserbase-solving-started")
		}
		return env.Outcome{}, nil
	}
	r, err := agent.New(b.cfg, page, b.model, nil, b.writer).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, r, trajectory.Blocked, "captcha")
}
