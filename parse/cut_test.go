package parse_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"fara/model"
	"fara/parse"
)

// TestCutCallIsTheSameOrRefused cuts every reply after every byte. Whatever is left is the whole call or an error, never another call.
func TestCutCallIsTheSameOrRefused(t *testing.T) {
	kept := 0
	for _, s := range samples(t) {
		if s.Call == nil || s.Thinking != "" || thoughtsEnd(s.Reply) > 0 || len(s.Calls) > 0 {
			continue
		}
		for _, finish := range []model.Finish{"", model.FinishLength, model.FinishUntil} {
			schema := parse.Schema{Form: s.Form, Actions: s.Actions, Finish: finish}
			for n := range s.Reply {
				got, err := parse.Reply(s.Reply[:n], schema)
				if err != nil {
					reasonOf(t, err)
					continue
				}
				if finish != model.FinishLength && quoted(got, s) {
					continue
				}
				kept++
				if !reflect.DeepEqual(got.Call, *s.Call) {
					t.Fatalf("%q cut to %q: got %s, want %s or an error", s.Reply, s.Reply[:n], show(got.Call), show(*s.Call))
				}
			}
		}
	}
	if kept == 0 {
		t.Error("no cut reply was accepted, so nothing was compared")
	}
}

// quoted reports whether the cut took away the tagged call and left one that the
// prose before it quotes. Only the end of the reply tells that it was cut.
func quoted(got parse.Result, s sample) bool {
	for _, uncertain := range []parse.Repair{parse.NoTags, parse.MissingLabel, parse.OtherForm} {
		if slices.Contains(got.Repairs, uncertain) && !slices.Contains(s.Repairs, uncertain) {
			return true
		}
	}
	return false
}

func TestCutClickKeepsItsPoint(t *testing.T) {
	whole := `{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [100, 200]}}`
	want := strings.Index(whole, "]") + 1
	for n := range whole {
		_, err := parse.Reply(whole[:n], parse.Schema{Finish: model.FinishLength})
		if accepted := err == nil; accepted != (n >= want) {
			t.Errorf("%q: got accepted %v, want %v", whole[:n], accepted, n >= want)
		}
	}
}

// TestFinishedReplyMayLackBrackets shows what the end of a reply decides: more
// arguments could have followed a cut one, none a finished one.
func TestFinishedReplyMayLackBrackets(t *testing.T) {
	reply := `<tool_call>{"name": "computer_use", "arguments": {"action": "type", "text": "hello"`
	for finish, want := range map[model.Finish]parse.Reason{
		"": parse.Truncated, model.FinishLength: parse.Truncated, model.FinishUntil: parse.Truncated, model.FinishStop: "",
	} {
		_, err := parse.Reply(reply, parse.Schema{Finish: finish})
		if got := reasonOf(t, err); got != want {
			t.Errorf("finish %q: got reason %q, want %q", finish, got, want)
		}
	}
}
