package agent_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"fara/agent"
	"fara/model/modeltest"
	"fara/trajectory"
)

func TestARejectedAnswerGoesBackAndTheNextIsChecked(t *testing.T) {
	b := newBench(t, done("blue"), click(1, 1), done("green"))
	first := &verdicts{by: "assertions", queue: []trajectory.Verdict{{Class: "wrong", Reason: "the page says green"}}}
	second := &verdicts{by: "judge"}
	b.cfg.Verifiers = []agent.Verifier{first, second}
	r := b.run(t)
	want(t, r, trajectory.Success, "terminate")
	if r.Answer != "green" || r.Claim != "success" || !slices.Equal(r.Verified, []string{"assertions", "judge"}) || r.Rejections != 1 || len(r.Verdicts) != 2 {
		t.Errorf("got %+v", r)
	}
	if len(second.asked) != 1 {
		t.Errorf("the second verifier was asked %d times, want once: the first had rejected", len(second.asked))
	}
	said := b.model.Requests()[1].Messages
	if text := said[len(said)-1].Text; !strings.Contains(text, "the page says green") {
		t.Errorf("the model is told %q", text)
	}
}

func TestRejectionsAreBounded(t *testing.T) {
	no := trajectory.Verdict{Class: "wrong", Reason: "no"}
	for _, c := range []struct {
		name    string
		answers []string
		most    int
		status  trajectory.Status
		reason  string
	}{
		{"different answers", []string{"a", "b", "c", "d"}, 3, trajectory.Failure, "rejected"},
		{"the same answer", []string{"a", " A", "a", "a"}, 10, trajectory.Stuck, "same_answer"},
	} {
		b := newBench(t)
		var answers []modeltest.Answer
		for _, a := range c.answers {
			answers = append(answers, done(a))
		}
		b.model = modeltest.NewScript(answers...)
		b.cfg.MaxRejections = c.most
		b.cfg.Verifiers = []agent.Verifier{&verdicts{by: "judge", queue: []trajectory.Verdict{no, no, no, no}}}
		r := b.run(t)
		if r.Status != c.status || r.Reason != c.reason || len(r.Verified) != 0 || r.Rejections != 3 {
			t.Errorf("%s: got %s/%s, verified %v, %d rejections", c.name, r.Status, r.Reason, r.Verified, r.Rejections)
		}
	}
}

func TestAVerifierThatCannotLookAgreesToNothing(t *testing.T) {
	for name, v := range map[string]*verdicts{
		"unsure": {by: "judge", queue: []trajectory.Verdict{{Unsure: true, Class: "unproven", Reason: "it is not on record"}}},
		"broken": {by: "judge", broken: errors.New("the judge is down")},
	} {
		b := newBench(t, done("x"))
		b.cfg.Verifiers = []agent.Verifier{v}
		r := b.run(t)
		if r.Status != trajectory.Success || len(r.Verified) != 0 || len(r.Verdicts) != 1 || !strings.Contains(r.Message, "could not tell") {
			t.Errorf("%s: got %s, verified %v: %s", name, r.Status, r.Verified, r.Message)
		}
	}
}
