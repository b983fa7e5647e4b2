package dialect

import (
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// located is what is wrong with a field as a fault at its line. A field that the
// file does not have is said to be missing, at the line of the object that should
// have it.
func located(root ast.Node, w wrong) *Fault {
	at, line := root, 1
	for _, part := range strings.FieldsFunc(strings.TrimPrefix(w.path, "$"), func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		below, key := below(at, part)
		if below == nil {
			return &Fault{Line: line, Text: part + " is missing here: " + w.text}
		}
		at, line = below, lineOf(key)
	}
	if _, block := at.(*ast.LiteralNode); block && w.line > 0 {
		line = lineOf(at) + w.line // the text begins below the mark that opens it
	}
	return &Fault{Line: line, Text: w.text}
}

// below gives the member or the item of that name or number, and what stands at
// its line; nil when there is none.
func below(n ast.Node, part string) (value, key ast.Node) {
	if list, ok := n.(*ast.SequenceNode); ok {
		i, err := strconv.Atoi(part)
		if err != nil || i >= len(list.Values) {
			return nil, nil
		}
		return list.Values[i], list.Values[i]
	}
	m, ok := n.(ast.MapNode)
	if !ok {
		return nil, nil
	}
	for member := m.MapRange(); member.Next(); {
		if keyOf(member.Key()) == part {
			return member.Value(), member.Key()
		}
	}
	return nil, nil
}
