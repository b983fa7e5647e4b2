package dialect_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"fara/dialect"
	"fara/env"
	"fara/model"
	"fara/parse"
)

// fixture reads a file of a dialect's folder. A dialect without its fixtures is
// not finished.
func fixture(t *testing.T, name, file string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name, file))
	if err != nil {
		t.Fatalf("%v; every dialect has its fixtures", err)
	}
	return raw
}

// golden holds a text against a dialect's file, which -update writes.
func golden(t *testing.T, name, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(filepath.Join("testdata", name, file), []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := string(fixture(t, name, file)); got != want {
		t.Errorf("%s: %s changed; look at it and run with -update. got\n%s", name, file, got)
	}
}

// heard is a reply and what it is to be taken for.
type heard struct {
	About    string           `json:"about"` // for people; may be empty
	Text     string           `json:"reply"`
	Thinking string           `json:"thinking"`
	Calls    []model.ToolCall `json:"tool_calls"`
	Finish   model.Finish     `json:"finish"`
	// Thoughts are compared when they are given.
	Thoughts *string `json:"thoughts"`
	// Gives is the call; without one the reply is Refused.
	Gives   *model.Call  `json:"call"`
	Refused parse.Reason `json:"reason"`
}

// replies reads a dialect's replies, one a line. The first three have a call.
func replies(t *testing.T, name string) []heard {
	t.Helper()
	var all []heard
	number := 0
	for line := range bytes.Lines(fixture(t, name, "replies.jsonl")) {
		number++
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		var h heard
		if err := dec.Decode(&h); err != nil {
			t.Fatalf("%s: replies.jsonl:%d: %v", name, number, err)
		}
		all = append(all, h)
	}
	return all
}

func TestRepliesGiveWhatTheirFixturesSay(t *testing.T) {
	for _, name := range dialect.Names() {
		d := get(t, name)
		allowed, err := d.Allowed(d.System(picture(t, d)))
		if err != nil {
			t.Fatal(err)
		}
		good, bad := map[env.Kind]int{}, 0
		for i, h := range replies(t, name) {
			at := fmt.Sprintf("%s: replies.jsonl:%d %s", name, i+1, h.About)
			result, err := d.Parse(model.Reply{Text: h.Text, Thinking: h.Thinking, Calls: h.Calls, Finish: h.Finish}, allowed)
			var wrong *parse.Error
			switch {
			case h.Gives == nil:
				bad++
				if !errors.As(err, &wrong) || wrong.Reason != h.Refused {
					t.Errorf("%s: got %+v, %v, want it refused as %q", at, result.Call, err, h.Refused)
				}
				continue
			case err != nil || !reflect.DeepEqual(result.Call, *h.Gives):
				t.Errorf("%s: got %s, %v, want %s", at, inJSON(result.Call), err, inJSON(*h.Gives))
			case h.Thoughts != nil && result.Thoughts != *h.Thoughts:
				t.Errorf("%s: got the thoughts %q, want %q", at, result.Thoughts, *h.Thoughts)
			}
			good[env.Kind(h.Gives.Action)]++
		}
		for _, kind := range allowed {
			if good[kind] == 0 {
				t.Errorf("%s: no reply has the action %s", name, kind)
			}
		}
		if len(good) < 10 || bad < 5 {
			t.Errorf("%s: %d actions in its replies and %d bad ones, want 10 and 5 or more", name, len(good), bad)
		}
	}
}

// inJSON shows a value to people.
func inJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// landed is a point of the model's and the place in the page that it means.
type landed struct {
	Viewport, Captured, Sent string
	Point                    model.Point
	CSS                      model.Point
}

func size(t *testing.T, text string) (s env.Size) {
	t.Helper()
	if _, err := fmt.Sscanf(text, "%dx%d", &s.W, &s.H); err != nil {
		t.Fatalf("%q is no size: %v", text, err)
	}
	return s
}

func TestPointsLandWhereTheirFixturesSay(t *testing.T) {
	for _, name := range dialect.Names() {
		d := get(t, name)
		var all []landed
		if err := json.Unmarshal(fixture(t, name, "points.json"), &all); err != nil {
			t.Fatalf("%s: points.json: %v", name, err)
		}
		views, scaled := map[string]bool{}, false
		for _, p := range all {
			views[p.Viewport] = true
			viewport, captured := size(t, p.Viewport), size(t, p.Captured)
			scaled = scaled || captured.W == 2*viewport.W
			sent, err := d.Grid.Fit(captured)
			if err != nil || sent.String() != p.Sent {
				t.Errorf("%s: a picture of %s is sent as %v, %v, want %s", name, p.Captured, sent, err, p.Sent)
			}
			act, err := d.Geometry(sent, viewport).ToViewport(model.Call{Action: string(env.LeftClick), Coordinate: &p.Point})
			if err != nil || math.Abs(act.Point.X-p.CSS.X) > 0.01 || math.Abs(act.Point.Y-p.CSS.Y) > 0.01 {
				t.Errorf("%s: %v on a page of %s lands at %+v, %v, want %v", name, p.Point, p.Viewport, act.Point, err, p.CSS)
			}
		}
		if len(views) < 3 || !scaled {
			t.Errorf("%s: points at %d sizes, with a scale of 2: %v; want three and one", name, len(views), scaled)
		}
	}
}
