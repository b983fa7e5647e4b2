package parse

import (
	"regexp"
	"strings"
)

// textCall is a call in the Text form: name(argument='value', …).
type textCall struct {
	name string
	// args holds the arguments under the names they came with; those without one
	// are called "".
	args node
	end  int
	// free says that it holds a text whose end a quote and a bracket behind it
	// could move.
	free    bool
	state   state // whole, cut behind an argument, torn or broken
	problem string
	repairs repairs
}

var (
	callHead     = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*) ?(?:\(|（)`)
	argumentHead = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)\s*(?:=|＝)\s*`)
	// markup is a point or a box between the marks that models put around one.
	markup = regexp.MustCompile(`^(?:<\|box_start\|>[^<>"']{1,80}<\|box_end\|>|<point>[^<>"']{1,80}</point>|<bbox>[^<>"']{1,80}</bbox>|（[^<>"'（）]{1,80}）)`)
)

// headLimit bounds the names that the patterns are tried on.
const headLimit = 128

func head(text string, at int) string { return text[at:min(len(text), at+headLimit)] }

// knownCall reports whether a call of an action that exists begins at text[at].
func knownCall(text string, at int) bool {
	m := callHead.FindStringSubmatch(head(text, at))
	if m == nil {
		return false
	}
	_, ok := textKind(m[1])
	return ok
}

// nextTextCall gives the position of the call that follows one that ends at pos, or
// -1.
func nextTextCall(text string, pos int) int {
	for pos < len(text) && (isSpace(text[pos]) || text[pos] == ';' || text[pos] == ',') {
		pos++
	}
	if knownCall(text, pos) {
		return pos
	}
	return -1
}

// readTextCall reads the call that begins at src[at]; it is false when none does.
func readTextCall(src string, at int) (textCall, bool) {
	m := callHead.FindStringSubmatch(head(src, at))
	if m == nil {
		return textCall{}, false
	}
	r := speaker{src: src, pos: at + len(m[0]), textCall: textCall{name: m[1], args: node{kind: objectNode}}}
	r.wide(m[0], "（")
	r.arguments()
	r.end = r.pos
	r.args.raw = src[at:r.pos]
	switch {
	case r.state != whole:
	case r.free && r.quoteFollows():
		r.fail("quotes and brackets behind it make its text end in two places; write a quote within a text as \\'")
	case r.argumentFollows():
		r.fail("another argument follows behind its closing bracket")
	}
	return r.textCall, true
}

// argumentFollows reports whether the bracket closed too early: a name and an
// equals sign follow on the line.
func (r *speaker) argumentFollows() bool {
	rest, _, _ := strings.Cut(head(r.src, r.pos), "\n")
	return argumentHead.MatchString(strings.TrimLeft(rest, " \t,"))
}

// speaker reads one call in the Text form.
type speaker struct {
	textCall
	src   string
	pos   int
	quote byte // of the last free text
}

func (r *speaker) fail(problem string) { r.state, r.problem = broken, problem }

// wide notes Chinese punctuation.
func (r *speaker) wide(in, mark string) {
	if strings.Contains(in, mark) {
		r.repairs.add(FullWidth)
	}
}

// took reports whether one of two marks stands at the position, and passes it.
func (r *speaker) took(narrow, wide string) bool {
	rest := r.src[r.pos:]
	if strings.HasPrefix(rest, wide) {
		r.repairs.add(FullWidth)
		r.pos += len(wide)
		return true
	}
	if strings.HasPrefix(rest, narrow) {
		r.pos += len(narrow)
		return true
	}
	return false
}

// arguments reads up to the closing bracket.
func (r *speaker) arguments() {
	for {
		r.pos = skipSpace(r.src, r.pos)
		if r.pos == len(r.src) {
			r.state = torn
			return
		}
		if len(r.args.names) == 0 && r.took(")", "）") {
			return
		}
		if r.argument(); r.state != whole {
			return
		}
		r.pos = skipSpace(r.src, r.pos)
		switch {
		case r.pos == len(r.src):
			r.state = cut
			return
		case r.took(")", "）"):
			return
		case !r.took(",", "，"):
			r.fail("something other than a comma or the closing bracket follows an argument")
			return
		}
	}
}

// argument reads one argument, named or not.
func (r *speaker) argument() {
	name := ""
	if m := argumentHead.FindStringSubmatch(head(r.src, r.pos)); m != nil {
		name = m[1]
		r.wide(m[0], "＝")
		r.pos += len(m[0])
	}
	n := r.value(name)
	r.args.add(name, n)
}

// value reads the value that begins at the position.
func (r *speaker) value(name string) node {
	if r.pos == len(r.src) {
		r.state = torn
		return node{}
	}
	c := r.src[r.pos]
	if c == '\'' || c == '"' {
		if isFree(name) {
			r.free, r.quote = true, c
			return r.freeText(name)
		}
		return r.literal()
	}
	if m := markup.FindString(head(r.src, r.pos)); m != "" {
		r.wide(m, "（")
		r.pos += len(m)
		return node{kind: textNode, raw: m, text: m}
	}
	return r.literal()
}

// literal reads a value as Python does.
func (r *speaker) literal() node {
	read := readAs(looseGrammar, r.src, r.pos)
	r.pos = read.end
	switch read.state {
	case whole:
		r.repairs.add(read.repairs...)
	case torn, cut:
		r.state = torn
	default:
		r.fail(read.problem)
	}
	return read.root
}

// freeText reads a text as Python does, or, where quotes stand in it that should
// have been escaped, up to the quote that ends the call.
func (r *speaker) freeText(name string) node {
	start := r.pos
	n := r.literal()
	if r.state != whole || r.endsValue() || name == "" {
		return n
	}
	r.pos = start
	return r.innerQuotes()
}

// endsValue reports whether the position is behind a value: a bracket, another
// argument or the end of the text follows.
func (r *speaker) endsValue() bool {
	at := skipSpace(r.src, r.pos)
	rest := r.src[at:]
	if rest == "" || strings.HasPrefix(rest, ")") || strings.HasPrefix(rest, "）") {
		return true
	}
	for _, comma := range []string{",", "，"} {
		if strings.HasPrefix(rest, comma) {
			after := skipSpace(r.src, at+len(comma))
			return after == len(r.src) || argumentHead.MatchString(head(r.src, after))
		}
	}
	return false
}
