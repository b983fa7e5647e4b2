package agent_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"math"
	"strings"
	"testing"

	"fara/dialect"
	"fara/env"
	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

// chatFunc lets a function be a server.
type chatFunc func(context.Context, model.Request, model.Until) (model.Reply, error)

func (f chatFunc) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	return f(ctx, req, until)
}

// area is how many pixels a request's newest picture has.
func area(t *testing.T, req model.Request) (w, h int) {
	t.Helper()
	last := req.Messages[len(req.Messages)-1]
	for _, m := range req.Messages {
		if len(m.Images) > 0 {
			last = m
		}
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(last.Images[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	return cfg.Width, cfg.Height
}

// choking fails on pictures of more than limit pixels.
func choking(limit int) func(model.Chatter) model.Chatter {
	return func(m model.Chatter) model.Chatter {
		return chatFunc(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
			for _, msg := range req.Messages {
				for _, img := range msg.Images {
					cfg, _, err := image.DecodeConfig(bytes.NewReader(img.Data))
					if err == nil && cfg.Width*cfg.Height > limit {
						return model.Reply{}, &model.Error{Kind: model.ErrPicture, Status: 500, Message: "the runner stopped"}
					}
				}
			}
			return m.Chat(ctx, req, until)
		})
	}
}

// marksman clicks the middle of a target in the dialect's own numbers, whatever
// size of picture it gets.
func marksman(t *testing.T, space string, x, y float64) *modeltest.Script {
	return modeltest.NewEndlessScript(func(_ context.Context, req model.Request) (model.Reply, error) {
		px, py := x*1000, y*1000
		if space == "pixels" {
			w, h := area(t, req)
			px, py = x*float64(w), y*float64(h)
		}
		return model.Reply{Text: fmt.Sprintf("<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [%.2f, %.2f]}}\n</tool_call>", px, py)}, nil
	})
}

func TestPicturesThatCrashAServerAreSentSmallerAndClicksStillLand(t *testing.T) {
	for _, c := range []struct {
		dialect, space string
		viewport       env.Size
	}{
		{"fara-1.5", "thousandths", env.Size{W: 1440, H: 896}},
		{"fara-7b", "pixels", env.Size{W: 1428, H: 896}},
		{"fara-7b", "pixels", env.Size{W: 1300, H: 777}},
	} {
		b := newBench(t)
		d, err := dialect.Get(c.dialect)
		if err != nil {
			t.Fatal(err)
		}
		b.cfg.Dialect, b.cfg.MaxSteps, b.page.Viewport = d, 4, c.viewport
		b.cfg.Dialect.Viewport = c.viewport
		b.model = marksman(t, c.space, 0.75, 0.25)
		b.server = choking(700_000)
		r := b.run(t)
		want(t, r, trajectory.BudgetExhausted, "max_steps")
		if r.Steps != 4 {
			t.Errorf("%s: got %d steps, want 4: asking again is no step", c.dialect, r.Steps)
		}
		for _, a := range b.page.Actions()[1:] {
			if math.Abs(a.Point.X-0.75*float64(c.viewport.W)) > 1 || math.Abs(a.Point.Y-0.25*float64(c.viewport.H)) > 1 {
				t.Errorf("%s: clicked at %v, want the target in the page's own pixels", c.dialect, *a.Point)
			}
		}
		again, learned := 0, 0
		for _, e := range b.events(t) {
			if e.Observed != nil && e.Observed.Again {
				again++
			}
			if e.Adapted != nil && e.Adapted.MaxPixels > 0 {
				learned++
			}
			if e.Observed != nil && e.Step > 1 && e.Observed.Size.W*e.Observed.Size.H > 700_000 {
				t.Errorf("%s, step %d: the frame has %v, although less was learned", c.dialect, e.Step, e.Observed.Size)
			}
		}
		if again == 0 || again > 2 || again != learned {
			t.Errorf("%s: the first frame was made smaller %d times and %d limits are on record, want one or two of each", c.dialect, again, learned)
		}
		last := b.model.Requests()[3]
		if w, h := area(t, last); c.space == "pixels" && !strings.Contains(last.Messages[0].Text, fmt.Sprintf("%dx%d", w, h)) {
			t.Errorf("%s: the prompt does not say that the screen is %dx%d", c.dialect, w, h)
		}
		if n := frames(last); n != 3 {
			t.Errorf("%s: the last request has %d frames, want 3 small ones", c.dialect, n)
		}
	}
}

func TestOnePassingFailureOnAPictureTeachesNothing(t *testing.T) {
	b := newBench(t, modeltest.Fail(&model.Error{Kind: model.ErrPicture}), click(1, 1), done("x"))
	want(t, b.run(t), trajectory.Success, "terminate")
	for _, e := range b.events(t) {
		if e.Kind == trajectory.KindAdapted {
			t.Errorf("learned %+v from one failure", e.Adapted)
		}
	}
}

func TestLargerOldFramesLeaveThePrompt(t *testing.T) {
	b := newBench(t)
	b.model = chatter(b.cfg.Dialect)
	b.cfg.MaxSteps = 8
	calls := 0
	b.server = func(m model.Chatter) model.Chatter {
		small := choking(700_000)(m)
		return chatFunc(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
			if calls++; calls <= 4 { // it fails from the fifth request on
				return m.Chat(ctx, req, until)
			}
			return small.Chat(ctx, req, until)
		})
	}
	want(t, b.run(t), trajectory.BudgetExhausted, "max_steps")
	var got []int
	for _, req := range b.model.Requests() {
		got = append(got, frames(req))
	}
	if want := "[1 2 3 3 1 2 3 3]"; fmt.Sprint(got) != want {
		t.Errorf("frames in the requests that were answered: got %v, want %s", got, want)
	}
}

func TestContextOverflowOnlyWhenTheSmallestFrameAloneDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		limit  int
		named  bool
		status trajectory.Status
	}{
		{4000, true, trajectory.Success}, {4000, false, trajectory.Success},
		{2300, true, trajectory.Success}, {2300, false, trajectory.Success},
		{1400, true, trajectory.ContextOverflow}, {1400, false, trajectory.ContextOverflow},
	} {
		b := newBench(t, click(1, 1), click(2, 2), click(3, 3), done("x"))
		b.server = func(m model.Chatter) model.Chatter {
			return chatFunc(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
				if modeltest.CountPrompt(req)+req.MaxTokens > c.limit {
					refusal := &model.Error{Kind: model.ErrContext, Message: "too long"}
					if c.named {
						refusal.Context = c.limit
					}
					return model.Reply{}, refusal
				}
				return m.Chat(ctx, req, until)
			})
		}
		r := b.run(t)
		if r.Status != c.status {
			t.Errorf("%d tokens, named %v: got %s/%s (%s), want %s", c.limit, c.named, r.Status, r.Reason, r.Message, c.status)
		}
		if c.status == trajectory.Success && r.Steps != 4 {
			t.Errorf("%d tokens, named %v: got %d steps, want 4", c.limit, c.named, r.Steps)
		}
		if c.status == trajectory.ContextOverflow {
			if seen := b.last(t, trajectory.KindObserved).Observed; seen.Size.W*seen.Size.H > 1440*896/4 {
				t.Errorf("%d tokens, named %v: given up with a frame of %v, want the smallest tried", c.limit, c.named, seen.Size)
			}
		}
	}
}

func TestServersThatRefuseASchemaOrToolsAreAskedWithout(t *testing.T) {
	for kind, replies := range map[error]string{model.ErrSchema: "constrained", model.ErrTools: "tools"} {
		b := newBench(t, click(1, 1), done("x"))
		b.cfg.Replies = agentReplies(replies)
		b.server = func(m model.Chatter) model.Chatter {
			return chatFunc(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
				if req.Schema != nil || req.Tools != nil {
					return model.Reply{}, &model.Error{Kind: kind, Status: 400, Message: "not here"}
				}
				return m.Chat(ctx, req, until)
			})
		}
		r := b.run(t)
		want(t, r, trajectory.Success, "terminate")
		began := b.events(t)[0].Started
		if len(began.Schema) == 0 && len(began.Tools) == 0 {
			t.Errorf("%s: the run began without what was asked for", replies)
			continue
		}
		learned := b.last(t, trajectory.KindAdapted).Adapted
		if learned.NoSchema != (replies == "constrained") || learned.NoTools != (replies == "tools") || learned.Why == "" {
			t.Errorf("%s: on record is %+v", replies, learned)
		}
		for i, req := range b.model.Requests() {
			if !strings.Contains(req.Messages[0].Text, "left_click") {
				t.Errorf("%s, request %d: the prompt does not name the actions", replies, i)
			}
		}
	}
}
