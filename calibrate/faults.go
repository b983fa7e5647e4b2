package calibrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fara/env"
	"fara/imagebudget"
)

// syntax says on which line the JSON is broken or of the wrong kind, as "3: …".
func syntax(raw []byte, err error) error {
	var broken *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("1: expected the object that fara calibrate writes, not a JSON %s", kind.Value)
	case errors.As(err, &kind):
		// Offsets of what reads itself, such as a point, count from its own beginning.
		top, _, _ := strings.Cut(kind.Field, ".")
		line, _ := lineOf(raw, top)
		return fmt.Errorf("%d: %q is a JSON %s; expected %s", max(line, lineAt(raw, kind.Offset)), kind.Field, kind.Value, kinds[kind.Type.Kind().String()])
	case errors.As(err, &broken):
		return fmt.Errorf("%d: %v; expected the JSON object that fara calibrate writes", lineAt(raw, broken.Offset), err)
	}
	line, _ := lineOf(raw, "created") // the only field with a form of its own
	return fmt.Errorf("%d: \"created\" is no time; expected one such as 2026-01-02T03:04:05Z", line)
}

// kinds are Go's kinds in the words of JSON.
var kinds = map[string]string{
	"string": "a string", "int": "a whole number", "float64": "a number", "slice": "a list", "array": "a pair of numbers", "struct": "an object",
}

// wrong says what is missing or out of range, and on which line; empty when
// nothing is.
func (f File) wrong(raw []byte) (line int, what string) {
	replies := []string{"text", "constrained", "tools"}
	empty := func(s env.Size) bool { return s.W <= 0 || s.H <= 0 }
	for _, c := range []struct {
		key      string
		bad      bool
		value    any
		expected string
	}{
		{"version", f.Version < 1, f.Version, "1"},
		{"version", f.Version > Version, f.Version, "1, since a newer fara wrote this; calibrate again"},
		{"model", f.Model == "", f.Model, "the model's name"},
		{"dialect", f.Dialect == "", f.Dialect, "a dialect's name"},
		{"space", !slices.Contains(imagebudget.Spaces(), f.Space), f.Space, "one of 0-1000, pixels, 0-1"},
		{"replies", !slices.Contains(replies, f.Replies), f.Replies, "one of text, constrained, tools"},
		{"viewport", empty(f.Viewport), f.Viewport, "the page's size as {\"w\": …, \"h\": …}"},
		{"picture", empty(f.Picture), f.Picture, "the picture's size as {\"w\": …, \"h\": …}"},
	} {
		if !c.bad {
			continue
		}
		at, there := lineOf(raw, c.key)
		if !there {
			return at, fmt.Sprintf("%q is missing; expected %s", c.key, c.expected)
		}
		return at, fmt.Sprintf("%q is %v; expected %s", c.key, shown(c.value), c.expected)
	}
	return 0, ""
}

func shown(v any) string {
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return "?" // strings and numbers always encode
	}
	return string(raw)
}

// lineOf gives the line of a key of the outermost object; without it false and
// the line where the object begins.
func lineOf(raw []byte, key string) (line int, there bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return 1, false
	}
	first := lineAt(raw, dec.InputOffset())
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			break
		}
		at := lineAt(raw, dec.InputOffset())
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
		if name == key {
			return at, true
		}
	}
	return first, false
}

// lineAt gives the line of a byte's offset, from 1.
func lineAt(raw []byte, offset int64) int {
	end := min(max(0, offset), int64(len(raw)))
	return 1 + bytes.Count(bytes.TrimRight(raw[:end], " \t\r\n"), []byte("\n"))
}
