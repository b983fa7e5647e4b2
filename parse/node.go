package parse

import (
	"slices"
	"strconv"
	"strings"
)

// nodeKind says what a node is.
type nodeKind int

const (
	noNode nodeKind = iota
	objectNode
	listNode
	textNode
	numberNode
	truthNode
	nullNode
)

// node is a value as it was read. The zero node is a value that is not there.
type node struct {
	kind nodeKind
	// raw is the value's own source; for an unclosed one, as far as it goes.
	raw string
	// text is what a text says.
	text string
	// truth is what a truth value says.
	truth bool
	// names are an object's keys, items its values or a list's.
	names []string
	items []node
	// closed says that the closing bracket of an object or a list was read.
	closed bool
}

// given reports whether there is a value other than null.
func (n node) given() bool { return n.kind != noNode && n.kind != nullNode }

// complete reports whether no closing bracket of the value itself is missing.
func (n node) complete() bool {
	return n.closed || n.kind != objectNode && n.kind != listNode
}

// add gives an object one more key.
func (n *node) add(name string, value node) {
	n.names, n.items = append(n.names, name), append(n.items, value)
}

// get gives the value of a key, the zero node if there is none.
func (n node) get(name string) node {
	if i := slices.Index(n.names, name); i >= 0 {
		return n.items[i]
	}
	return node{}
}

// float gives a number's value. It is not finite when the source says so or the
// number is too large.
func (n node) float() float64 {
	v, _ := strconv.ParseFloat(strings.ReplaceAll(n.raw, "_", ""), 64)
	return v
}

// conflict gives a key that the object holds twice with different values, or "".
func (n node) conflict() string {
	first := make(map[string]int, len(n.names))
	for i, name := range n.names {
		j, twice := first[name]
		if twice && !same(n.items[i], n.items[j]) {
			return name
		}
		first[name] = i
	}
	return ""
}

// same reports whether two values mean the same and have their keys in the same
// order.
func same(a, b node) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case textNode:
		return a.text == b.text
	case truthNode:
		return a.truth == b.truth
	case numberNode:
		return a.raw == b.raw || a.float() == b.float()
	}
	return slices.Equal(a.names, b.names) && slices.EqualFunc(a.items, b.items, same)
}
