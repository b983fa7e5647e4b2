package parse

import (
	"regexp"
	"strings"
)

var (
	jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	// looseNumber adds what Python knows: signs, underscores between digits and a
	// point at either end. A leading zero is allowed where Python allows it.
	looseNumber = regexp.MustCompile(`^[+-]?((0(_?0)*|[1-9](_?[0-9])*)|([0-9](_?[0-9])*)?\.[0-9](_?[0-9])*|[0-9](_?[0-9])*\.|[0-9](_?[0-9])*(\.([0-9](_?[0-9])*)?)?[eE][+-]?[0-9](_?[0-9])*|\.[0-9](_?[0-9])*[eE][+-]?[0-9](_?[0-9])*)$`)
)

// number reads a number. At the end of the text it is torn, for more digits may
// have been meant.
func (r *reader) number() node {
	start := r.pos
	for r.pos < len(r.src) && (isWord(r.src[r.pos]) || strings.IndexByte("+-.", r.src[r.pos]) >= 0) {
		r.pos++
	}
	n := node{kind: numberNode}
	if !r.more() {
		return n
	}
	switch raw := r.src[start:r.pos]; {
	case jsonNumber.MatchString(raw) || raw == "-Infinity":
	case r.grammar == looseGrammar && looseNumber.MatchString(raw):
		r.repairs.add(PythonLiterals)
	default:
		r.fail("%s is no number", quote(raw))
	}
	return n
}

// words are the values that are written as a word.
var words = map[string]struct {
	node   node
	python bool
}{
	"true":     {node: node{kind: truthNode, truth: true}},
	"false":    {node: node{kind: truthNode}},
	"null":     {node: node{kind: nullNode}},
	"NaN":      {node: node{kind: numberNode}},
	"Infinity": {node: node{kind: numberNode}},
	"True":     {node: node{kind: truthNode, truth: true}, python: true},
	"False":    {node: node{kind: truthNode}, python: true},
	"None":     {node: node{kind: nullNode}, python: true},
}

// word reads a word. At the end of the text only a finished one counts.
func (r *reader) word() node {
	start := r.pos
	for r.pos < len(r.src) && isWord(r.src[r.pos]) {
		r.pos++
	}
	raw := r.src[start:r.pos]
	found, known := words[raw]
	switch {
	case known && found.python && r.grammar == jsonGrammar, !known && r.pos < len(r.src):
		r.fail("%s needs quotes", quote(raw))
	case !known:
		r.state = torn
	case found.python:
		r.repairs.add(PythonLiterals)
	}
	return found.node
}
