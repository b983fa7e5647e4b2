package parse

import (
	"slices"
	"strings"
)

// thoughtsNames are the keys under which an object holds thoughts, the proper one
// first.
var thoughtsNames = []string{"thoughts", "thought", "thinking", "reasoning"}

// thoughtsIn gives the thoughts that an object holds, or "".
func thoughtsIn(n node) string {
	for _, name := range thoughtsNames {
		if said := n.get(name); said.kind == textNode && strings.TrimSpace(said.text) != "" {
			return strings.TrimSpace(said.text)
		}
	}
	return ""
}

// unwrap takes a call out of the objects that servers put around one:
// {"type": "function", "function": {…}} and {"tool_calls": [{…}]}.
func (p *proposal) unwrap(root node) node {
	for range 2 {
		inner := wrapped(root)
		if !inner.given() {
			break
		}
		p.repairs.add(Wrapper)
		if said := thoughtsIn(root); said != "" && thoughtsIn(inner) == "" {
			inner.add(thoughtsNames[0], node{kind: textNode, raw: said, text: said})
		}
		root = inner
	}
	return root
}

// wrapped gives the object within a wrapper, the zero node when it is none.
func wrapped(root node) node {
	if slices.ContainsFunc(root.names, says) {
		return node{}
	}
	if inner := root.get("function"); inner.kind == objectNode {
		return inner
	}
	if calls := root.get("tool_calls"); calls.kind == listNode && len(calls.items) == 1 && calls.items[0].kind == objectNode {
		return calls.items[0]
	}
	return node{}
}

// says reports whether a key of an object makes it a call by itself.
func says(name string) bool {
	return name == "action" || isArgument(name) || slices.Contains(argumentsNames, name)
}

// innerCall gives the call that stands whole in the arguments of another, which
// names no action itself.
func innerCall(root, args node) (node, bool) {
	if args.get("action").given() || root.get("action").given() || slices.ContainsFunc(root.names, isArgument) {
		return node{}, false
	}
	if inner := wrapped(args); inner.given() {
		return inner, true
	}
	for _, name := range argumentsNames {
		if inner := args.get(name); inner.kind == objectNode {
			if !args.get("name").given() {
				args.add("name", root.get("name"))
			}
			return args, true
		}
	}
	return node{}, false
}

// hidden gives a key that is no argument and yet seems to hold arguments, or "".
// Without them the call would be another one.
func hidden(root node) string {
	for i, name := range root.names {
		n := root.items[i]
		switch {
		case isArgument(name):
		case n.kind == objectNode && slices.ContainsFunc(n.names, says),
			n.kind == textNode && !slices.Contains(thoughtsNames, name) && strings.HasPrefix(strings.TrimSpace(n.text), "{"):
			return name
		}
	}
	return ""
}
