package parse

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// quoted reads a text in quotes, exactly.
func (r *reader) quoted() string {
	q := quotation{reader: r, quote: r.src[r.pos]}
	r.pos++
	var b strings.Builder
	for from := r.pos; ; from = r.pos {
		r.pos = q.plainEnd(from)
		if !r.more() {
			return ""
		}
		b.WriteString(r.src[from:r.pos])
		r.pos++
		if r.src[r.pos-1] == q.quote {
			break
		}
		if q.escape(&b); r.state != whole {
			return ""
		}
	}
	return q.finish(b.String())
}

// quotation is one text in quotes while it is being read.
type quotation struct {
	*reader
	quote   byte
	control bool // a control character stood unescaped
	known   bool // an escape stood for another character
	kept    bool // a backslash before a letter that makes no escape
	python  bool // an escape that JSON does not have
}

// plainEnd gives the position of the next quote or backslash, or the text's end.
func (q *quotation) plainEnd(pos int) int {
	for ; pos < len(q.src); pos++ {
		c := q.src[pos]
		if c == q.quote || c == '\\' {
			return pos
		}
		q.control = q.control || c < ' '
	}
	return pos
}

// finish judges the text as a whole.
func (q *quotation) finish(s string) string {
	if !utf8.ValidString(s) {
		q.fail("a text is not valid UTF-8")
	}
	if q.kept && q.known {
		// "C:\new\dir" is a path to one reader and a line break to the other.
		q.fail("a text mixes backslashes that stand for themselves with escapes; write every backslash of it as \\\\")
	}
	if q.control {
		q.repairs.add(RawControl)
	}
	if q.quote == '\'' {
		q.repairs.add(SingleQuotes)
	}
	if q.python || q.kept {
		q.repairs.add(PythonEscapes)
	}
	return s
}

// escape reads what follows a backslash.
func (q *quotation) escape(b *strings.Builder) {
	if !q.more() {
		return
	}
	c := q.src[q.pos]
	q.pos++
	switch {
	case c == '\\' || c == '"':
		b.WriteByte(c)
	case strings.IndexByte("bfnrt", c) >= 0:
		q.known = true
		b.WriteByte("\b\f\n\r\t"[strings.IndexByte("bfnrt", c)])
	case c == 'u':
		q.known = true
		q.unicode(b)
	case c == '/' && q.grammar == jsonGrammar:
		b.WriteByte(c)
	case q.grammar == jsonGrammar:
		q.fail("\\%c is no escape of JSON; write a backslash as \\\\", c)
	default:
		q.pythonEscape(c, b)
	}
}

// pythonEscape reads the escapes that only Python knows. A backslash before any
// other character stands for itself there.
func (q *quotation) pythonEscape(c byte, b *strings.Builder) {
	switch {
	case c == '\'':
		q.python = true
		b.WriteByte(c)
	case c == 'a' || c == 'v':
		q.known, q.python = true, true
		b.WriteByte(map[byte]byte{'a': 7, 'v': 11}[c])
	case c == 'x' || c == 'U':
		q.known, q.python = true, true
		if code, ok := q.hex(map[byte]int{'x': 2, 'U': 8}[c]); ok {
			q.char(code, b)
		}
	case c >= '0' && c <= '7':
		q.known, q.python = true, true
		q.octal(b)
	case c == 'N' || c == '\n' || c == '\r' || c == '/' && q.quote == '"':
		q.fail("\\%s can be read in two ways; write a backslash as \\\\", strings.Trim(quote(string(rune(c))), `"`))
	default:
		q.kept = true
		b.WriteByte('\\')
		q.pos--
	}
}

// unicode reads the digits of \u, and of the second \u of a pair.
func (q *quotation) unicode(b *strings.Builder) {
	code, ok := q.hex(4)
	if !ok {
		return
	}
	if !utf16.IsSurrogate(code) {
		q.char(code, b)
		return
	}
	if len(q.src)-q.pos < 2 {
		q.state = torn
		return
	}
	if q.src[q.pos:q.pos+2] != `\u` {
		q.fail("a text holds half a character")
		return
	}
	q.pos += 2
	low, ok := q.hex(4)
	if !ok {
		return
	}
	pair := utf16.DecodeRune(code, low)
	if pair == utf8.RuneError {
		q.fail("a text holds half a character")
		return
	}
	q.char(pair, b)
}

func (q *quotation) char(code rune, b *strings.Builder) {
	if !utf8.ValidRune(code) {
		q.fail("a text holds an escape that is no character")
		return
	}
	b.WriteRune(code)
}

// hex reads n hexadecimal digits.
func (q *quotation) hex(n int) (rune, bool) {
	if len(q.src)-q.pos < n {
		q.state = torn
		return 0, false
	}
	code, err := strconv.ParseUint(q.src[q.pos:q.pos+n], 16, 32)
	if err != nil || code > utf8.MaxRune {
		q.fail("a text holds a broken escape")
		return 0, false
	}
	q.pos += n
	return rune(code), true
}

// octal reads up to three octal digits, the first of which is already behind.
func (q *quotation) octal(b *strings.Builder) {
	var code rune
	q.pos--
	for n := 0; n < 3 && q.pos < len(q.src) && q.src[q.pos] >= '0' && q.src[q.pos] <= '7'; n++ {
		code = code*8 + rune(q.src[q.pos]-'0')
		q.pos++
	}
	q.char(code, b)
}
