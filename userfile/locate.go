package userfile

import (
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Fault is what the caller finds wrong with a field, such as "$.rules[1].do", as
// a fault at its line. A field that the file does not have is said to be missing,
// at the line of the object that should have it.
func (f *File) Fault(path, text string) *Fault {
	_, line, fault := f.find(path, text)
	if fault != nil {
		return fault
	}
	return &Fault{File: f.name, Line: line, Text: text}
}

// FaultInside is like Fault for a line, counted from 1, of a text of several
// lines. It gives the field's own line when the text is not written as a block.
func (f *File) FaultInside(path string, line int, text string) *Fault {
	at, own, fault := f.find(path, text)
	if fault != nil {
		return fault
	}
	if _, block := at.(*ast.LiteralNode); block && line > 0 {
		own = lineOf(at) + line // the text begins below the mark that opens it
	}
	return &Fault{File: f.name, Line: own, Text: text}
}

// find gives the value of a field and its line, or a fault when it is not there.
func (f *File) find(path, text string) (ast.Node, int, *Fault) {
	at, line := f.root, 1
	for _, part := range strings.FieldsFunc(strings.TrimPrefix(path, "$"), func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		below, key := below(at, part)
		if below == nil {
			return nil, 0, &Fault{File: f.name, Line: line, Text: part + " is missing here: " + text}
		}
		at, line = below, lineOf(key)
	}
	return at, line, nil
}

// below gives the member or the item of that name or number, and what stands at
// its line; nil when there is none.
func below(n ast.Node, part string) (value, key ast.Node) {
	if tag, ok := n.(*ast.TagNode); ok {
		n = tag.Value
	}
	if _, ok := textOf(n); ok && part == "0" {
		return n, n // Texts written as one
	}
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
