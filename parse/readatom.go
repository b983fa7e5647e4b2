package parse

import (
	"regexp"
	"strings"
)

// digits are Python's: single underscores may stand between them.
const digits = `[0-9](_?[0-9])*`

var (
	jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	// looseNumber adds what Python knows: signs, underscores, a point at either
	// end and, where Python allows them, leading zeros.
	looseNumber = regexp.MustCompile(`^[+-]?(` + strings.Join([]string{
		`0(_?0)*|[1-9](_?[0-9])*`,                             // 1_000
		digits + `\.(` + digits + `)?`,                        // 5. and 5.25
		`\.` + digits,                                         // .5
		digits + `[eE][+-]?` + digits,                         // 5e3
		digits + `\.[eE][+-]?` + digits,                       // 5.e3
		`(` + digits + `)?\.` + digits + `[eE][+-]?` + digits, // 5.25e3 and .5e3
	}, "|") + `)$`)
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
