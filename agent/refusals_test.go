package agent_test

import (
	"context"
	"strings"
	"testing"

	"fara/env"
	"fara/policy"
	"fara/trajectory"
)

func TestRefusalOfTheBrowserIsToldAndRecordedByItsRule(t *testing.T) {
	b := newBench(t, click(1, 1), done("x"))
	refusal := &policy.Refusal{Code: policy.CodeDenied, Text: "evil.example may not be opened"}
	b.page.OnPerform = func(_ context.Context, _ int, a env.Action) (env.Outcome, error) {
		if a.Kind != env.LeftClick {
			b.page.Go(start, "")
			return env.Outcome{}, nil
		}
		return env.Outcome{}, &env.ActionError{Code: env.Refused, Text: refusal.Error() + "; go on", Err: refusal}
	}
	want(t, b.run(t), trajectory.Success, "terminate")
	var reasons []string
	for _, e := range b.events(t) {
		if e.Acted != nil && e.Acted.Error != nil {
			reasons = append(reasons, e.Acted.Error.Reason)
		}
	}
	if len(reasons) != 1 || reasons[0] != policy.CodeDenied {
		t.Errorf("the failed actions' reasons: got %q, want %q", reasons, policy.CodeDenied)
	}
	turn := b.model.Requests()[1].Messages
	if text := turn[len(turn)-1].Text; !strings.Contains(text, "evil.example may not be opened (site_denied)") {
		t.Errorf("the next turn says %q, want the refusal and its code", text)
	}
}

func TestVisitOfASiteThatIsNotAllowedNeverReachesTheBrowser(t *testing.T) {
	only, err := policy.ParseSite("shop.example")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, call("go", `{"action": "visit_url", "url": "https://elsewhere.example/"}`), call("go", `{"action": "visit_url", "url": "https://shop.example/"}`), done("x"))
	b.cfg.Policy.Allow = []policy.Site{only}
	want(t, b.run(t), trajectory.Success, "terminate")
	for _, a := range b.page.Actions() {
		if strings.Contains(a.URL, "elsewhere") {
			t.Errorf("the browser was asked for %s", a.URL)
		}
	}
	turn := b.model.Requests()[1].Messages
	if text := turn[len(turn)-1].Text; !strings.Contains(text, "(site_not_allowed)") || !strings.Contains(text, "shop.example") {
		t.Errorf("the next turn says %q, want the code and what is allowed", text)
	}
}
