package dialect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fara/dialect"
	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

// recorded is a small run in a dialect: four frames, of which a request takes
// two, the last one unchanged, a reply that could not be used, and the user's word.
func recorded(t *testing.T, d dialect.Dialect) []trajectory.Event {
	t.Helper()
	said := replies(t, d.Name)
	events := []trajectory.Event{{Kind: trajectory.KindStarted, Started: &trajectory.Started{
		Task: "Find out what tea costs.", URL: "https://shop.test/", Dialect: d.Name, System: d.System(picture(t, d)),
		MaxSteps: 20, MaxImages: 2, ReplyTokens: 2048,
	}}}
	add := func(e trajectory.Event) { events = append(events, e) }
	see := func(n int, url string, unchanged bool) {
		add(trajectory.Event{Kind: trajectory.KindObserved, Step: n, Observed: &trajectory.Observed{
			Frame: fmt.Sprintf("frames/%d.png", n), MIME: "image/png", URL: url, Unchanged: unchanged, Tokens: d.Grid.Tokens(d.Viewport), Size: picture(t, d),
		}})
	}
	act := func(n int, h heard) {
		add(trajectory.Event{Kind: trajectory.KindProposed, Step: n, Proposed: &trajectory.Proposed{Raw: h.Text, Call: h.Gives}})
		add(trajectory.Event{Kind: trajectory.KindActed, Step: n, Acted: &trajectory.Acted{Text: "done"}})
	}
	see(1, "https://shop.test/", false)
	act(1, said[0])
	see(2, "https://shop.test/tea", false)
	act(2, said[1])
	add(trajectory.Event{Kind: trajectory.KindReplied, Replied: &trajectory.Replied{Text: "The green one, please.", By: trajectory.Person}})
	see(3, "https://shop.test/tea?sort=price", false)
	act(3, said[2])
	see(4, "https://shop.test/tea?sort=price", true)
	add(trajectory.Event{Kind: trajectory.KindProposed, Step: 4, Proposed: &trajectory.Proposed{
		Raw: "I would click.", Problem: &trajectory.Problem{Reason: "no_call", Text: "The reply holds no call; send exactly one call in the format of your instructions."},
	}})
	return events
}

// transcript shows a request: who speaks, the frames, the words.
func transcript(req model.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		fmt.Fprintf(&b, "== %s", m.Role)
		for _, img := range m.Images {
			fmt.Fprintf(&b, " [%s]", img.Data)
		}
		fmt.Fprintf(&b, "\n%s\n", m.Text)
	}
	return b.String()
}

func TestRequestsAreGolden(t *testing.T) {
	for _, name := range dialect.Names() {
		d := get(t, name)
		events := recorded(t, d)
		for file, until := range map[string]int{"request.first.txt": 2, "request.last.txt": len(events)} {
			p, err := prompt.Build(events[:until], d, func(file string) ([]byte, error) { return []byte(file), nil })
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			p.Request.Messages[0].Text = "(system.txt)"
			golden(t, name, file, transcript(p.Request))
		}
		golden(t, name, "system.txt", d.System(picture(t, d)))
		golden(t, name, "system.tools.txt", d.SystemForTools(picture(t, d)))
		golden(t, name, "schema.json", indented(t, d.Schema()))
		golden(t, name, "tools.json", indented(t, d.Tools(picture(t, d))))
	}
}

// indented lays JSON out for people; nothing stays nothing.
func indented(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	if raw == nil {
		return ""
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", " "); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n"
}
