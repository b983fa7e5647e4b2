package parse_test

import (
	"strings"
	"testing"
	"time"

	"fara/parse"
)

// hard are texts that a careless reader would take quadratic time or a deep stack
// for, by what is repeated.
var hard = map[string]string{
	"braces":           "{",
	"quoted braces":    `{"a`,
	"keys":             `{"name":`,
	"lists":            "[",
	"tags":             "<tool_call>",
	"opened objects":   `<tool_call>{"`,
	"tags in texts":    `{"action":"<tool_call>{'",`,
	"thoughts":         "<think></think>",
	"empty objects":    "{} ",
	"calls":            tagged,
	"broken tags":      "< tool_call ",
	"fences":           "```",
	"backslashes":      `{"action":"\\`,
	"python":           `{'action':(`,
	"closers":          "{}}]) ",
	"spaced brackets":  "<   ",
	"calls in thought": "<think>" + tagged,
	"actions":          "Action: wait()\n",
	"one line":         "Action: click(start_box='(1,2)') ",
	"labels":           "Action: ",
	"open actions":     "\nAction: type(content='",
	"inner quotes":     "\nAction: type(content='it's ",
	"quoted brackets":  "Action: type(content='a') b",
	"open points":      "\nclick(start_box=((((",
	"functions":        "<function=a><parameter=text>",
	"broken functions": "<function=a>x",
	"channels":         "<|channel|>analysis<|message|><|end|>",
	"diamonds":         "◁think▷",
	"bad bytes":        "\xff\xfe{\"\x00",
}

// TestHardTextsTakeLinearTime reads a long run of each. The limit is far above
// what linear work takes and far below what quadratic work would.
func TestHardTextsTakeLinearTime(t *testing.T) {
	const size, limit = 1 << 17, 2 * time.Second
	for name, unit := range hard {
		for _, frame := range []string{"", "<tool_call>", `<tool_call>{"name":"x","arguments":{"action":"type","text":"`, `<tool_call>{"arguments":"`} {
			text := frame + strings.Repeat(unit, size/len(unit))
			for _, form := range parse.Forms() {
				start := time.Now()
				_, err := parse.Parts(text, text, parse.Schema{Form: form})
				parse.CompleteForm(text, form)
				if took := time.Since(start); took > limit {
					t.Errorf("%s in %q as %s: took %v (%v), want less than %v", name, frame, form, took, err, limit)
				}
			}
		}
	}
}

func TestLongTextIsTypedWhole(t *testing.T) {
	want := strings.Repeat("long line }\t", 1<<17)
	reply := `<tool_call>{"name": "computer_use", "arguments": {"action": "type", "text": ` + encode(want) + `}}</tool_call>`
	got, err := parse.Reply(reply, parse.Schema{})
	if err != nil || *got.Call.Text != want {
		t.Errorf("got %v and another text, want the %d bytes that were sent", err, len(want))
	}
}
