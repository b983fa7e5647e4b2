package dialect

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"fara/env"
	"fara/imagebudget"
	"fara/model"
	"fara/parse"
)

//go:embed data
var data embed.FS

// names lists the dialects in the order in which help texts show them.
var names = []string{"fara-1.5", "fara-7b"}

// AnswerFrom says where a terminate's final answer stands.
type AnswerFrom string

// The places of a final answer.
const (
	// FromArgument: the answer argument, which must be there.
	FromArgument AnswerFrom = "argument"
	// FromThoughts: the text before the call.
	FromThoughts AnswerFrom = "thoughts"
)

// Dialect is how one model family speaks.
type Dialect struct {
	Name string `json:"name"`
	// About is one line for people.
	About string `json:"about"`
	// Models holds lower-case parts of model names that belong to this family,
	// written without dashes, dots, underscores and spaces.
	Models []string `json:"models"`
	// Space is what coordinates count.
	Space imagebudget.Space `json:"space"`
	Grid  imagebudget.Grid  `json:"grid"`
	// Viewport is the browser's size in CSS pixels unless the user wants
	// another: one that Grid leaves unchanged.
	Viewport env.Size `json:"viewport"`
	// Screen is the size the prompt names; zero names the sent picture's.
	Screen env.Size `json:"screen"`
	// ScrollStep is the length of every scroll in CSS pixels; 0 takes the model's.
	ScrollStep float64 `json:"scroll_step"`
	// PressesEnter is whether type presses Enter when the model does not say.
	PressesEnter bool `json:"presses_enter"`
	// SkipsUnchanged: a picture that is the same as the one before may be left out
	// and told instead.
	SkipsUnchanged bool `json:"skips_unchanged"`
	// Answer is where the final answer stands.
	Answer AnswerFrom `json:"answer"`
	// Function is the name of the one function that takes the actions.
	Function string `json:"function"`
	// About the function: lines of its description; {{width}} and {{height}} are
	// the named size.
	Description []string   `json:"description"`
	Actions     []Named    `json:"actions"`
	Arguments   []Argument `json:"arguments"`
	// Published are the prompts the family was trained with.
	Published []Published `json:"published"`
	// Turns are the words of the turns.
	Turns Turns `json:"turns"`
	// Prompt is the system prompt's template.
	Prompt string `json:"-"`
}

// Named is an action with the line that explains it to the model.
type Named struct {
	Name env.Kind `json:"name"`
	Help string   `json:"help"`
}

// Argument is one argument of the function, as a JSON Schema property.
type Argument struct {
	Name string   `json:"name"`
	Type string   `json:"type"`
	Help string   `json:"help"`
	Enum []string `json:"enum"`
}

// Published is the fingerprint of a prompt the models' makers published.
type Published struct {
	// Screen is the size named in it.
	Screen env.Size `json:"screen"`
	// SHA256 is the hash of its UTF-8 bytes, in hex.
	SHA256 string `json:"sha256"`
}

// Names lists the dialects.
func Names() []string { return slices.Clone(names) }

// Get gives the dialect of that name. An unknown name is an error that lists
// the known ones.
func Get(name string) (Dialect, error) {
	if !slices.Contains(names, name) {
		return Dialect{}, fmt.Errorf("there is no dialect %q; choose one of %s", name, strings.Join(names, ", "))
	}
	return load(name)
}

func load(name string) (Dialect, error) {
	var d Dialect
	for _, file := range []string{"turns.json", name + ".json"} {
		raw, err := data.ReadFile("data/" + file)
		if err != nil {
			return Dialect{}, err
		}
		if err := json.Unmarshal(raw, &d); err != nil {
			return Dialect{}, fmt.Errorf("%s: %w", file, err)
		}
	}
	text, err := data.ReadFile("data/" + name + ".txt")
	if err != nil {
		return Dialect{}, err
	}
	d.Prompt = strings.TrimSuffix(string(text), "\n")
	return d, nil
}

// Speech is the whole dialect as data, the system prompt's template included:
// what a run writes down so that its prompts can be built again.
func (d Dialect) Speech() json.RawMessage {
	raw, err := json.Marshal(struct {
		Dialect
		Template string `json:"template"`
	}{d, d.Prompt})
	if err != nil {
		return nil // data of plain types always encodes
	}
	return raw
}

// Restore gives the dialect that Speech wrote down.
func Restore(speech json.RawMessage) (Dialect, error) {
	var s struct {
		Dialect
		Template string `json:"template"`
	}
	if err := json.Unmarshal(speech, &s); err != nil {
		return Dialect{}, fmt.Errorf("the recorded dialect: %w", err)
	}
	s.Dialect.Prompt = s.Template
	return s.Dialect, nil
}

// ForModel gives the dialect whose family a model's name belongs to. It is
// false when no family is recognised, and then nothing should be guessed.
func ForModel(model string) (Dialect, bool) {
	plain := strings.NewReplacer("-", "", ".", "", "_", "", " ", "").Replace(strings.ToLower(model))
	for _, name := range names {
		d, err := load(name)
		if err != nil {
			continue
		}
		if slices.ContainsFunc(d.Models, func(part string) bool { return strings.Contains(plain, part) }) {
			return d, true
		}
	}
	return Dialect{}, false
}

// Parse reads a reply's text and what the server filed apart as thinking. The
// error is a *parse.Error. allowed are the actions the prompt named.
func (d Dialect) Parse(reply model.Reply, allowed []env.Kind) (parse.Result, error) {
	return parse.Parts(reply.Text, reply.Thinking, parse.Schema{Actions: allowed, Finish: reply.Finish})
}

// Complete reports whether a reply that is still growing already holds its call.
func (d Dialect) Complete(text string) bool { return parse.Complete(text) }

// Fill adds to a call what the family leaves out when it means the default.
func (d Dialect) Fill(call model.Call) model.Call {
	if call.Action == string(env.Type) && call.PressEnter == nil {
		press := d.PressesEnter
		call.PressEnter = &press
	}
	return call
}

// Geometry connects a picture of that size with a page of that viewport in this
// dialect's space.
func (d Dialect) Geometry(picture, viewport env.Size) imagebudget.Geometry {
	return imagebudget.Geometry{Size: picture, Viewport: viewport, Space: d.Space, ScrollStep: d.ScrollStep}
}
