package parse_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"fara/env"
	"fara/model"
	"fara/parse"
)

// FuzzReply holds any text to the contract: no panic, an error of the promised
// kind, and never a call that lacks what its action needs.
func FuzzReply(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.Reply, s.Thinking, string(s.Finish), string(s.Form))
	}
	f.Fuzz(func(t *testing.T, text, thinking, finish, form string) {
		got, err := parse.Parts(text, thinking, parse.Schema{Form: parse.Form(form), Finish: model.Finish(finish)})
		if err != nil {
			if reasonOf(t, err) == "" || strings.ContainsAny(err.Error(), "\r\n") {
				t.Fatalf("%q: got the error %q, want a reason and one line", text, err)
			}
			if got.Call.Action != "" {
				t.Fatalf("%q: got a call beside the error %q", text, err)
			}
			return
		}
		call := got.Call
		if !slices.Contains(env.Kinds(), env.Kind(call.Action)) {
			t.Fatalf("%q: got the action %q, which does not exist", text, call.Action)
		}
		if strings.Contains(call.Action, "click") && call.Coordinate == nil || call.Action == "type" && call.Text == nil {
			t.Fatalf("%q: got %s without what it needs", text, show(call))
		}
		if _, err := json.Marshal(call); err != nil {
			t.Fatalf("%q: the call cannot be written down: %v", text, err)
		}
	})
}

// wrappings put a call, as an object and as its arguments, into a reply.
var wrappings = []func(object, arguments string) string{
	func(o, _ string) string { return "<tool_call>\n" + o + "\n</tool_call>" },
	func(o, _ string) string { return "< TOOL_CALL a=1>" + o + "< /tool_call>" },
	func(o, _ string) string { return "<tool_call>" + o },
	func(o, _ string) string { return o + "\r\n</tool_call>" },
	func(o, _ string) string { return o },
	func(o, _ string) string { return "```json\n" + o + "\n```" },
	func(o, _ string) string { return "<tool_call>```\n" + o + "```</tool_call>" },
	func(o, _ string) string { return "<tool_call>{}" + o + "</tool_call>" },
	func(o, _ string) string { return "<think>so</think><tool_call>" + o + "</tool_call>" },
	func(o, _ string) string { return "<tool_call>" + strings.TrimSuffix(o, "}") + "</tool_call>" },
	func(o, _ string) string { return "<tool_call>" + strings.TrimSuffix(o, "}}") + "</tool_call>" },
	func(_, a string) string { return "<tool_call>" + a + "</tool_call>" },
	func(_, a string) string { return `<tool_call>{"name":"x","parameters":` + a + "}</tool_call>" },
	func(_, a string) string { return `<tool_call>{"arguments":` + encode(a) + "}</tool_call>" },
	func(_, a string) string { return `<tool_call>{"arguments":` + encode(encode(a)) + "}</tool_call>" },
	func(_, a string) string { return "<tool_call>" + strings.TrimSuffix(a, "}") + ",}</tool_call>" },
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// FuzzWrapping puts a call with any text and point into every wrapping, with prose
// around it. By itself every wrapping gives the call; with prose it gives the same
// call or an error.
func FuzzWrapping(f *testing.F) {
	f.Add("I type it.", "</tool_call> it's \"done\" {", 512.0, 300.0, "That is all.")
	f.Add("'\"", "True, None \\d 'a' \u2028", -1e9, 0.5, "}}] \"wait\"")
	f.Add("```", "<think>\n</think>", 1e300, 3.0, "```\n}")
	f.Fuzz(func(t *testing.T, before, typed string, x, y float64, after string) {
		if strings.ContainsAny(before+after, "{<") {
			return // the prose might hold tags and calls of its own
		}
		typed = strings.ToValidUTF8(typed, "")
		want := model.Call{Action: "type", Text: &typed, Coordinate: &model.Point{X: x, Y: y}}
		arguments, err := json.Marshal(want)
		if err != nil {
			return // a point that is not finite
		}
		for i, wrap := range wrappings {
			body := wrap(`{"name": "computer_use", "arguments": `+string(arguments)+"}", string(arguments))
			for _, reply := range []string{body, before + body, body + after, before + "\n" + body + "\n" + after} {
				got, err := parse.Reply(reply, parse.Schema{})
				if err != nil && reply == body {
					t.Fatalf("wrapping %d, %q: %v", i, reply, err)
				}
				if err == nil && !reflect.DeepEqual(got.Call, want) {
					t.Fatalf("wrapping %d, %q: got %s, want %s", i, reply, show(got.Call), show(want))
				}
			}
		}
	})
}

// textWrappings put a call of the Text form into a reply.
var textWrappings = []func(call string) string{
	func(c string) string { return "Action: " + c },
	func(c string) string { return "Thought: So.\nAction: " + c + "\n" },
	func(c string) string { return "Thought: So.\r\nAction: " + c + "\r\n" },
	func(c string) string { return "Thought：好。\nAction：" + c },
	func(c string) string { return "**Action:** `" + c + "`" },
	func(c string) string { return "```\n" + c + "\n```" },
	func(c string) string { return "<think>So.</think>\n<action>" + c + "</action>" },
	func(c string) string { return "◁think▷So.◁/think▷Action: " + c },
	func(c string) string { return "Action: " + c + "\nAction: wait()" },
	func(c string) string { return c + "<|im_end|>" },
}

// FuzzTextFormWrapping is FuzzWrapping for the Text form, in both quotes and with
// the point in each of its notations.
func FuzzTextFormWrapping(f *testing.F) {
	f.Add("I type it.", "it's \"done\" (a), b='c')", 512.0, 300.0, "That is all.")
	f.Add("'\"", "')\nAction: wait()", -1e9, 0.5, "') \"wait\"")
	f.Add("(", "\\\\n\\", 1e300, 3.0, "\n')")
	f.Fuzz(func(t *testing.T, before, typed string, x, y float64, after string) {
		if strings.ContainsAny(before+after, "{<[◁:：(（") || strings.HasSuffix(typed, "\n") {
			return // the prose might hold labels and calls of its own; a last line break is Enter
		}
		typed = strings.ToValidUTF8(typed, "")
		want := model.Call{Action: "type", Text: &typed, Coordinate: &model.Point{X: x, Y: y}}
		point, err := json.Marshal(want.Coordinate)
		if err != nil {
			return // a point that is not finite
		}
		pair := strings.Trim(string(point), "[]")
		double := encode(typed)
		single := "'" + strings.ReplaceAll(strings.ReplaceAll(double[1:len(double)-1], `\"`, `"`), "'", `\'`) + "'"
		for i, wrap := range textWrappings {
			for _, arguments := range []string{
				"content=" + single + ", start_box='(" + pair + ")'", "start_box='<|box_start|>(" + pair + ")<|box_end|>', content=" + single,
				"content=" + double + ", point='<point>" + strings.Replace(pair, ",", " ", 1) + "</point>'", "point=[" + pair + "], content = " + double,
			} {
				body := wrap("type(" + arguments + ")")
				for _, reply := range []string{body, before + "\n" + body, body + "\n" + after} {
					got, err := parse.Parts(reply, "", parse.Schema{Form: parse.Text})
					if err != nil && reply == body {
						t.Fatalf("wrapping %d, %q: %v", i, reply, err)
					}
					if err == nil && !reflect.DeepEqual(got.Call, want) {
						t.Fatalf("wrapping %d, %q: got %s, want %s", i, reply, show(got.Call), show(want))
					}
				}
			}
		}
	})
}

// FuzzDamage makes one edit outside the content of an intact reply: a deletion, or
// an insertion of one character that makes no word.
func FuzzDamage(f *testing.F) {
	for n := range intact {
		f.Add(n, 7*n, "}")
		f.Add(n, 11*n, "")
	}
	f.Fuzz(func(t *testing.T, n, at int, piece string) {
		if n < 0 || n >= len(intact) || utf8.RuneCountInString(piece) > 1 || strings.ContainsFunc(piece, func(c rune) bool {
			return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune(`_.-+\\`, c)
		}) {
			return
		}
		form := intact[n].form
		reply, is := structural(intact[n].reply)
		want, err := parse.Parts(reply, "", parse.Schema{Form: form, Finish: model.FinishStop})
		if err != nil || at < 1 || at >= len(is) || !is[at] || !is[at-1] {
			return
		}
		if strings.ContainsAny(reply[at-1:at+1], "\"'") {
			piece = strings.Trim(piece, " ")
		}
		judge(t, form, reply, reply[:at]+piece+reply[at:], "inserted "+piece, want.Call)
		if piece == "" {
			judge(t, form, reply, reply[:at]+reply[at+1:], "deleted", want.Call)
		}
	})
}

// FuzzComplete cuts any text anywhere: where it is complete, the rest changes
// nothing that counts.
func FuzzComplete(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.Reply, len(s.Reply)/2, string(s.Form))
		f.Add(s.Reply+tagged, len(s.Reply), string(s.Form))
	}
	f.Fuzz(func(t *testing.T, reply string, n int, as string) {
		form := parse.Form(as)
		if n < 0 || n > len(reply) || !parse.CompleteForm(reply[:n], form) || thoughtsEnd(reply) > n {
			return
		}
		got, err := parse.Reply(reply[:n], parse.Schema{Form: form})
		full, fullErr := parse.Reply(reply, parse.Schema{Form: form})
		got.Ignored, full.Ignored = 0, 0
		if !reflect.DeepEqual(got, full) || !reflect.DeepEqual(err, fullErr) {
			t.Fatalf("%q gives %+v (%v), but with %q it is %+v (%v)", reply[:n], got, err, reply[n:], full, fullErr)
		}
	})
}
