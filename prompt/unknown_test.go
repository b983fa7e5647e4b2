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
