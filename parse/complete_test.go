package parse_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"fara/parse"
)

const (
	click  = `{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [100, 200]}}`
	tagged = "<tool_call>\n" + click + "\n</tool_call>"
)

// TestCompleteIsFinal asks after every byte of many replies: once the answer is
// yes, the rest of the reply changes nothing but the count of ignored calls.
func TestCompleteIsFinal(t *testing.T) {
	stopped := 0
	for _, s := range samples(t) {
		for _, tail := range []string{"", " That should do it.", tagged, "\n" + click, "}\n```\n</tool_call>", "<think>Next, I"} {
			stopped += completeIsFinal(t, s.Form, s.Reply+tail)
		}
	}
	if stopped == 0 {
		t.Error("no reply was ever complete, so nothing was compared")
	}
}

// completeIsFinal checks one reply and gives the number of its prefixes that
// were complete.
func completeIsFinal(t *testing.T, form parse.Form, reply string) int {
	t.Helper()
	full, fullErr := parse.Reply(reply, parse.Schema{Form: form})
	thoughtsEnd := thoughtsEnd(reply)
	stopped := 0
	for n := 0; n <= len(reply); n++ {
		prefix := reply[:n]
		is, after := parse.CompleteForm(prefix, form), parse.CompleteAfterThinking(prefix)
		if form == "" && after && !is {
			t.Fatalf("%q: complete after thinking, but not complete", prefix)
		}
		if !is || n < thoughtsEnd {
			continue // thoughts that the prompt opened: see CompleteAfterThinking
		}
		stopped++
		got, err := parse.Reply(prefix, parse.Schema{Form: form})
		got.Ignored, full.Ignored = 0, 0
		if !reflect.DeepEqual(got, full) || !reflect.DeepEqual(err, fullErr) {
			t.Fatalf("%q is complete and gives %+v (%v), but with %q it is %+v (%v)", prefix, got, err, reply[n:], full, fullErr)
		}
	}
	return stopped
}

// closers end thoughts.
var closers = regexp.MustCompile(`(?i)<\s*/\s*(think|thought|reason|seed)[^>]*>|\[/THINK\]|◁/think▷|<\|end\|>|<\|channel\|>final<\|message\|>|<channel\|>|<\|(end_of_thought|END_THINKING)\|>`)

// thoughtsEnd gives the position behind the last tag that closes thoughts.
func thoughtsEnd(reply string) int {
	end := 0
	for _, at := range closers.FindAllStringIndex(reply, -1) {
		end = at[1]
	}
	return end
}

func TestCompleteStopsWhereTheCallEnds(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"closing tag":            {"I click.\n<tool_call>\n" + click + "\n</tool_call", ">"},
		"other text behind":      {"<tool_call>" + click + strings.Repeat(" That is all.", 9), " And all that is."},
		"second call behind":     {"<tool_call>" + click + "\n<tool_call", ">"},
		"second object":          {"<tool_call>" + click + "\n", "{"},
		"no opening tag":         {click + "\n</tool_call", ">"},
		"after closed thoughts":  {"<think>a " + tagged + "</think>" + tagged[:len(tagged)-1], ">"},
		"brackets cut by tag":    {`<tool_call>{"action": "left_click", "coordinate": [1, 2]</tool_call>`, "N"},
		"closing tag in a text":  {`<tool_call>{"action": "type", "text": "</tool_call>"}</tool_call`, ">"},
		"empty object before it": {"<tool_call>{}" + click + "</tool_call", ">"},
		"in a fence":             {"<tool_call>\n```json\n" + click + "\n```\n</tool_call", ">"},
	} {
		if parse.Complete(c.before) {
			t.Errorf("%s: %q is complete, want it to go on", name, c.before)
		}
		if whole := c.before + c.after; !parse.Complete(whole) {
			t.Errorf("%s: %q is not complete", name, whole)
		}
	}
}

func TestCompleteWaits(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":              "",
		"prose":                "I will click the button now.",
		"no tags":              click + "\nand more",
		"open thoughts":        "<think>perhaps " + tagged + " or",
		"thoughts only":        "<think>perhaps " + tagged + "</think>",
		"empty object":         "<tool_call>{}</tool_call>",
		"broken object":        "<tool_call>{\"action\": }</tool_call>",
		"closing tag in quote": `<tool_call>{"action": "type", "text": "a}}</tool_call> b`,
		"fence may end":        "<tool_call>" + click + "\n```\n",
		"closing tag may come": "<tool_call>" + click + "\n</tool",
	} {
		if parse.Complete(text) {
			t.Errorf("%s: %q is complete, want it to go on", name, text)
		}
	}
}

// TestPromptOpensThoughts is the case that only the caller can know: the opening
// tag is in the prompt, so a call may turn out to be a thought.
func TestPromptOpensThoughts(t *testing.T) {
	thought := "Perhaps " + tagged + " no. "
	if parse.CompleteAfterThinking(thought) {
		t.Errorf("%q is complete, want it to wait for the end of the thoughts", thought)
	}
	whole := thought + "</think>\n" + strings.Replace(tagged, "100", "7", 1)
	if !parse.CompleteAfterThinking(whole) {
		t.Errorf("%q is not complete", whole)
	}
	got, err := parse.Reply(whole, parse.Schema{})
	if err != nil || got.Call.Coordinate.X != 7 {
		t.Errorf("%q: got %s (%v), want the call behind the thoughts", whole, show(got.Call), err)
	}
}
