package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fara/agent"
	"fara/env"
	"fara/model/modeltest"
	"fara/trajectory"
)

// buy is a button that sends an order, wherever one clicks.
func buy() *env.Element {
	return &env.Element{
		Tag: "button", Role: "button", Name: "Buy", Text: "Buy", Type: "submit", Document: start, Box: env.Rect{W: 1440, H: 896},
		Form: &env.Form{Method: "post", Action: "https://shop.test/order", Submits: true, Fields: []env.Field{{Type: "text", Name: "Address", Filled: true}}},
	}
}

// withButton has every click aim at the button.
func withButton(b *bench, el *env.Element) *bench {
	b.page.OnAim = func(int, env.Action) (*env.Element, error) {
		if el == nil {
			return nil, nil
		}
		copied := *el
		return &copied, nil
	}
	return b
}

// person answers approvals with choices, one after the other.
type person struct {
	choices []trajectory.Choice
	asked   []trajectory.Asked
	during  func()
}

func (p *person) Ask(_ context.Context, asked trajectory.Asked) (trajectory.Replied, error) {
	p.asked = append(p.asked, asked)
	if p.during != nil {
		p.during()
	}
	if len(p.choices) == 0 {
		return trajectory.Replied{}, agent.ErrNobody
	}
	choice := p.choices[0]
	p.choices = p.choices[1:]
	return trajectory.Replied{Choice: choice}, nil
}

func clicks(b *bench) int {
	n := 0
	for _, a := range b.page.Actions() {
		if a.Kind == env.LeftClick {
			n++
		}
	}
	return n
}

func TestARiskyActionWaitsForAPersonAndNothingIsSent(t *testing.T) {
	b := withButton(newBench(t, click(500, 500)), buy())
	r := b.run(t)
	if r.Status != trajectory.NeedsApproval || r.Reason != "buy" || !strings.Contains(r.Resume, "--approval yes") {
		t.Errorf("got %s/%s, go on with %q", r.Status, r.Reason, r.Resume)
	}
	if clicks(b) != 0 || r.Approval == nil || *r.Approval.Action.Point != (env.Point{X: 720, Y: 448}) || !slices.Contains(r.Approval.Classes, "buy") || r.Approval.Code != "approve_risky" || r.Approval.Hit.Name != "Buy" {
		t.Errorf("got %d clicks, waiting with %+v", clicks(b), r.Approval)
	}
}

func TestAutomaticAnswersAreNoApproval(t *testing.T) {
	b := withButton(newBench(t, click(500, 500)), buy())
	b.cfg.AutoReply = "yes, go on, approved"
	if r := b.run(t); r.Status != trajectory.NeedsApproval || clicks(b) != 0 {
		t.Errorf("got %s/%s with %d clicks", r.Status, r.Reason, clicks(b))
	}
}

func TestAPersonDecidesAboutExactlyOneAction(t *testing.T) {
	for _, c := range []struct {
		name    string
		choices []trajectory.Choice
		clicks  int
		status  trajectory.Status
	}{
		{"yes is for one", []trajectory.Choice{trajectory.Yes}, 1, trajectory.NeedsApproval},
		{"yes twice", []trajectory.Choice{trajectory.Yes, trajectory.Yes}, 2, trajectory.Success},
		{"no is told and the run goes on", []trajectory.Choice{trajectory.No, trajectory.No}, 0, trajectory.Success},
		{"for the whole site", []trajectory.Choice{trajectory.AlwaysHere}, 2, trajectory.Success},
	} {
		b := withButton(newBench(t, click(500, 500), click(100, 100), done("x")), buy())
		p := &person{choices: c.choices}
		b.user = p
		r := b.run(t)
		if r.Status != c.status || clicks(b) != c.clicks {
			t.Errorf("%s: got %s/%s with %d clicks, want %s and %d", c.name, r.Status, r.Reason, clicks(b), c.status, c.clicks)
		}
		if c.choices[0] == trajectory.No {
			said := b.model.Requests()[1].Messages
			if text := said[len(said)-1].Text; !strings.Contains(text, "the user does not want this") {
				t.Errorf("%s: the model is told %q", c.name, text)
			}
		}
	}
}

func TestAnApprovedActionIsNotDoneOnAnotherTarget(t *testing.T) {
	for name, change := range map[string]func(*env.Element){
		"another button": func(el *env.Element) { el.Name = "Delete everything" },
		"another form": func(el *env.Element) {
			el.Form = &env.Form{Method: "post", Action: "https://evil.test/", Submits: true}
		},
		"an empty form": func(el *env.Element) { el.Form = buy().Form; el.Form.Fields[0].Filled = false },
		"it moved":      func(el *env.Element) { el.Box.Y += 300 },
		"another page":  func(el *env.Element) { el.Document = "https://evil.test/" },
	} {
		el := buy()
		b := withButton(newBench(t, click(500, 500), done("x")), el)
		b.user = &person{choices: []trajectory.Choice{trajectory.Yes}, during: func() { change(el) }}
		r := b.run(t)
		if clicks(b) != 0 || r.Status != trajectory.Success {
			t.Errorf("%s: got %s/%s with %d clicks", name, r.Status, r.Reason, clicks(b))
		}
		if d := b.last(t, trajectory.KindDecided).Decided; d.Allowed || d.Code != "target_changed" {
			t.Errorf("%s: decided %+v", name, d)
		}
	}
}

func TestApprovalsAndQuestionsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			answer modeltest.Answer
			status trajectory.Status
		}{{click(500, 500), trajectory.NeedsApproval}, {call("ask", question), trajectory.WaitingForUser}} {
			b := withButton(newBench(t, c.answer), buy())
			b.cfg.AnswerLimit = time.Hour
			b.user = userFunc(func(ctx context.Context, _ string) (string, error) { <-ctx.Done(); return "", context.Cause(ctx) })
			began := time.Now()
			r := b.run(t)
			want(t, r, c.status, "expired")
			if took := time.Since(began); took != time.Hour || r.Expires == nil {
				t.Errorf("got %v, expires %v", took, r.Expires)
			}
		}
	})
}

// verdicts is a verifier that gives one verdict after the other, then accepts.
type verdicts struct {
	by     string
	queue  []trajectory.Verdict
	asked  []agent.Candidate
	broken error
}

func (v *verdicts) Verify(_ context.Context, c agent.Candidate) (trajectory.Verdict, error) {
	v.asked = append(v.asked, c)
	if v.broken != nil {
		return trajectory.Verdict{By: v.by}, v.broken
	}
	if len(v.queue) == 0 {
		return trajectory.Verdict{By: v.by, Accepted: true}, nil
	}
	out := v.queue[0]
	v.queue = v.queue[1:]
	out.By = v.by
	return out, nil
}

func TestPauseHoldsStillAndLooksAfresh(t *testing.T) {
	b := newBench(t, click(1, 1), done("x"))
	hold := &agent.Hold{}
	b.cfg.Hold = hold
	// Somebody pauses while the model thinks: the action it then proposes was for a
	// page that may be another by now.
	b.model = modeltest.NewScript(modeltest.Say(reply(t, click(1, 1))), done("x"))
	b.cfg.Progress = func(e trajectory.Event) {
		switch {
		case e.Proposed != nil && e.Step == 1:
			hold.Pause()
		case e.Paused != nil:
			hold.Resume()
		}
	}
	r := b.run(t)
	want(t, r, trajectory.Success, "terminate")
	if clicks(b) != 0 {
		t.Errorf("got %d clicks, want none", clicks(b))
	}
	if e := b.last(t, trajectory.KindResumed).Resumed; !e.Hands || e.Why != "asked" {
		t.Errorf("on record: %+v", e)
	}
	said := b.model.Requests()[1].Messages
	if text := said[len(said)-1].Text; !strings.Contains(text, "A person had the browser") {
		t.Errorf("the model is told %q", text)
	}
}

func TestCancelEndsAPause(t *testing.T) {
	b := newBench(t, click(1, 1))
	b.cfg.Hold = &agent.Hold{}
	b.cfg.Hold.Pause()
	ctx, cancel := context.WithCancelCause(t.Context())
	b.cfg.Progress = func(e trajectory.Event) {
		if e.Paused != nil {
			cancel(errors.New("enough"))
		}
	}
	want(t, b.runIn(t, ctx), trajectory.Cancelled, "interrupted")
}

func TestCaptchasAreForPeople(t *testing.T) {
	box := env.Rect{X: 700, Y: 430, W: 60, H: 60}
	for _, c := range []struct {
		name   string
		widget env.Widget
		user   *person
		status trajectory.Status
		reason string
	}{
		{"nobody, and the model clicks it", env.Widget{Name: "reCAPTCHA", Box: box}, nil, trajectory.Blocked, "captcha"},
		{"nobody, and it fills the page", env.Widget{Name: "hCaptcha", Box: env.Rect{W: 300, H: 80}, Alone: true}, nil, trajectory.Blocked, "captcha"},
		{"a person says no", env.Widget{Name: "reCAPTCHA", Box: box}, &person{choices: []trajectory.Choice{trajectory.No}}, trajectory.Blocked, "captcha"},
		{"a person solves it", env.Widget{Name: "reCAPTCHA", Box: box}, &person{choices: []trajectory.Choice{trajectory.Yes}}, trajectory.Success, "terminate"},
		{"beside what the model needs", env.Widget{Name: "reCAPTCHA", Box: env.Rect{W: 60, H: 60}}, nil, trajectory.Success, "terminate"},
		{"solved already", env.Widget{Name: "reCAPTCHA", Box: box, Solved: true}, nil, trajectory.Success, "terminate"},
	} {
		b := newBench(t, click(500, 500), done("x"))
		b.user = nil
		if c.user != nil {
			b.user = c.user
		}
		b.cfg.AutoReply = "solved"
		r := b.runOn(t, widgets{b.page, c.widget})
		if r.Status != c.status || r.Reason != c.reason {
			t.Errorf("%s: got %s/%s: %s", c.name, r.Status, r.Reason, r.Message)
		}
		if n := clicks(b); strings.Contains(c.name, "person") && n != 0 {
			t.Errorf("%s: the model's click on it was done", c.name)
		}
	}
}

func TestBudgetsOfCallsEndTheRun(t *testing.T) {
	b := newBench(t)
	b.model = modeltest.NewEndlessScript(click(1, 1))
	b.cfg.MaxCalls = 4
	r := b.run(t)
	want(t, r, trajectory.BudgetExhausted, "max_calls")
	if r.Usage.Calls != 4 || !strings.Contains(r.Resume, "--max-calls") {
		t.Errorf("got %d calls, go on with %q", r.Usage.Calls, r.Resume)
	}
}

func TestEndingsNameTheEffects(t *testing.T) {
	b := withButton(newBench(t, click(500, 500), done("x")), buy())
	b.user = &person{choices: []trajectory.Choice{trajectory.Yes}}
	r := b.run(t)
	if len(r.Effects) != 1 || r.Effects[0].Step != 1 || !slices.Contains(r.Effects[0].Classes, "buy") || r.Effects[0].Uncertain {
		t.Errorf("got %s with effects %+v", r.Status, r.Effects)
	}
	if text := fmt.Sprint(r.Effects[0]); strings.Contains(text, "Ada") {
		t.Errorf("an effect repeats what was typed: %s", text)
	}
}
