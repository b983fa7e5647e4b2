package parse

import (
	"slices"

	"fara/env"
	"fara/model"
)

// field is one argument: its name, other names for it and how its value becomes
// part of a call.
type field struct {
	name  string
	other []string
	set   func(*model.Call, value) *Error
}

// The arguments. Other names are used only when the proper one is not given.
var (
	coordinateField = field{"coordinate", []string{"coordinates", "point_2d", "bbox_2d", "point", "start_box", "box", "bbox"}, func(c *model.Call, v value) (err *Error) { c.Coordinate, err = v.point(); return }}
	startField      = field{"start", []string{"start_coordinate", "from", "start_box", "start_point"}, func(c *model.Call, v value) (err *Error) { c.Start, err = v.point(); return }}
	endField        = field{"coordinate", []string{"coordinates", "end_coordinate", "end", "to", "end_box", "end_point"}, func(c *model.Call, v value) (err *Error) { c.Coordinate, err = v.point(); return }}
	keysField       = field{"keys", []string{"key"}, func(c *model.Call, v value) (err *Error) { c.Keys, err = v.keys(); return }}
	typedField      = field{"text", []string{"text_value"}, func(c *model.Call, v value) (err *Error) { c.Text, err = v.text(); return }}
	pressEnterField = field{"press_enter", nil, func(c *model.Call, v value) (err *Error) { c.PressEnter, err = v.truth(); return }}
	deleteTextField = field{"delete_existing_text", nil, func(c *model.Call, v value) (err *Error) { c.DeleteExistingText, err = v.truth(); return }}
	pixelsField     = field{"pixels", nil, func(c *model.Call, v value) (err *Error) { c.Pixels, err = v.number(); return }}
	urlField        = field{"url", nil, func(c *model.Call, v value) (err *Error) { c.URL, err = v.words(); return }}
	queryField      = field{"query", nil, func(c *model.Call, v value) (err *Error) { c.Query, err = v.words(); return }}
	factField       = field{"fact", nil, func(c *model.Call, v value) (err *Error) { c.Fact, err = v.words(); return }}
	questionField   = field{"question", nil, func(c *model.Call, v value) (err *Error) { c.Question, err = v.words(); return }}
	secondsField    = field{"time", []string{"duration"}, func(c *model.Call, v value) (err *Error) { c.Time, err = v.number(); return }}
	answerField     = field{"answer", nil, func(c *model.Call, v value) (err *Error) { c.Answer, err = v.answer(); return }}
	statusField     = field{"status", nil, func(c *model.Call, v value) (err *Error) { c.Status, err = v.status(); return }}
)

// signature says what an action takes: the first need fields it must have.
type signature struct {
	need   int
	fields []field
}

// signatures has one entry for every action.
var signatures = map[env.Kind]signature{
	env.Key:           {1, []field{keysField}},
	env.Type:          {1, []field{typedField, coordinateField, pressEnterField, deleteTextField}},
	env.MouseMove:     {1, []field{coordinateField}},
	env.LeftClick:     {1, []field{coordinateField}},
	env.LeftClickDrag: {1, []field{endField, startField}},
	env.RightClick:    {1, []field{coordinateField}},
	env.DoubleClick:   {1, []field{coordinateField}},
	env.TripleClick:   {1, []field{coordinateField}},
	env.Scroll:        {1, []field{pixelsField, coordinateField}},
	env.HScroll:       {1, []field{pixelsField, coordinateField}},
	env.VisitURL:      {1, []field{urlField}},
	env.HistoryBack:   {},
	env.WebSearch:     {1, []field{queryField}},
	env.ReadPage:      {1, []field{questionField}},
	env.Memorize:      {1, []field{factField}},
	env.AskUser:       {1, []field{questionField}},
	env.Wait:          {0, []field{secondsField}},
	env.Terminate:     {0, []field{answerField, statusField}},
}

// argumentNames are the proper names of all arguments.
var argumentNames = []string{"coordinate", "start", "keys", "text", "press_enter", "delete_existing_text", "pixels", "url",
	"query", "fact", "question", "time", "answer", "status"}

// Arguments lists the proper names of all arguments.
func Arguments() []string { return slices.Clone(argumentNames) }

// isArgument reports whether a key is the proper name of some argument.
func isArgument(name string) bool { return slices.Contains(argumentNames, name) }

// in finds the field's value among the arguments; the name is the one it has
// there. Two other names with different values are an error.
func (f field) in(args node) (node, string, *Error) {
	if n := args.get(f.name); n.given() {
		return n, f.name, nil
	}
	var found node
	as := f.name
	for i, name := range args.names {
		n := args.items[i]
		if !n.given() || squash(name) != squash(f.name) && !slices.Contains(f.other, name) {
			continue
		}
		if found.given() && !same(found, n) {
			return n, name, refuse(Ambiguous, "%q and %q are given with different values; send %q alone.", as, name, f.name)
		}
		found, as = n, name
	}
	return found, as, nil
}

// knownName reports whether a key is any that a call may have, under whatever name.
func knownName(name string) bool {
	if name == "action" || slices.Contains(thoughtsNames, name) || slices.Contains([]string{"x", "y", "path", "button", "direction"}, name) {
		return true
	}
	for _, takes := range signatures {
		for _, f := range takes.fields {
			if squash(name) == squash(f.name) || slices.Contains(f.other, name) {
				return true
			}
		}
	}
	return false
}

// contrary names an argument that would make the action a different one from what
// its name says; such a call is refused rather than run in part.
func contrary(kind env.Kind, args node) string {
	var suspects []string
	switch kind {
	case env.Scroll, env.HScroll:
		suspects = []string{"direction"}
	case env.LeftClick, env.RightClick, env.DoubleClick, env.TripleClick:
		suspects = []string{"end_box", "end_point", "end_coordinate"}
		want := "left"
		if kind == env.RightClick {
			want = "right"
		}
		if args.get("button").text != want {
			suspects = append(suspects, "button")
		}
	}
	for _, name := range suspects {
		if args.get(name).given() {
			return name
		}
	}
	return ""
}
