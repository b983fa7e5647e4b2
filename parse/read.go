package parse

import (
	"fmt"
	"strings"
)

// depthLimit bounds how deep brackets may be nested. A call needs three.
const depthLimit = 32

// grammar is a notation for values.
type grammar int

const (
	// jsonGrammar is JSON, in which control characters may stand unescaped in
	// text and NaN and Infinity are numbers.
	jsonGrammar grammar = iota
	// looseGrammar is JSON and Python's literals together: where both read a
	// text differently, it is refused.
	looseGrammar
)

// state is how the reading of a value ended.
type state int

const (
	// whole: everything is there.
	whole state = iota
	// ended: the closing tag stands where only a comma or a bracket may, so
	// brackets are missing.
	ended
	// cut: the text ends where only a comma or a bracket may.
	cut
	// torn: the text ends within a value, or where one was to follow.
	torn
	// broken: it is not a value in this grammar.
	broken
)

// reading is a value with how its reading ended.
type reading struct {
	root    node
	state   state
	end     int // where reading stopped
	problem string
	repairs repairs
}

// readValue reads the value that begins at src[at]: as JSON or, when it is none,
// in the loose grammar.
func readValue(src string, at int) reading {
	strict := readAs(jsonGrammar, src, at)
	if strict.state != broken {
		return strict
	}
	loose := readAs(looseGrammar, src, at)
	if loose.state == broken && loose.end < strict.end {
		return strict
	}
	return loose
}

func readAs(g grammar, src string, at int) reading {
	r := reader{src: src, pos: at, grammar: g}
	root := r.value()
	return reading{root: root, state: r.state, end: r.pos, problem: r.problem, repairs: r.repairs}
}

// reader reads one value. Once its state is not whole it reads no further, and
// what it has so far is handed up unclosed.
type reader struct {
	src     string
	pos     int
	grammar grammar
	depth   int
	state   state
	problem string
	repairs repairs
}

func (r *reader) fail(format string, args ...any) {
	r.state, r.problem = broken, fmt.Sprintf(format, args...)
}

// here quotes the next n characters.
func (r *reader) here(n int) string {
	next := []rune(strings.ToValidUTF8(r.src[r.pos:min(len(r.src), r.pos+4*n)], "?"))
	return quote(string(next[:min(n, len(next))]))
}

// more reports whether there is text left; if not, the value is torn.
func (r *reader) more() bool {
	if r.pos < len(r.src) {
		return true
	}
	r.state = torn
	return false
}

func (r *reader) space() {
	r.pos = skipSpace(r.src, r.pos)
}

// value reads what begins at the position, which is no space.
func (r *reader) value() node {
	if !r.more() {
		return node{}
	}
	start := r.pos
	var n node
	switch c := r.src[r.pos]; {
	case c == '{':
		n = r.brackets('}', (*reader).member)
		n.kind = objectNode
	case c == '[':
		n = r.brackets(']', (*reader).element)
		n.kind = listNode
	case c == '(' && r.grammar == looseGrammar:
		n = r.tuple()
	case c == '"' || c == '\'' && r.grammar == looseGrammar:
		n = node{kind: textNode, text: r.quoted()}
	case isDigit(c) || strings.IndexByte("+-.", c) >= 0:
		n = r.number()
	case isWord(c):
		n = r.word()
	default:
		r.fail("%s is no value", r.here(1))
	}
	if n.raw == "" {
		n.raw = r.src[start:r.pos]
	}
	return n
}

// brackets reads the inside of an object or a list up to its closing bracket.
func (r *reader) brackets(closer byte, inside func(*reader, *node)) node {
	var n node
	if r.depth++; r.depth > depthLimit {
		r.fail("brackets are nested too deep")
		return n
	}
	defer func() { r.depth-- }()
	r.pos++
	for first := true; ; first = false {
		r.space()
		if !r.more() {
			return n
		}
		if r.src[r.pos] == closer {
			r.trailing(first)
			r.pos++
			n.closed = r.state == whole
			return n
		}
		inside(r, &n)
		if r.state != whole || !r.separator(closer) {
			n.closed = r.state == whole
			return n
		}
	}
}

// trailing judges a closing bracket where a value was to follow.
func (r *reader) trailing(first bool) {
	switch {
	case first:
	case r.grammar == jsonGrammar:
		r.fail("a comma stands before a closing bracket")
	default:
		r.repairs.add(TrailingComma)
	}
}

// separator reads the comma or the closing bracket behind a value and reports
// whether another may follow.
func (r *reader) separator(closer byte) bool {
	r.space()
	if r.pos == len(r.src) {
		r.state = cut
		return false
	}
	switch r.src[r.pos] {
	case ',':
		r.pos++
		return true
	case closer:
		r.pos++
		return false
	case '<':
		found, _, partial := tagAt(r.src, r.pos)
		if found == callClose {
			r.state = ended
			return false
		}
		if partial {
			r.state = cut
			return false
		}
	}
	r.fail("%s stands where a comma or a closing bracket belongs", r.here(12))
	return false
}

// member reads one key and its value.
func (r *reader) member(n *node) {
	name := r.key()
	if r.state != whole {
		return
	}
	n.names = append(n.names, name)
	n.items = append(n.items, node{})
	r.space()
	if !r.more() {
		return
	}
	if r.src[r.pos] != ':' {
		r.fail("a colon is missing behind %s", quote(name))
		return
	}
	r.pos++
	r.space()
	n.items[len(n.items)-1] = r.value()
}

func (r *reader) element(n *node) {
	n.items = append(n.items, r.value())
}

// key reads the name of a member.
func (r *reader) key() string {
	c := r.src[r.pos]
	if c == '"' || c == '\'' && r.grammar == looseGrammar {
		return r.quoted()
	}
	if r.grammar == looseGrammar && isWord(c) && !isDigit(c) {
		start := r.pos
		for r.pos < len(r.src) && isWord(r.src[r.pos]) {
			r.pos++
		}
		r.repairs.add(UnquotedKeys)
		return r.src[start:r.pos]
	}
	r.fail("%s stands where a name in quotes belongs", r.here(1))
	return ""
}

// tuple reads Python's parentheses: a list, or, around one value without a comma,
// that value.
func (r *reader) tuple() node {
	start := r.pos
	n := r.brackets(')', (*reader).element)
	n.kind = listNode
	if r.state == cut {
		r.state = torn
	}
	if r.state != whole || len(n.items) != 1 || lastComma(r.src[start:r.pos]) {
		r.repairs.add(PythonLiterals)
		return n
	}
	return n.items[0]
}

// lastComma reports whether a comma stands before the closing bracket.
func lastComma(src string) bool {
	return strings.HasSuffix(strings.TrimRight(src[:len(src)-1], " \n\t\r"), ",")
}
