package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fara/agent"
	"fara/captcha"
	"fara/env"
	"fara/env/envtest"
	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

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
		{model.ErrPicture, trajectory.ModelUnavailable, "picture"},
		{model.ErrSchema, trajectory.ModelUnavailable, "schema"},
		{model.ErrTools, trajectory.ModelUnavailable, "tools"},
		{errors.New("who knows"), trajectory.Error, "internal"},
	} {
		b := newBench(t)
		b.model = modeltest.NewEndlessScript(modeltest.Fail(&model.Error{Kind: c.kind, Message: "its words"}))
		r := b.run(t)
		want(t, r, c.status, c.reason)
		if c.status != trajectory.Error && !strings.Contains(r.Message, "its words") {
			t.Errorf("%v: the message is %q", c.kind, r.Message)
		}
	}
}

// verifierFunc only waits.
type verifierFunc func(context.Context) error

func (f verifierFunc) Verify(ctx context.Context, _ agent.Candidate) (trajectory.Verdict, error) {
	return trajectory.Verdict{By: "judge"}, f(ctx)
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
		"approval": func(b *bench) { withButton(b, buy()).user = deaf{} },
		"captcha": func(b *bench) {
			b.page.Widgets, b.user = []env.Widget{{Name: "hCaptcha", Box: env.Rect{W: 300, H: 80}, Alone: true}}, deaf{}
		},
		"pause": func(b *bench) { b.cfg.Hold = &agent.Hold{}; b.cfg.Hold.Pause() },
		"verifier": func(b *bench) {
			b.model, b.cfg.Verifiers = modeltest.NewScript(done("x")), []agent.Verifier{verifierFunc(hang)}
		},
		"keeping the state": func(b *bench) {
			b.cfg.Keep = func(ctx context.Context) ([]byte, error) { return nil, hang(ctx) }
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

func TestAnAnswerThatWasForcedIsNoSuccess(t *testing.T) {
	for _, c := range []struct {
		last   modeltest.Answer
		answer string
		claim  string
	}{
		{done("about 4 euros"), "about 4 euros", "forced"},
		{click(9, 9), "", ""},
		{modeltest.Text("I do not know."), "", ""},
	} {
		b := newBench(t)
		b.model = modeltest.NewEndlessScript(click(1, 1), click(2, 2), c.last)
		b.cfg.MaxSteps, b.cfg.FinalAnswer = 2, true
		r := b.run(t)
		want(t, r, trajectory.BudgetExhausted, "max_steps")
		if r.Answer != c.answer || r.Claim != c.claim || r.Steps != 2 || clicks(b) != 2 || len(r.Verified) != 0 {
			t.Errorf("got %+v after %d clicks, want the answer %q, claimed as %q", r, clicks(b), c.answer, c.claim)
		}
	}
}

func TestARunGoesOnAfterItsLastWord(t *testing.T) {
	b := newBench(t, click(1, 1), done("about 4 euros"))
	b.cfg.MaxSteps, b.cfg.FinalAnswer = 1, true
	want(t, b.run(t), trajectory.BudgetExhausted, "max_steps")
	w, _, err := trajectory.Reopen(b.writer.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.cfg.MaxSteps = 5
	r, err := agent.New(b.cfg, &envtest.Env{}, modeltest.NewScript(click(3, 3), done("4 euros")), nil, w).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, r, trajectory.Success, "terminate")
	if r.Answer != "4 euros" || r.Steps != 3 {
		t.Errorf("got %q after %d steps, want 4 euros after 3", r.Answer, r.Steps)
	}
}
