package prompt

import (
	"encoding/json"
	"fmt"
	"strings"

	"fara/dialect"
	"fara/model"
	"fara/parse"
	"fara/trajectory"
)

// Unkept reports whether nobody kept the words of a reply that came to a call, as in some
// runs that another program recorded.
func Unkept(p *trajectory.Proposed) bool {
	return p.Call != nil && len(p.Calls) == 0 && strings.TrimSpace(p.Raw+p.Thinking) == ""
}

// Words are a reply's words: its own, or, when nobody kept them, what the dialect writes
// for its thoughts and its call.
func Words(p *trajectory.Proposed, d dialect.Dialect) string {
	if !Unkept(p) {
		return p.Raw
	}
	arguments, err := json.Marshal(p.Call)
	if err != nil {
		return p.Raw // texts and numbers always encode
	}
	return inForm(d, p.Thoughts, model.ToolCall{Name: d.Function, Arguments: spaced(string(arguments))})
}

// inForm puts a call behind a text, in the dialect's own form.
func inForm(d dialect.Dialect, text string, call model.ToolCall) string {
	body := call.Arguments
	if d.Reply != parse.Object {
		body = fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", call.Name, call.Arguments)
	}
	return join(strings.TrimSpace(text), body)
}

// spaced puts the spaces into JSON that Python's encoder writes, which is what the models
// were trained on.
func spaced(compact string) string {
	var b strings.Builder
	inText, escaped := false, false
	for _, c := range compact {
		b.WriteRune(c)
		switch {
		case escaped:
			escaped = false
		case inText && c == '\\':
			escaped = true
		case c == '"':
			inText = !inText
		case !inText && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
	return b.String()
}
