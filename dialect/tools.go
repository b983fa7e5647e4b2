package dialect

import (
	"encoding/json"
	"errors"
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

// Allowed reads from a rendered system prompt which actions it offers, so that
// what the model is told and what the runtime accepts cannot drift apart. It is
// an error when the prompt has no readable <tools> block.
func Allowed(system string) ([]env.Kind, error) {
	_, rest, ok := strings.Cut(system, "<tools>\n")
	block, _, closed := strings.Cut(rest, "\n</tools>")
	if !ok || !closed {
		return nil, errors.New("the prompt has no <tools> block that says which actions there are; put {{tools}} where it belongs")
	}
	var kinds []env.Kind
	for line := range strings.Lines(block) {
		var tool struct {
			Function struct {
				Parameters struct {
					Properties struct {
						Action struct{ Enum []env.Kind }
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &tool); err != nil {
			return nil, fmt.Errorf("the prompt's <tools> block is not one JSON object a line: %w", err)
		}
		kinds = append(kinds, tool.Function.Parameters.Properties.Action.Enum...)
	}
	if len(kinds) == 0 {
		return nil, errors.New("the prompt's <tools> block names no actions in an enum; put {{tools}} in its place")
	}
	return kinds, nil
}
