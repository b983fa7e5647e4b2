package dialect

import (
	"encoding/json"
	"fmt"
	"strings"

	"fara/env"
)

// tools gives the function's description as one line of JSON, laid out as the
// models saw it in training: a space after every comma and colon, the keys in a
// fixed order.
func (d Dialect) tools(screen env.Size) string {
	names := make([]string, len(d.Actions))
	lines := make([]string, len(d.Actions))
	for i, a := range d.Actions {
		names[i] = string(a.Name)
		lines[i] = fmt.Sprintf("* `%s`: %s", a.Name, a.Help)
	}
	props := []string{property(Argument{
		Name: "action", Type: "string", Enum: names,
		Help: "What to do. One of:\n" + strings.Join(lines, "\n"),
	})}
	for _, a := range d.Arguments {
		props = append(props, property(a))
	}
	params := object(
		quote("properties")+": "+object(props...),
		`"required": ["action"]`, `"type": "object"`)
	function := object(
		member("name", d.Function),
		member("description", sized(strings.Join(d.Description, "\n"), screen)),
		quote("parameters")+": "+params)
	return object(member("type", "function"), quote("function")+": "+function)
}

func property(a Argument) string {
	parts := []string{member("description", a.Help)}
	if len(a.Enum) > 0 {
		quoted := make([]string, len(a.Enum))
		for i, e := range a.Enum {
			quoted[i] = quote(e)
		}
		parts = append(parts, `"enum": [`+strings.Join(quoted, ", ")+"]")
	}
	parts = append(parts, member("type", a.Type))
	return quote(a.Name) + ": " + object(parts...)
}

func object(members ...string) string { return "{" + strings.Join(members, ", ") + "}" }

func member(name, value string) string { return quote(name) + ": " + quote(value) }

func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""` // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
