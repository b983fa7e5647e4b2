package parse_test

import (
	"strings"
	"testing"

	"fara/parse"
)

func BenchmarkReply(b *testing.B) {
	thoughts := strings.Repeat("The page shows the results of the search. ", 40)
	for name, reply := range map[string]string{
		"plain":  thoughts + tagged,
		"python": thoughts + `<tool_call>{'name': 'computer_use', 'arguments': {'action': 'left_click', 'coordinate': (100, 200),}}</tool_call>`,
		"prose":  thoughts,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			for b.Loop() {
				parse.Reply(reply, parse.Schema{})
			}
		})
	}
}

// BenchmarkComplete asks once for each piece of a whole reply, as streaming does:
// one operation is a reply.
func BenchmarkComplete(b *testing.B) {
	thoughts := strings.Repeat("The page shows the results of the search. ", 40)
	code := `<tool_call>{"name": "computer_use", "arguments": {"action": "type", "text": "` + strings.Repeat("a { color: red } ", 200) + `"}}</tool_call>`
	for name, reply := range map[string]string{"click": thoughts + tagged, "long text": thoughts + code} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for n := 4; n < len(reply); n += 4 {
					parse.Complete(reply[:n])
				}
			}
		})
	}
}
