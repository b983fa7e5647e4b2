package replay

import (
	"fmt"
	"slices"
	"strings"

	"fara/env"
)

// Text is something that a run typed.
type Text struct {
	// Name is the accessible name of the field that it went into, with a number behind it
	// when that is not its first text, or else text1, text2 and so on. Untrusted.
	Name string `json:"name"`
	// Step is where, Was what the run typed: <secret>NAME</secret> stands for a secret.
	Step int    `json:"step"`
	Was  string `json:"was"`
	// Text is what is typed now, Set whether that is a new value.
	Text string `json:"text"`
	Set  bool   `json:"set,omitempty"`
}

// name finds what the run typed and gives each a name.
func (p *Plan) name() {
	unnamed := 0
	for i := range p.Moves {
		m := &p.Moves[i]
		if m.Action == nil || m.Action.Kind != env.Type {
			continue
		}
		name := label(m.Hit)
		if name == "" {
			unnamed++
			name = fmt.Sprintf("text%d", unnamed)
		}
		m.Text = len(p.Texts)
		p.Texts = append(p.Texts, Text{Name: p.free(name), Step: m.Step, Was: m.Action.Text, Text: m.Action.Text})
	}
}

// label is a field's name in one line; empty when it has none.
func label(hit *env.Element) string {
	if hit == nil {
		return ""
	}
	return strings.Join(strings.Fields(hit.Name), " ")
}

// free is the name with the first number behind it that no text has.
func (p *Plan) free(name string) string {
	free := name
	for n := 2; p.find(free) >= 0; n++ {
		free = fmt.Sprintf("%s %d", name, n)
	}
	return free
}

func (p *Plan) find(name string) int {
	return slices.IndexFunc(p.Texts, func(t Text) bool { return t.Name == name })
}

// Names are the names of what the run typed, in its order.
func (p *Plan) Names() []string {
	var names []string
	for _, t := range p.Texts {
		names = append(names, t.Name)
	}
	return names
}

// NameError is a new value for a text that the run did not type.
type NameError struct {
	// Given is NAME=VALUE up to the first =, Names what there is.
	Given string
	Names []string
}

// Error says which names there are.
func (e *NameError) Error() string {
	if len(e.Names) == 0 {
		return fmt.Sprintf("there is no text %q: the run typed nothing", e.Given)
	}
	return fmt.Sprintf("the run typed no text named %q; there is: %s", e.Given, strings.Join(e.Names, ", "))
}

// Set has another text typed, from NAME=VALUE. Where several names fit, because a name
// holds a =, the longest is meant. The error is a *NameError when none does.
func (p *Plan) Set(assignment string) error {
	best := -1
	for i, t := range p.Texts {
		if strings.HasPrefix(assignment, t.Name+"=") && (best < 0 || len(t.Name) > len(p.Texts[best].Name)) {
			best = i
		}
	}
	name, _, found := strings.Cut(assignment, "=")
	switch {
	case !found:
		return fmt.Errorf("%q gives no value; write it as NAME=VALUE", assignment)
	case best < 0:
		return &NameError{Given: name, Names: p.Names()}
	}
	t := &p.Texts[best]
	t.Text = strings.TrimPrefix(assignment, t.Name+"=")
	t.Set = t.Text != t.Was
	return nil
}
