package parse

import "strings"

const wantKeys = `a list of key names such as ["ctrl", "a"]`

// keys gives the names of keys to press together.
func (v value) keys() ([]string, *Error) {
	given, err := v.keyNodes()
	if err != nil {
		return nil, err
	}
	var all []string
	for _, n := range given {
		s, err := v.with(n).text()
		if err != nil {
			return nil, v.refuse(wantKeys)
		}
		names := v.chord(*s)
		if len(names) == 0 {
			return nil, v.refuse(wantKeys)
		}
		all = append(all, names...)
	}
	if len(all) == 0 {
		return nil, refuse(MissingArgument, "%q is empty; send the call again with %s.", v.field, wantKeys)
	}
	return all, nil
}

// keyNodes gives the entries of a list, also of one written as text, or the one
// value that there is.
func (v value) keyNodes() ([]node, *Error) {
	if v.kind == listNode {
		return v.items, nil
	}
	v.repairs.add(KeysForm)
	written := strings.TrimSpace(v.node.text)
	switch {
	case v.kind == textNode && written == "" && v.node.text != " ":
		return nil, nil
	case v.kind != textNode || written == "[" || !strings.HasPrefix(written, "["):
		return []node{v.node}, nil
	}
	r := readValue(written, 0)
	if r.state != whole || r.end != len(written) {
		return nil, v.refuse(wantKeys)
	}
	v.repairs.add(r.repairs...)
	return r.root.items, nil
}

// chord gives the keys that one text names, none when it cannot be told. Plus
// signs join keys; "+" alone and a second one at the end are the plus key.
func (v value) chord(s string) []string {
	trimmed := strings.TrimSpace(s)
	switch {
	case s == " ":
		return []string{s} // the space bar
	case trimmed == "":
		return nil
	case trimmed == "+" || !strings.Contains(trimmed, "+"):
		return []string{trimmed}
	}
	v.repairs.add(KeysForm)
	parts := strings.Split(trimmed, "+")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if n := len(parts); n > 2 && parts[n-1] == "" && parts[n-2] == "" {
		parts = append(parts[:n-2], "+")
	}
	for _, part := range parts {
		if part == "" {
			return nil
		}
	}
	return parts
}
