package parse_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"fara/env"
	"fara/model"
	"fara/parse"
)

// sample is one line of testdata/replies.jsonl: a reply and what it must give.
type sample struct {
	Kind  string     `json:"kind"`
	Form  parse.Form `json:"form"`
	Reply string     `json:"reply"`
	// Calls are native ones; Reply is then the text beside them.
	Calls    []model.ToolCall `json:"calls"`
	Thinking string           `json:"thinking"`
	Finish   model.Finish     `json:"finish"`
	Actions  []env.Kind       `json:"actions"`
	Thoughts *string          `json:"thoughts"`
	Call     *model.Call      `json:"call"`
	Reason   parse.Reason     `json:"reason"`
	Repairs  []parse.Repair   `json:"repairs"`
	Ignored  int              `json:"ignored"`
}

func (s sample) schema() parse.Schema {
	return parse.Schema{Form: s.Form, Actions: s.Actions, Finish: s.Finish}
}

// read reads a sample as its form says.
func (s sample) read() (parse.Result, error) {
	return parse.Native(s.Calls, s.Reply, s.Thinking, s.schema())
}

func samples(t testing.TB) []sample {
	t.Helper()
	file, err := os.Open("testdata/replies.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []sample
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var s sample
		decoder := json.NewDecoder(strings.NewReader(lines.Text()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&s); err != nil {
			t.Fatalf("line %d: %v", len(all)+1, err)
		}
		if (s.Call == nil) == (s.Reason == "") {
			t.Fatalf("line %d: a sample has either a call or a reason", len(all)+1)
		}
		all = append(all, s)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(all) < 600 {
		t.Fatalf("got %d samples, want at least 600", len(all))
	}
	return all
}

func TestRepliesGiveTheirCallOrTheirReason(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.Kind, func(t *testing.T) {
			got, err := s.read()
			if reason := reasonOf(t, err); reason != s.Reason {
				t.Fatalf("%q: got reason %q (%v), call %s, want reason %q", s.Reply, reason, err, show(got.Call), s.Reason)
			}
			if s.Thoughts != nil && got.Thoughts != *s.Thoughts {
				t.Errorf("%q: got thoughts %q, want %q", s.Reply, got.Thoughts, *s.Thoughts)
			}
			if s.Call == nil {
				return
			}
			if !reflect.DeepEqual(got.Call, *s.Call) {
				t.Errorf("%q: got %s, want %s", s.Reply, show(got.Call), show(*s.Call))
			}
			if len(got.Repairs)+len(s.Repairs) > 0 && !reflect.DeepEqual(got.Repairs, s.Repairs) {
				t.Errorf("%q: got repairs %q, want %q", s.Reply, got.Repairs, s.Repairs)
			}
			if got.Ignored != s.Ignored {
				t.Errorf("%q: got %d ignored, want %d", s.Reply, got.Ignored, s.Ignored)
			}
		})
	}
}

func TestErrorsAreOneLineForTheModel(t *testing.T) {
	for _, s := range samples(t) {
		_, err := s.read()
		if err == nil {
			continue
		}
		text := err.Error()
		if text == "" || strings.ContainsAny(text, "\n\r\x00") || len(text) > 600 {
			t.Errorf("%q: got the text %q, want one short line", s.Reply, text)
		}
	}
}

func TestUnknownActionListsTheAllowedOnes(t *testing.T) {
	schema := parse.Schema{Actions: []env.Kind{env.LeftClick, env.Terminate}}
	_, err := parse.Reply(`{"action":"teleport"}`, schema)
	for _, want := range []string{"teleport", "left_click", "terminate"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want it to name %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "hscroll") {
		t.Errorf("got %q, want no action outside the schema", err)
	}
}

func TestEveryActionCanBeCalled(t *testing.T) {
	called := map[string]bool{}
	for _, s := range samples(t) {
		if s.Kind == "plain" {
			called[s.Call.Action] = true
		}
	}
	for _, kind := range env.Kinds() {
		if !called[string(kind)] {
			t.Errorf("no plain sample calls %s", kind)
		}
	}
}

func reasonOf(t testing.TB, err error) parse.Reason {
	t.Helper()
	if err == nil {
		return ""
	}
	var wrong *parse.Error
	if !errors.As(err, &wrong) {
		t.Fatalf("got %T, want *parse.Error", err)
	}
	return wrong.Reason
}

func show(call model.Call) string {
	data, err := json.Marshal(call)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
