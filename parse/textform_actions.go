package parse

import (
	"slices"
	"strconv"
	"strings"

	"fara/env"
	"fara/model"
)

// ScrollLength is how far a scroll goes in the Text form, which names only its
// direction: half of a picture of 1000 pixels, in model space.
const ScrollLength = 500

// textNames are the actions of the Text form by their published names. Other
// words for an action are aliases as anywhere.
var textNames = map[string]env.Kind{
	"click": env.LeftClick, "left_single": env.LeftClick, "left_double": env.DoubleClick, "right_single": env.RightClick,
	"hover": env.MouseMove, "drag": env.LeftClickDrag, "select": env.LeftClickDrag,
	"hotkey": env.Key, "press": env.Key, "type": env.Type, "scroll": env.Scroll, "wait": env.Wait,
	"finished": env.Terminate, "call_user": env.AskUser, "navigate": env.VisitURL, "navigate_back": env.HistoryBack,
}

// textKind gives the action that a name stands for in the Text form.
func textKind(name string) (env.Kind, bool) {
	if kind, ok := textNames[name]; ok {
		return kind, true
	}
	return kindOf(name)
}

// pointNames are the arguments that hold a place, textFields what all the others
// are called, by action; the first is what a value without a name stands for.
var (
	pointNames = []string{"start_box", "point", "start_point", "box"}
	endNames   = []string{"end_box", "end_point"}
	textFields = map[env.Kind][]string{
		env.Key: {"key"}, env.Type: {"content"}, env.Wait: {"time"}, env.Terminate: {"content"},
		env.AskUser: {"content"}, env.VisitURL: {"content"}, env.WebSearch: {"content"},
		env.Memorize: {"content"}, env.ReadPage: {"content"},
	}
)

// isFree reports whether an argument's text may hold anything.
func isFree(name string) bool {
	return name != "direction" && name != "start" && name != "coordinate" && name != "time" &&
		!slices.Contains(pointNames, name) && !slices.Contains(endNames, name)
}

// call gives the model's call. The thoughts are the question of a call_user,
// which has no words of its own.
func (c textCall) call(schema Schema, thoughts string, made *repairs) (model.Call, *Error) {
	if c.state == cut && schema.Finish == model.FinishStop {
		made.add(ClosedBraces)
		c.state = whole
	}
	switch c.state {
	case torn, cut:
		return model.Call{}, refuse(Truncated, "The action was cut off before its end; send the whole action again, with fewer words before it.")
	case broken:
		return model.Call{}, refuse(Syntax, "The action cannot be read: %s; send it again as name(argument='value').", c.problem)
	}
	made.add(c.repairs...)
	word := c.name
	published, ok := textNames[c.name]
	if ok {
		word = string(published)
	}
	direction := strings.ToLower(strings.TrimSpace(c.args.get("direction").text))
	if published == env.Scroll && (direction == "left" || direction == "right") {
		word = string(env.HScroll)
	}
	kind, err := schema.allowed(word)
	if err != nil {
		return model.Call{}, refuseTextCall(err, c.name, word)
	}
	if !ok && c.name != string(kind) {
		made.add(Alias)
	}
	args, err := c.canonical(kind, made)
	if err != nil {
		return model.Call{}, err
	}
	if kind == env.AskUser && !args.get("question").given() && thoughts != "" {
		args.add("question", node{kind: textNode, raw: thoughts, text: thoughts})
	}
	call, err := build(kind, args, made)
	made.remove(SingleQuotes, PythonEscapes, PythonLiterals, PointForm, NumberFromString)
	return call, err
}

// refuseTextCall names the word that the model used.
func refuseTextCall(err *Error, name, word string) *Error {
	err.Text = strings.Replace(err.Text, quote(word), quote(name), 1)
	return err
}

// canonical gives the arguments under their canonical names.
func (c textCall) canonical(kind env.Kind, made *repairs) (node, *Error) {
	args := node{kind: objectNode, raw: c.args.raw, closed: true}
	if pair, ok := c.pair(kind); ok {
		made.add(Positional)
		args.add(coordinateField.name, pair)
		return args, nil
	}
	if err := consistent(c.args); err != nil {
		return args, err
	}
	for i, name := range c.args.names {
		value := c.args.items[i]
		field := ""
		if name == "" {
			made.add(Positional)
			field = positional(kind, c.args)
		} else {
			field = textField(kind, name)
		}
		if field == "" {
			return args, refuse(BadArgument, "%s does not take %s; send it again with its own arguments only.", c.name, quote(c.args.raw))
		}
		if args.get(field).given() && !same(args.get(field), value) {
			return args, refuse(Ambiguous, "%s gives %q twice with different values; give it once.", c.name, field)
		}
		args.add(field, value)
	}
	return textValues(kind, args)
}

// pair gives the two numbers without names that were all an action that points
// was given.
func (c textCall) pair(kind env.Kind) (node, bool) {
	n := c.args
	if !slices.Equal(n.names, []string{"", ""}) || n.items[0].kind != numberNode || n.items[1].kind != numberNode ||
		kind == env.LeftClickDrag || signatures[kind].need == 0 || signatures[kind].fields[0].name != coordinateField.name {
		return node{}, false
	}
	return node{kind: listNode, raw: n.raw, items: n.items, closed: true}, true
}

// positional gives the field of a single value without a name, or "".
func positional(kind env.Kind, args node) string {
	takes := signatures[kind]
	if len(args.names) != 1 || len(takes.fields) == 0 || kind == env.LeftClickDrag || kind == env.Scroll || kind == env.HScroll {
		return ""
	}
	return takes.fields[0].name
}

// textField gives the canonical name of an argument of an action, or "".
func textField(kind env.Kind, name string) string {
	isDrag := kind == env.LeftClickDrag
	switch {
	case slices.Contains(pointNames, name) && isDrag:
		return startField.name
	case slices.Contains(endNames, name) && isDrag, slices.Contains(pointNames, name) && takes(kind, coordinateField.name):
		return coordinateField.name
	case slices.Contains(textFields[kind], name):
		return signatures[kind].fields[0].name
	case (name == "x" || name == "y") && takes(kind, coordinateField.name) && !isDrag:
		return name
	case name == "direction" && (kind == env.Scroll || kind == env.HScroll), takes(kind, name):
		return name
	}
	return ""
}

// takes reports whether an action takes an argument of that name.
func takes(kind env.Kind, name string) bool { return slices.Contains(signatures[kind].names(), name) }

// textValues turns what the Text form says in its own way.
func textValues(kind env.Kind, args node) (node, *Error) {
	switch kind {
	case env.Type:
		args = typedLine(args)
	case env.Key:
		args = spacedKeys(args)
	case env.Scroll, env.HScroll:
		return directed(kind, args)
	case env.LeftClickDrag:
		if !args.get(startField.name).given() {
			return args, refuse(MissingArgument, "A drag needs where it starts and where it ends; send it again with start_box and end_box.")
		}
	}
	return args, nil
}

// typedLine takes a final line break off a text to type: it stands for Enter.
func typedLine(args node) node {
	i := slices.Index(args.names, typedField.name)
	if i < 0 || args.items[i].kind != textNode || args.get(pressEnterField.name).given() {
		return args
	}
	text, enter := strings.CutSuffix(args.items[i].text, "\n")
	if enter {
		args.items[i].text = text
		args.add(pressEnterField.name, node{kind: truthNode, raw: "true", truth: true})
	}
	return args
}

// spacedKeys takes keys apart that are written with spaces between them.
func spacedKeys(args node) node {
	i := slices.Index(args.names, keysField.name)
	if i < 0 || args.items[i].kind != textNode {
		return args
	}
	list := node{kind: listNode, raw: args.items[i].raw, closed: true}
	for _, key := range strings.Fields(args.items[i].text) {
		list.items = append(list.items, node{kind: textNode, raw: key, text: key})
	}
	args.items[i] = list
	return args
}

// directed gives a scroll its distance: up and right are positive.
func directed(kind env.Kind, args node) (node, *Error) {
	i := slices.Index(args.names, "direction")
	if i < 0 {
		return args, nil
	}
	direction := args.items[i]
	pixels := map[string]int{"up": ScrollLength, "down": -ScrollLength}
	if kind == env.HScroll {
		pixels = map[string]int{"right": ScrollLength, "left": -ScrollLength}
	}
	way, ok := pixels[strings.ToLower(strings.TrimSpace(direction.text))]
	if !ok || args.get(pixelsField.name).given() {
		return args, refuse(BadArgument, "\"direction\" must be up, down, left or right, not %s.", quote(direction.raw))
	}
	length := strconv.Itoa(way)
	args.names[i], args.items[i] = pixelsField.name, node{kind: numberNode, raw: length}
	return args, nil
}
