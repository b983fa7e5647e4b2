package dialect

import (
	"encoding/json"
	"fmt"
	"strings"

	"fara/env"
	"fara/parse"
)

// Tools is the JSON list of native tool definitions for pictures of that size:
// the dialect's one function, with the actions that its prompt offers. It is nil
// in the Text form, whose models know no tools, and when the prompt offers no
// action that can be read.
func (d Dialect) Tools(picture env.Size) json.RawMessage {
	allowed, err := d.Allowed(d.System(picture))
	if err != nil || d.Reply == parse.Text {
		return nil
	}
	props := node{{"action", node{{"type", "string"}, {"description", d.actionHelp(allowed)}, {"enum", allowed}}}}
	for _, a := range d.Arguments {
		props = append(props, pair{a.Name, d.native(a)})
	}
	function := node{
		{"name", d.Function},
		{"description", sized(strings.Join(d.Description, "\n"), d.screen(picture))},
		{"parameters", node{{"type", "object"}, {"properties", props}, {"required", []string{"action"}}}},
	}
	return json.RawMessage("[" + string(encode(node{{"type", "function"}, {"function", function}})) + "]")
}

// SystemForTools is the system prompt for when Tools goes along: without the
// description of the actions and the form of a call, which the server's template
// writes itself. In the Text form it is System.
func (d Dialect) SystemForTools(picture env.Size) string {
	system := d.System(picture)
	if d.Reply == parse.Text {
		return system
	}
	if before, rest, ok := strings.Cut(system, "<tools>\n"); ok {
		// A block of several paragraphs is no place to look for paragraphs in.
		if block, after, closed := strings.Cut(rest, "</tools>"); closed {
			system = before + "<tools>\n" + strings.ReplaceAll(block, "\n\n", "\n") + "</tools>" + after
		}
	}
	var kept []string
	for _, paragraph := range strings.Split(system, "\n\n") {
		if !aboutForm(paragraph) {
			kept = append(kept, paragraph)
		}
	}
	return strings.Join(append(kept, fmt.Sprintf(d.Turns.Native, d.Function)), "\n\n")
}

// aboutForm reports whether a paragraph describes the actions or how a call is
// written.
func aboutForm(paragraph string) bool {
	for _, mark := range []string{"<tools>", "</tools>", "<tool_call>", `"action"`} {
		if strings.Contains(paragraph, mark) {
			return true
		}
	}
	return false
}

// SystemConstrained is the system prompt for when the server holds replies to
// Schema: where that is another form than the prompt tells, it ends with the form
// that counts.
func (d Dialect) SystemConstrained(picture env.Size) string {
	if d.Reply == parse.Text || d.Reply == parse.Object {
		return d.System(picture)
	}
	return d.System(picture) + "\n\n" + fmt.Sprintf(d.Turns.Constrained, d.Function)
}
