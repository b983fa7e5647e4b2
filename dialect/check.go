package dialect

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"fara/env"
	"fara/imagebudget"
	"fara/parse"
)

// wrong is what a dialect's field should be instead; no text when all is well.
type wrong struct {
	path string // of the field, as $.grid.factor
	text string
	line int // within a text of several lines, from 1; 0 for all of it
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// check finds the first field that cannot be meant.
func (d Dialect) check() wrong {
	for _, look := range []func() wrong{d.checkWords, d.checkSizes, d.checkArguments, d.checkActions, d.checkCalls, d.checkTurns, d.checkTemplate} {
		if w := look(); w.text != "" {
			return w
		}
	}
	return wrong{}
}

func (d Dialect) checkWords() wrong {
	switch {
	case !plainName.MatchString(d.Name):
		return wrong{path: "$.name", text: "name is what runs are recorded with: letters, digits, dots and dashes, 64 at most"}
	case !slices.Contains(parse.Forms(), d.Reply):
		return wrong{path: "$.reply", text: fmt.Sprintf("reply is one of %s", listOf(parse.Forms()))}
	case !slices.Contains(imagebudget.Spaces(), d.Space):
		return wrong{path: "$.space", text: fmt.Sprintf("space is one of %s", listOf(imagebudget.Spaces()))}
	case d.Answer != FromArgument && d.Answer != FromThoughts:
		return wrong{path: "$.answer", text: fmt.Sprintf("answer is one of %s", listOf([]AnswerFrom{FromArgument, FromThoughts}))}
	case d.Function == "" && d.Reply != parse.Text:
		return wrong{path: "$.function", text: "function is the name of the function that takes the actions, such as computer_use"}
	}
	return wrong{}
}

// listOf names the values that a field may have.
func listOf[T ~string](values []T) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	return strings.Join(names, ", ")
}

// largest is the side of the largest picture or page that is taken, in pixels.
const largest = 16384

func (d Dialect) checkSizes() wrong {
	inside := func(s env.Size) bool { return s.W > 0 && s.H > 0 && s.W <= largest && s.H <= largest }
	switch g := d.Grid; {
	case g.Factor < 1 || g.Factor > 1024:
		return wrong{path: "$.grid.factor", text: "grid.factor is the side of an image token in pixels, from 1 to 1024, such as 28 or 32"}
	case g.MinPixels < 1:
		return wrong{path: "$.grid.min_pixels", text: "grid.min_pixels is the least width times height of a picture, 1 or more"}
	case g.MaxPixels < g.MinPixels || g.MaxPixels < g.Factor*g.Factor:
		return wrong{path: "$.grid.max_pixels", text: fmt.Sprintf("grid.max_pixels is the most width times height of a picture, %d or more here", max(g.MinPixels, g.Factor*g.Factor))}
	case !inside(d.Viewport):
		return wrong{path: "$.viewport", text: fmt.Sprintf("viewport is the page's size in CSS pixels, w and h from 1 to %d", largest)}
	case d.Screen != (env.Size{}) && !inside(d.Screen):
		return wrong{path: "$.screen", text: fmt.Sprintf("screen is the size that the prompt names, w and h from 1 to %d; leave it out for the picture's own", largest)}
	case !(d.ScrollStep >= 0 && d.ScrollStep <= largest):
		return wrong{path: "$.scroll_step", text: "scroll_step is the length of every scroll in CSS pixels; 0 takes the model's"}
	}
	if _, err := d.Grid.Fit(d.Viewport); err != nil {
		return wrong{path: "$.viewport", text: err.Error()}
	}
	return wrong{}
}

// argumentTypes are the types that arguments have in JSON Schema.
var argumentTypes = []string{"string", "number", "boolean", "array"}

func (d Dialect) checkArguments() wrong {
	seen := map[string]bool{}
	for i, a := range d.Arguments {
		at := fmt.Sprintf("$.arguments[%d]", i)
		switch {
		case !slices.Contains(parse.Arguments(), a.Name):
			return wrong{path: at + ".name", text: fmt.Sprintf("there is no argument %q; the name is one of %s", a.Name, strings.Join(parse.Arguments(), ", "))}
		case seen[a.Name]:
			return wrong{path: at + ".name", text: fmt.Sprintf("the argument %s is there twice", a.Name)}
		case !slices.Contains(argumentTypes, a.Type):
			return wrong{path: at + ".type", text: fmt.Sprintf("type is one of %s", strings.Join(argumentTypes, ", "))}
		}
		seen[a.Name] = true
	}
	return wrong{}
}

func (d Dialect) checkActions() wrong {
	seen := map[env.Kind]bool{}
	for i, a := range d.Actions {
		at := fmt.Sprintf("$.actions[%d]", i)
		switch {
		case !slices.Contains(env.Kinds(), a.Name):
			return wrong{path: at + ".name", text: fmt.Sprintf("there is no action %q; the name is one of %s", a.Name, listOf(env.Kinds()))}
		case seen[a.Name]:
			return wrong{path: at + ".name", text: fmt.Sprintf("the action %s is there twice", a.Name)}
		case d.Reply == parse.Text && !textAction.MatchString(a.Form):
			return wrong{path: at + ".form", text: "form is how a reply writes the action, such as click(start_box='(x,y)')"}
		}
		seen[a.Name] = true
		for part, names := range map[string][]string{"needs": a.Needs, "takes": a.Takes} {
			for j, name := range names {
				if !d.knows(name) {
					return wrong{path: fmt.Sprintf("%s.%s[%d]", at, part, j), text: fmt.Sprintf("%s names the argument %q, which is not among the arguments", part, name)}
				}
			}
		}
	}
	if !seen[env.Terminate] {
		return wrong{path: "$.actions", text: "the actions lack terminate, without which no run could end well"}
	}
	return wrong{}
}

// checkCalls makes a call of each action with what it needs and has it read: what
// it does not need would be missing in every reply that a server constrains.
func (d Dialect) checkCalls() wrong {
	if d.Reply == parse.Text {
		return wrong{}
	}
	for i, a := range d.Actions {
		members := []string{member("action", string(a.Name))}
		for _, name := range a.Needs {
			members = append(members, quote(name)+": "+example(d.argument(name)))
		}
		if _, err := parse.Reply(object(members...), parse.Schema{Form: parse.Object}); err != nil {
			return wrong{path: fmt.Sprintf("$.actions[%d].needs", i), text: fmt.Sprintf("a call of %s with the arguments it needs could not be read: %v", a.Name, err)}
		}
	}
	return wrong{}
}

// example is a value that an argument takes, as JSON.
func example(a Argument) string {
	switch {
	case isPoint(a.Name):
		return "[1, 1]"
	case len(a.Enum) > 0:
		return quote(a.Enum[0])
	case a.Type == "array":
		return `["Enter"]`
	case a.Type == "number":
		return "1"
	case a.Type == "boolean":
		return "true"
	}
	return `"x"`
}

// knows reports whether the dialect has an argument of that name.
func (d Dialect) knows(name string) bool {
	return slices.ContainsFunc(d.Arguments, func(a Argument) bool { return a.Name == name })
}

// verbs are the places in a format string where a value goes.
var verbs = regexp.MustCompile(`%.?`)

// checkTurns holds the words of the turns against ours: they must take the same
// values.
func (d Dialect) checkTurns() wrong {
	ours, err := common()
	if err != nil {
		return wrong{path: "$.turns", text: err.Error()}
	}
	want, own := ours.Turns.byName(), d.Turns.byName()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		need, has := verbs.FindAllString(want[name], -1), verbs.FindAllString(own[name], -1)
		has = slices.DeleteFunc(has, func(v string) bool { return v == "%%" && len(need) > 0 })
		switch {
		case slices.Equal(need, has):
		case len(need) == 0:
			return wrong{path: "$.turns." + name, text: fmt.Sprintf("turns.%s takes no value, so it may hold no %%", name)}
		default:
			return wrong{path: "$.turns." + name, text: fmt.Sprintf("turns.%s needs %s in this order and no other %%; a percent sign is written %%%%", name, strings.Join(need, " and "))}
		}
	}
	return wrong{}
}

func (d Dialect) checkTemplate() wrong {
	fault := d.checkPrompt(d.Prompt)
	if fault == nil {
		picture, err := d.Grid.Fit(d.Viewport)
		if err != nil {
			return wrong{path: "$.viewport", text: err.Error()}
		}
		if _, err = d.Allowed(d.System(picture)); !errors.As(err, &fault) {
			return wrong{}
		}
	}
	return wrong{path: "$.prompt", text: fault.Text, line: fault.Line}
}
