package prompt_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

func TestCallsThatWereNotFollowedLeaveTheHistory(t *testing.T) {
	first := "I click.\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [1, 2]}}\n</tool_call>"
	second := "\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"type\", \"text\": \"secönd\"}}\n</tool_call>"
	for ignored, want := range map[int]string{1: first, 0: first + second} {
		s := begin(trajectory.Started{URL: "http://a.test/"})
		s.see(trajectory.Observed{URL: "http://a.test/"})
		s.add(trajectory.Event{Kind: trajectory.KindProposed, Step: 1, Proposed: &trajectory.Proposed{Raw: first + second, Ignored: ignored, Call: &model.Call{}}})
		s.see(trajectory.Observed{URL: "http://a.test/"})
		if got := build(t, s).Request.Messages[2]; got.Role != model.Assistant || got.Text != want {
			t.Errorf("%d calls ignored: the history says %q, want %q", ignored, got.Text, want)
		}
	}
}

func TestNativeCallsStandInTheHistoryWithTheirAnswers(t *testing.T) {
	tools := json.RawMessage(`[{"type":"function"}]`)
	s := begin(trajectory.Started{URL: "http://a.test/", Tools: tools})
	for _, calls := range [][]model.ToolCall{
		{{ID: "abc", Name: "computer_use", Arguments: `{"action":"wait"}`}, {ID: "def", Name: "computer_use", Arguments: `{"action":"key"}`}},
		{{Name: "computer_use", Arguments: `{'action': 'wait'}`}},
	} {
		s.see(trajectory.Observed{URL: "http://a.test/"})
		s.add(trajectory.Event{Kind: trajectory.KindProposed, Step: s.frames, Proposed: &trajectory.Proposed{Raw: "I wait.", Calls: calls, Call: &model.Call{Action: "wait"}}})
	}
	s.see(trajectory.Observed{URL: "http://a.test/"})
	req := build(t, s).Request
	var roles []model.Role
	var calls, answers []string
	for _, m := range req.Messages {
		roles = append(roles, m.Role)
		for _, c := range m.Calls {
			calls = append(calls, c.ID+c.Arguments)
		}
		if m.Role == model.Tool {
			answers = append(answers, m.CallID)
		}
	}
	if got, want := fmt.Sprint(roles), "[system user assistant tool user assistant tool user]"; got != want {
		t.Errorf("roles: got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(calls), `[abc{"action":"wait"} call_2{"action":"wait"}]`; got != want || fmt.Sprint(answers) != "[abc call_2]" {
		t.Errorf("calls: got %s with answers to %v, want %s", got, answers, want)
	}
	if string(req.Tools) != string(tools) {
		t.Errorf("tools: got %s, want %s", req.Tools, tools)
	}
	s.add(trajectory.Event{Kind: trajectory.KindAdapted, Adapted: &trajectory.Adapted{NoTools: true, System: "IN WORDS"}})
	req = build(t, s).Request
	if req.Tools != nil || req.Messages[0].Text != "IN WORDS" || len(req.Messages[2].Calls) > 0 || !strings.Contains(req.Messages[2].Text, "<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\":\"wait\"}}\n</tool_call>") {
		t.Errorf("after the tools were given up the prompt is\n%s", transcript(req))
	}
}

func TestUnchangedFramesAreNotSentTwiceWhereThatIsAllowed(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		d := fara15(t)
		d.SkipsUnchanged = allowed
		s := begin(trajectory.Started{URL: "http://a.test/", MaxImages: 2})
		for i, file := range []string{"a", "b", "b", "b"} {
			if i > 0 {
				s.say("click")
				s.acted(trajectory.Acted{Text: "clicked"})
			}
			s.add(trajectory.Event{Kind: trajectory.KindObserved, Step: i + 1, Observed: &trajectory.Observed{Frame: file, MIME: "image/png", URL: "http://a.test/", Tokens: 1260, Unchanged: i > 1}})
		}
		p, err := prompt.Build(s.events, d, load)
		if err != nil {
			t.Fatal(err)
		}
		want := "[b b]"
		if allowed {
			want = "[a b]"
		}
		said := transcript(p.Request)
		if got := fmt.Sprint(images(p.Request)); got != want {
			t.Errorf("allowed %v: got frames %s, want %s:\n%s", allowed, got, want, said)
		}
		if n := strings.Count(said, d.Turns.Unchanged); n != 2 {
			t.Errorf("allowed %v: it is told %d times that nothing changed, want 2:\n%s", allowed, n, said)
		}
	}
}
