package dialect

import (
	"slices"
	"strings"

	"fara/parse"
)

// list gives the actions as lines: how a reply writes each, and its help. Actions
// that are written alike are one line.
func (d Dialect) list() string {
	var lines []string
	for _, a := range d.Actions {
		line := "* " + d.sample(a) + ": " + a.Help
		if d.Reply == parse.Text {
			line = a.Form + " # " + a.Help
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// sample shows the object that calls an action, with the arguments it needs.
func (d Dialect) sample(a Named) string {
	members := []string{member("action", string(a.Name))}
	for _, name := range a.Needs {
		members = append(members, quote(name)+": "+stand(d.argument(name)))
	}
	return object(members...)
}

// stand stands for a value in a sample.
func stand(a Argument) string {
	switch {
	case isPoint(a.Name):
		return "[x, y]"
	case len(a.Enum) > 0:
		quoted := make([]string, len(a.Enum))
		for i, e := range a.Enum {
			quoted[i] = quote(e)
		}
		return strings.Join(quoted, " or ")
	case a.Type == "array":
		return `["..."]`
	case a.Type == "number":
		return "n"
	case a.Type == "boolean":
		return "true or false"
	}
	return `"..."`
}

// argument gives the argument of that name; a text without help when the dialect
// has none.
func (d Dialect) argument(name string) Argument {
	for _, a := range d.Arguments {
		if a.Name == name {
			return a
		}
	}
	return Argument{Name: name, Type: "string"}
}

// isPoint reports whether an argument is a place on the screen.
func isPoint(name string) bool { return name == "coordinate" || name == "start" }
