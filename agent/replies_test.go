package agent_test

import (
	"strings"
	"testing"

	"fara/dialect"
	"fara/model/modeltest"
	"fara/trajectory"
)

func TestBadRepliesAreAnsweredWithTheReason(t *testing.T) {
	b := newBench(t, modeltest.Text("I would click the button."), click(5, 5), done("x"))
	r := b.run(t)
	want(t, r, trajectory.Success, "terminate")
	if r.Steps != 2 || r.Usage.BadReplies != 1 {
		t.Errorf("got %d steps, %d bad replies, want 2 and 1", r.Steps, r.Usage.BadReplies)
	}
	reqs := b.model.Requests()
	retry := reqs[1].Messages
	if n := len(retry); retry[n-2].Text != "I would click the button." || !strings.Contains(retry[n-1].Text, "could not be used") || len(reqs[1].Messages) != len(reqs[0].Messages)+2 {
		t.Errorf("asked again with %+v", retry[len(retry)-2:])
	}
	for _, m := range reqs[2].Messages {
		if strings.Contains(m.Text, "I would click") || strings.Contains(m.Text, "could not be used") {
			t.Errorf("a later prompt still has %q", m.Text)
		}
	}
}

func TestRepeatedBadRepliesEndTheRun(t *testing.T) {
	for name, reply := range map[string]string{
		"prose":          "Let me think.",
		"nothing":        "",
		"unknown action": "x\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"teleport\"}}\n</tool_call>",
	} {
		b := newBench(t)
		b.model = modeltest.NewEndlessScript(modeltest.Text(reply))
		r := b.run(t)
		if r.Status != trajectory.BadReplies || r.Reason == "" || r.Answer != "" {
			t.Errorf("%s: got %s/%s with answer %q", name, r.Status, r.Reason, r.Answer)
		}
		if n := len(b.model.Requests()); n != 3 || r.Usage.BadReplies != 3 || r.Steps != 0 {
			t.Errorf("%s: got %d requests, %d bad replies, %d steps, want 3, 3, 0", name, n, r.Usage.BadReplies, r.Steps)
		}
		if p := b.last(t, trajectory.KindProposed).Proposed; p.Raw != reply || p.Problem == nil || p.Call != nil {
			t.Errorf("%s: on record is %+v", name, p)
		}
	}
}

func TestUnknownActionIsToldTheAllowedOnes(t *testing.T) {
	b := newBench(t, call("x", `{"action": "teleport"}`), done("x"))
	want(t, b.run(t), trajectory.Success, "terminate")
	retry := b.model.Requests()[1].Messages
	if text := retry[len(retry)-1].Text; !strings.Contains(text, "teleport") || !strings.Contains(text, "left_click") {
		t.Errorf("the correction says %q", text)
	}
	if n := len(b.page.Actions()); n != 1 {
		t.Errorf("got %d actions, want only the first visit", n)
	}
}

func TestActionsOutsideTheDialectAreNotDone(t *testing.T) {
	b := newBench(t, call("x", `{"action": "right_click", "coordinate": [5, 5]}`), call("Found it.", `{"action": "terminate", "status": "success"}`))
	var err error
	if b.cfg.Dialect, err = dialect.Get("fara-7b"); err != nil {
		t.Fatal(err)
	}
	r := b.run(t)
	want(t, r, trajectory.Success, "terminate")
	if r.Answer != "Found it." || len(b.page.Actions()) != 1 {
		t.Errorf("got answer %q and %d actions", r.Answer, len(b.page.Actions()))
	}
}

func TestGivingUpIsAFailure(t *testing.T) {
	b := newBench(t, call("I cannot find it.", `{"action": "terminate", "status": "failure"}`))
	var err error
	if b.cfg.Dialect, err = dialect.Get("fara-7b"); err != nil {
		t.Fatal(err)
	}
	r := b.run(t)
	want(t, r, trajectory.Failure, "gave_up")
	if r.Answer != "I cannot find it." || r.Claim != "failure" {
		t.Errorf("got %+v", r)
	}
}

func TestSevenBTypesWhereItPoints(t *testing.T) {
	b := newBench(t, call("type", `{"action": "type", "text": "tea", "coordinate": [714, 448], "delete_existing_text": true}`), call("ok", `{"action": "scroll", "pixels": -3}`), call("Done.", `{"action": "terminate", "status": "success"}`))
	var err error
	if b.cfg.Dialect, err = dialect.Get("fara-7b"); err != nil {
		t.Fatal(err)
	}
	b.run(t)
	acts := b.page.Actions()
	if len(acts) != 3 || acts[1].Point == nil || !acts[1].Enter || !acts[1].Clear || acts[1].Text != "tea" || acts[2].DY != 400 {
		t.Fatalf("got %+v", acts)
	}
	// The page of 1440x896 is sent as 1428x896: the two differ in width.
	if p := *acts[1].Point; p.X != 720 || p.Y != 448 {
		t.Errorf("typed at %v, want (720, 448)", p)
	}
}
