package dialect

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fara/env"
	"fara/parse"
	"fara/userfile"
)

var (
	// objectAction is an action in a description of JSON objects.
	objectAction = regexp.MustCompile(`"action"\s*:\s*"(\w+)"`)
	// textAction is a line that describes an action in the Text form.
	textAction = regexp.MustCompile("(?m)^[ \t*`-]*(\\w+)\\(")
)

// Allowed reads from a rendered system prompt which actions it offers, so that
// what the model is told and what the runtime accepts cannot drift apart. It is
// a *userfile.Fault when the prompt offers none that can be read.
func (d Dialect) Allowed(system string) ([]env.Kind, error) {
	if d.mark() == toolsMark || strings.Contains(system, "<tools>\n") {
		return inTools(system)
	}
	mentioned := objectAction
	if d.Reply == parse.Text {
		mentioned = textAction
	}
	var kinds []env.Kind
	for _, m := range mentioned.FindAllStringSubmatch(system, -1) {
		for _, kind := range d.kindsOf(m[1]) {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	if len(kinds) == 0 {
		return nil, &userfile.Fault{Text: "the prompt describes no action of " + d.Name + "; put {{actions}} where they belong"}
	}
	return kinds, nil
}

// kindsOf gives the actions that a word of the dialect stands for: a scroll of
// the Text form goes either way.
func (d Dialect) kindsOf(word string) []env.Kind {
	var kinds []env.Kind
	for _, a := range d.Actions {
		if a.word() == word {
			kinds = append(kinds, a.Name)
		}
	}
	return kinds
}

// word is what a reply calls the action.
func (a Named) word() string {
	if a.Form == "" {
		return string(a.Name)
	}
	word, _, _ := strings.Cut(a.Form, "(")
	return word
}

// inTools reads the actions from the function described between <tools> tags.
func inTools(system string) ([]env.Kind, error) {
	before, rest, ok := strings.Cut(system, "<tools>\n")
	block, _, closed := strings.Cut(rest, "\n</tools>")
	if !ok || !closed {
		return nil, &userfile.Fault{Text: "the prompt has no <tools> block that says which actions there are; put {{tools}} where it belongs"}
	}
	number := 1 + strings.Count(before, "\n")
	var kinds []env.Kind
	for line := range strings.Lines(block) {
		number++
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
			return nil, &userfile.Fault{Line: number, Text: fmt.Sprintf("the prompt's <tools> block is not one JSON object a line: %v", err)}
		}
		kinds = append(kinds, tool.Function.Parameters.Properties.Action.Enum...)
	}
	if len(kinds) == 0 {
		return nil, &userfile.Fault{Line: number, Text: "the prompt's <tools> block names no actions in an enum; put {{tools}} in its place"}
	}
	return kinds, nil
}
