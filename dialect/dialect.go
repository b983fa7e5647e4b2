package dialect

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"fara/env"
	"fara/imagebudget"
	"fara/parse"
)

//go:embed data
var data embed.FS

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
	// written without dashes, dots, underscores and spaces; Others holds those of
	// relatives that speak otherwise.
	Models []string `json:"models"`
	Others []string `json:"others"`
	// MadeFrom is the dialect of the models this family was trained from, whose
	// name may be part of its models' names; empty for none.
	MadeFrom string `json:"made_from"`
	// Reply is how a reply writes its call.
	Reply parse.Form `json:"reply"`
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
	// Function is the name of the one function that takes the actions; empty in the
	// Text form.
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
	// Prompt is the system prompt's template; in the embedded data it is a text
	// file of its own.
	Prompt string `json:"prompt"`
}

// Named is an action with what explains it to the model.
type Named struct {
	Name env.Kind `json:"name"`
	Help string   `json:"help"`
	// Needs are the arguments it must have, Takes those it may have besides.
	Needs []string `json:"needs"`
	Takes []string `json:"takes"`
	// Form is how a reply in the Text form writes it, such as
	// click(start_box='(x,y)'); empty in the other forms.
	Form string `json:"form"`
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

// Names lists the dialects, in the order of their files.
func Names() []string {
	files, err := data.ReadDir("data")
	if err != nil {
		return nil // an embedded folder is always there
	}
	var names []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".txt"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Get gives the dialect of that name. An unknown name is an error that lists
// the known ones.
func Get(name string) (Dialect, error) {
	if !slices.Contains(Names(), name) {
		return Dialect{}, fmt.Errorf("there is no dialect %q; choose one of %s", name, strings.Join(Names(), ", "))
	}
	return load(name)
}

func load(name string) (Dialect, error) {
	d, err := common()
	if err != nil {
		return Dialect{}, err
	}
	raw, err := data.ReadFile("data/" + name + ".json")
	if err != nil {
		return Dialect{}, err
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return Dialect{}, fmt.Errorf("%s.json: %w", name, err)
	}
	text, err := data.ReadFile("data/" + name + ".txt")
	if err != nil {
		return Dialect{}, err
	}
	d.Prompt = strings.TrimSuffix(string(text), "\n")
	return d, nil
}

// common is what all dialects share unless their file says otherwise.
func common() (d Dialect, err error) {
	raw, err := data.ReadFile("data/turns.json")
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return d, fmt.Errorf("turns.json: %w", err)
	}
	d.Reply, d.Answer = parse.Tagged, FromArgument
	return d, nil
}

// Speech is the whole dialect as data, the system prompt's template included:
// what a run writes down so that its prompts can be built again.
func (d Dialect) Speech() json.RawMessage {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil // data of plain types always encodes
	}
	return raw
}

// Restore gives the dialect that Speech wrote down. Words for turns that there
// were none of yet then are ours.
func Restore(speech json.RawMessage) (Dialect, error) {
	d, err := common()
	if err != nil {
		return Dialect{}, err
	}
	if err := json.Unmarshal(speech, &d); err != nil {
		return Dialect{}, fmt.Errorf("the recorded dialect: %w", err)
	}
	return d, nil
}
