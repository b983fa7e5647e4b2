package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"fara/env"
	"fara/imagebudget"
	"fara/parse"
)

// Limits in a schema. They only keep a reply from running away: what is right is
// decided when it is read.
const (
	// longestThoughts is in characters. A thought cut there does no harm; answers
	// and typed texts have no limit, since one cut short would look whole.
	longestThoughts = 600
	mostKeys        = 4
	farthest        = 10_000 // pixels of a picture, or of a scroll
	longestWait     = 60     // seconds
)

// node is a JSON object whose keys keep their order: servers write a reply's keys
// in the schema's order.
type node []pair

type pair struct {
	key   string
	value any
}

// MarshalJSON writes the keys in order.
func (n node) MarshalJSON() ([]byte, error) {
	members := make([]string, len(n))
	for i, p := range n {
		value, err := json.Marshal(p.value)
		if err != nil {
			return nil, err
		}
		members[i] = quote(p.key) + ":" + string(value)
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

// Schema is the JSON Schema that a server can hold replies to: one object with
// the thoughts first, so that the model thinks before it acts, and then an action
// with exactly its own arguments. In the Object form the arguments stand beside
// the thoughts; in the Tagged form the whole call does, without tags.
//
// It keeps to what the servers' grammars understand: anyOf, const, enum, bounds of
// integers, texts and lists; no pattern and no reference. It is nil in the Text
// form, which is no JSON, and when the prompt offers no action that can be read.
func (d Dialect) Schema() json.RawMessage {
	allowed, err := d.Allowed(d.System(d.Viewport))
	if err != nil || d.Reply == parse.Text {
		return nil
	}
	thoughts := pair{"thoughts", node{{"type", "string"}, {"maxLength", longestThoughts}}}
	var calls []node
	for _, a := range d.Actions {
		if !slices.Contains(allowed, a.Name) {
			continue
		}
		if d.Reply == parse.Object {
			calls = append(calls, d.callOf(a, thoughts))
			continue
		}
		calls = append(calls, d.callOf(a))
	}
	// Some servers take no schema that does not say that it is of an object.
	schema := node{{"type", "object"}, {"anyOf", calls}}
	if d.Reply != parse.Object {
		schema = closed([]pair{thoughts, {"name", word(d.Function)}, {"arguments", schema}}, nil)
	}
	return encode(schema)
}

// callOf is the object that calls an action, behind other members.
func (d Dialect) callOf(a Named, before ...pair) node {
	needed := append(slices.Clone(before), pair{"action", word(string(a.Name))})
	for _, name := range a.Needs {
		needed = append(needed, d.shaped(name))
	}
	var free []pair
	for _, name := range a.Takes {
		free = append(free, d.shaped(name))
	}
	return closed(needed, free)
}

// closed is an object with these members and no others.
func closed(needed, free []pair) node {
	names := make([]string, len(needed))
	for i, p := range needed {
		names[i] = p.key
	}
	return node{
		{"type", "object"}, {"properties", node(slices.Concat(needed, free))},
		{"required", names}, {"additionalProperties", false},
	}
}

func (d Dialect) shaped(name string) pair { return pair{name, d.shape(d.argument(name))} }

// shape is what values an argument takes.
func (d Dialect) shape(a Argument) node {
	switch {
	case isPoint(a.Name):
		return node{{"type", "array"}, {"items", d.place()}, {"minItems", 2}, {"maxItems", 2}}
	case a.Name == "keys":
		return node{{"type", "array"}, {"items", oneOf(keyNames())}, {"minItems", 1}, {"maxItems", mostKeys}}
	case a.Name == "pixels" && d.Space == imagebudget.Fractions:
		return node{{"type", "number"}}
	case a.Name == "pixels":
		return integer(-farthest, farthest)
	case a.Name == "time":
		return integer(1, longestWait)
	case len(a.Enum) > 0:
		return oneOf(a.Enum)
	case a.Type == "string" && a.Name != "text":
		return node{{"type", "string"}, {"minLength", 1}}
	}
	return node{{"type", a.Type}}
}

// place is one of a point's two numbers.
func (d Dialect) place() node {
	switch d.Space {
	case imagebudget.Thousandths:
		return integer(0, 1000)
	case imagebudget.Fractions:
		// Grammars bound whole numbers only: what lies outside is refused when the
		// reply is read.
		return node{{"type", "number"}, {"minimum", 0}, {"maximum", 1}}
	}
	return integer(0, farthest)
}

// word is that text and no other, oneOf is one of several.
func word(text string) node { return node{{"type", "string"}, {"const", text}} }

func oneOf(texts []string) node { return node{{"type", "string"}, {"enum", texts}} }

func integer(least, most int) node {
	return node{{"type", "integer"}, {"minimum", least}, {"maximum", most}}
}

// keyNames are the keys that a constrained reply can press: a free text would let
// a grammar make names that no keyboard has.
func keyNames() []string {
	names := strings.Fields("Enter Tab Escape Backspace Delete Space ArrowUp ArrowDown ArrowLeft ArrowRight " +
		"PageUp PageDown Home End Insert Control Shift Alt Meta F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 + - = / . ,")
	for c := 'a'; c <= 'z'; c++ {
		names = append(names, string(c))
	}
	for c := '0'; c <= '9'; c++ {
		names = append(names, string(c))
	}
	return names
}

func encode(n node) json.RawMessage {
	raw, err := json.Marshal(n)
	if err != nil {
		return nil // plain values always encode
	}
	return raw
}

// native is the shape of an argument as a tool's definition gives it: with its
// help, and without bounds, which belong to grammars.
func (d Dialect) native(a Argument) node {
	described := node{{"type", a.Type}, {"description", a.Help}}
	switch {
	case isPoint(a.Name):
		return append(described, pair{"items", node{{"type", "number"}}}, pair{"minItems", 2}, pair{"maxItems", 2})
	case a.Type == "array":
		return append(described, pair{"items", node{{"type", "string"}}})
	case len(a.Enum) > 0:
		return append(described, pair{"enum", a.Enum})
	}
	return described
}

// actionHelp describes the allowed actions to a model that is given tools.
func (d Dialect) actionHelp(allowed []env.Kind) string {
	lines := []string{"What to do. One of:"}
	for _, a := range d.Actions {
		if slices.Contains(allowed, a.Name) {
			lines = append(lines, "* `"+string(a.Name)+"`: "+a.Help)
		}
	}
	return strings.Join(lines, "\n")
}
