package telemetry_test

import (
	"time"

	"fara/env"
	"fara/model"
	"fara/trajectory"
)

// canary stands wherever a run's events have words of people, pages or models.
const canary = "canary-4711"

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// story numbers payloads as a run's log would, one second apart.
type story struct {
	events []trajectory.Event
}

func (s *story) add(step int, e trajectory.Event) {
	n := len(s.events)
	e.V, e.Seq, e.Step, e.At = trajectory.Version, n, step, began.Add(time.Duration(n)*time.Second)
	s.events = append(s.events, e)
}

func (s *story) observed(step int) {
	s.add(step, trajectory.Event{Kind: trajectory.KindObserved, Observed: &trajectory.Observed{
		Frame: "frames/1.png", SHA256: "abc", URL: "https://shop.example:8443/" + canary + "?q=" + canary + "#" + canary, Title: canary,
		Tabs:  []env.Tab{{URL: "https://" + canary + ".example/", Title: canary}},
		Notes: []env.Note{{Kind: env.NoteDialog, Text: canary, Quote: canary}},
	}})
}

func (s *story) proposed(step int, call *model.Call, problem *trajectory.Problem) {
	s.add(step, trajectory.Event{Kind: trajectory.KindProposed, Proposed: &trajectory.Proposed{
		Raw: canary, Thinking: canary, Thoughts: canary, Calls: []model.ToolCall{{Name: canary, Arguments: canary}},
		Call: call, Problem: problem, Finish: model.FinishStop, Model: "fara1.5:9b-q4", Latency: 500 * time.Millisecond,
		Usage: model.Usage{PromptTokens: 1000, CompletionTokens: 20, Retries: 1}, Request: "r1", Frames: []string{"frames/1.png"},
	}})
}

func (s *story) decided(step int, d trajectory.Decided) {
	d.Text, d.Hit = canary, &env.Element{Tag: "button", Name: canary, Text: canary, Link: "https://x.example/" + canary}
	s.add(step, trajectory.Event{Kind: trajectory.KindDecided, Decided: &d})
}

func (s *story) acted(step int, kind env.Kind, problem *trajectory.Problem) {
	s.add(step, trajectory.Event{Kind: trajectory.KindActing, Acting: &trajectory.Acting{Action: env.Action{
		Kind: kind, Text: canary, URL: "https://x.example/" + canary, Keys: []string{canary}, Document: canary,
	}}})
	s.add(step, trajectory.Event{Kind: trajectory.KindActed, Acted: &trajectory.Acted{
		Text: canary, Hit: &env.Element{Tag: "input", Name: canary}, Error: problem, Took: time.Second,
	}})
}

func (s *story) asked(step int, a trajectory.Asked) {
	a.Question = canary
	s.add(step, trajectory.Event{Kind: trajectory.KindAsked, Asked: &a})
}

func (s *story) ended(step int, status trajectory.Status, reason string) {
	s.add(step, trajectory.Event{Kind: trajectory.KindEnded, Ended: &trajectory.Result{
		Run: "r1", Dir: "/" + canary, Status: status, Reason: reason, Message: canary, Answer: canary, Question: canary,
		Verified: []string{"assertions"}, Steps: 4, Usage: trajectory.Usage{Usage: model.Usage{PromptTokens: 5000, CompletionTokens: 100}, Calls: 5, BadReplies: 1},
		Verdicts: []trajectory.Verdict{{Reason: canary}}, Effects: []trajectory.Effect{{Text: canary, URL: canary}},
	}})
}

func words(s string) *string { return &s }

// whole is a run in which everything happens once.
func whole() []trajectory.Event {
	var s story
	s.add(0, trajectory.Event{Kind: trajectory.KindStarted, Started: &trajectory.Started{Task: canary, URL: canary, System: canary}})
	s.decided(0, trajectory.Decided{Allowed: true, Code: "default"})
	s.acted(0, env.VisitURL, nil)

	s.observed(1) // a bad reply, then a click
	s.proposed(1, nil, &trajectory.Problem{Reason: "no_call", Text: canary})
	s.proposed(1, &model.Call{Action: "left_click", Coordinate: &model.Point{X: 1, Y: 2}}, nil)
	s.decided(1, trajectory.Decided{Allowed: true, Code: "default"})
	s.acted(1, env.LeftClick, nil)

	s.observed(2) // typing, which the page does not take
	s.proposed(2, &model.Call{Action: "type", Text: words(canary)}, nil)
	s.decided(2, trajectory.Decided{Allowed: true, Code: "approved", Classes: []string{"credentials"}, By: trajectory.Person})
	s.acted(2, env.Type, &trajectory.Problem{Reason: "page", Text: canary})

	s.observed(3) // a purchase that is declined
	s.add(3, trajectory.Event{Kind: trajectory.KindWarned, Warned: &trajectory.Warned{Code: "cycle", Text: canary}})
	s.proposed(3, &model.Call{Action: "left_click", Coordinate: &model.Point{X: 3, Y: 4}}, nil)
	s.asked(3, trajectory.Asked{Approval: &trajectory.Approval{Classes: []string{"buy"}, URL: canary, Hit: &env.Element{Name: canary}, Action: env.Action{Text: canary}}})
	s.add(3, trajectory.Event{Kind: trajectory.KindReplied, Replied: &trajectory.Replied{Text: canary, By: trajectory.Person, Choice: trajectory.No}})
	s.decided(3, trajectory.Decided{Code: "approval_declined", Classes: []string{"buy"}, By: trajectory.Person})

	s.observed(4) // a page is read
	s.add(4, trajectory.Event{Kind: trajectory.KindPaused, Paused: &trajectory.Paused{Why: "asked", By: trajectory.Person}})
	s.add(4, trajectory.Event{Kind: trajectory.KindResumed, Resumed: &trajectory.Resumed{Why: "asked", Hands: true, Text: canary, Uncertain: &env.Action{Text: canary}}})
	s.proposed(4, &model.Call{Action: "read_page_answer_question", Question: words(canary)}, nil)
	s.add(4, trajectory.Event{Kind: trajectory.KindActed, Acted: &trajectory.Acted{Text: canary, Read: &trajectory.PageRead{
		Question: canary, Answer: canary, Request: "r2", Usage: model.Usage{PromptTokens: 300, CompletionTokens: 30}, Latency: 200 * time.Millisecond,
	}}})

	s.observed(5)
	s.proposed(5, &model.Call{Action: "terminate", Answer: words(canary), Status: words("success")}, nil)
	s.add(5, trajectory.Event{Kind: trajectory.KindVerdict, Verdict: &trajectory.Verdict{
		By: "assertions", Accepted: true, Reason: canary, Answer: canary, Raw: canary, Checks: []trajectory.Check{{Text: canary, Holds: true, Found: canary}},
	}})
	s.add(5, trajectory.Event{Kind: trajectory.KindFact, Fact: &trajectory.Fact{Text: canary}})
	s.add(5, trajectory.Event{Kind: trajectory.KindRecovered, Recovered: &trajectory.Recovered{Text: canary}})
	s.add(5, trajectory.Event{Kind: trajectory.KindAdapted, Adapted: &trajectory.Adapted{MaxImages: 2, Why: canary}})
	s.ended(5, trajectory.Success, "terminate")
	return s.events
}

var task = trajectory.Task{
	Run: "20260102-030405-deadbeef", Task: canary, URL: canary, Fara: "1.2.3", Dialect: "fara-1.5", Model: "fara1.5:9b", API: "ollama",
	Endpoint: "http://user:" + canary + "@gpu-box:11434/v1", AutoReply: canary, Flags: map[string][]string{"task": {canary}},
}
