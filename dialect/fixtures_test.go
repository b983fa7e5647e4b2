package dialect_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"fara/dialect"
	"fara/env"
	"fara/model"
	"fara/parse"
)

// TestEveryDialectHasItsFixtures holds what a dialect says against the files in
// its folder below testdata. A new one needs its replies.jsonl, written by hand;
// -update writes the others.
func TestEveryDialectHasItsFixtures(t *testing.T) {
	for _, name := range dialect.Names() {
		t.Run(name, func(t *testing.T) {
			d := get(t, name)
			seen := picture(t, d)
			for file, got := range map[string]string{
				"system.txt":       d.System(seen),
				"system.tools.txt": d.SystemForTools(seen),
				"schema.json":      indented(t, d.Schema()),
				"tools.json":       indented(t, d.Tools(seen)),
				"points.json":      pointsOf(t, d),
				"requests.txt":     requestsOf(t, d),
			} {
				golden(t, filepath.Join("testdata", name, file), got)
			}
		})
	}
}

// golden holds a text against a file, which -update writes. Nothing has no file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update && got != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing && got == "":
	case missing:
		t.Errorf("%s is missing; go test ./dialect -update writes it, then read whether it is right", path)
	case err != nil:
		t.Error(err)
	case got == "":
		t.Errorf("%s is there although the dialect has nothing to put in it; remove the file", path)
	case got != string(want):
		t.Errorf("%s changed; look at it and run with -update. got\n%s", path, got)
	}
}

func TestFixturesBelongToADialect(t *testing.T) {
	folders, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if f.IsDir() && !slices.Contains(dialect.Names(), f.Name()) {
			t.Errorf("testdata/%s belongs to no dialect; remove it, or add data/%s.json and .txt", f.Name(), f.Name())
		}
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

func (h heard) reply() model.Reply {
	return model.Reply{Text: h.Text, Thinking: h.Thinking, Calls: h.Calls, Finish: h.Finish}
}

const howToWriteReplies = `write there what models of the family reply, a line each, every action once and five bad replies or more: ` +
	`{"reply": "...", "call": {"action": "wait", "time": 2}} or {"reply": "...", "reason": "no_call"}`

// replies reads a dialect's replies, one a line.
func replies(t *testing.T, name string) []heard {
	t.Helper()
	path := filepath.Join("testdata", name, "replies.jsonl")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s is missing; %s", path, howToWriteReplies)
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []heard
	for line := range bytes.Lines(raw) {
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		var h heard
		if err := dec.Decode(&h); err != nil {
			t.Fatalf("%s:%d: %v; %s", path, len(all)+1, err, howToWriteReplies)
		}
		if (h.Gives == nil) == (h.Refused == "") {
			t.Fatalf("%s:%d: a reply has either a call or a reason; %s", path, len(all)+1, howToWriteReplies)
		}
		all = append(all, h)
	}
	return all
}

func TestRepliesGiveWhatTheirFixturesSay(t *testing.T) {
	for _, name := range dialect.Names() {
		t.Run(name, func(t *testing.T) {
			d := get(t, name)
			allowed := allowedBy(t, d)
			good, bad := map[string]bool{}, 0
			for i, h := range replies(t, name) {
				result, err := d.Parse(h.reply(), allowed)
				if problem := h.differs(result, err); problem != "" {
					t.Errorf("replies.jsonl:%d %s: %s", i+1, h.About, problem)
				}
				if h.Gives == nil {
					bad++
					continue
				}
				good[h.Gives.Action] = true
			}
			for _, kind := range allowed {
				if !good[string(kind)] {
					t.Errorf("replies.jsonl has no reply with the action %s; %s", kind, howToWriteReplies)
				}
			}
			if bad < 5 {
				t.Errorf("replies.jsonl has %d bad replies; %s", bad, howToWriteReplies)
			}
		})
	}
}

// differs says what else was read than is to be; empty when nothing.
func (h heard) differs(got parse.Result, err error) string {
	switch {
	case reasonOf(err) != h.Refused:
		return fmt.Sprintf("got %s, %v, want the reason %q", inJSON(got.Call), err, h.Refused)
	case h.Gives != nil && !reflect.DeepEqual(got.Call, *h.Gives):
		return fmt.Sprintf("got %s, want %s", inJSON(got.Call), inJSON(*h.Gives))
	case h.Thoughts != nil && got.Thoughts != *h.Thoughts:
		return fmt.Sprintf("got the thoughts %q, want %q", got.Thoughts, *h.Thoughts)
	}
	return ""
}

// reasonOf is why a reply was refused; empty when it was not.
func reasonOf(err error) parse.Reason {
	var wrong *parse.Error
	if errors.As(err, &wrong) {
		return wrong.Reason
	}
	return ""
}

func allowedBy(t *testing.T, d dialect.Dialect) []env.Kind {
	t.Helper()
	allowed, err := d.Allowed(d.System(picture(t, d)))
	if err != nil {
		t.Fatal(err)
	}
	return allowed
}

// inJSON shows a value to people.
func inJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
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
