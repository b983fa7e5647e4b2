package prompt_test

import (
	"testing"

	"fara/dialect"
	"fara/env"
	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

// TestWhatIsNotKnownIsNotSaid: runs of other programs come without a system prompt and
// without a number of steps.
func TestWhatIsNotKnownIsNotSaid(t *testing.T) {
	d, err := dialect.Get("fara-1.5")
	if err != nil {
		t.Fatal(err)
	}
	events := []trajectory.Event{
		{Kind: trajectory.KindStarted, Started: &trajectory.Started{Task: "Buy tea.", URL: "https://shop.test/", Dialect: d.Name}},
		{Kind: trajectory.KindObserved, Step: 1, Observed: &trajectory.Observed{Frame: "frames/1.png", MIME: "image/png", Size: env.Size{W: 1440, H: 896}}},
	}
	built, err := prompt.Build(events, d, func(string) ([]byte, error) { return []byte("png"), nil })
	if err != nil {
		t.Fatal(err)
	}
	got := built.Request.Messages
	if len(got) != 1 || got[0].Role != model.User || got[0].Text != "Buy tea." {
		t.Errorf("messages: got %+v, want the task alone", got)
	}
}

// TestReplyWhoseWordsNobodyKeptIsWrittenAnew: as the model's family writes it, so that
// it reads back as the same call.
func TestReplyWhoseWordsNobodyKeptIsWrittenAnew(t *testing.T) {
	d, err := dialect.Get("fara-7b")
	if err != nil {
		t.Fatal(err)
	}
	text := `so, "that": yes`
	call := model.Call{Action: "type", Text: &text, Coordinate: &model.Point{X: 3, Y: 4.5}}
	unkept := &trajectory.Proposed{Thoughts: "I type.", Call: &call}
	got := prompt.Words(unkept, d)
	want := "I type.\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"type\", \"coordinate\": [3, 4.5], \"text\": \"so, \\\"that\\\": yes\"}}\n</tool_call>"
	if got != want || !prompt.Unkept(unkept) {
		t.Errorf("got %q, want %q", got, want)
	}
	read, err := d.Parse(model.Reply{Text: got}, nil)
	if err != nil || len(read.Repairs) != 0 || read.Thoughts != "I type." || *read.Call.Text != text || *read.Call.Coordinate != *call.Coordinate {
		t.Errorf("it reads back as %+v, %v", read, err)
	}
	for _, kept := range []trajectory.Proposed{{Raw: "x", Call: &call}, {Thinking: "x", Call: &call}, {Calls: []model.ToolCall{{Name: "f"}}, Call: &call}, {}} {
		if got := prompt.Words(&kept, d); prompt.Unkept(&kept) || got != kept.Raw {
			t.Errorf("words of %+v: got %q", kept, got)
		}
	}
}
