package secret

import (
	"bytes"
	"html"
	"regexp"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text as one of its readers would see it, with the way back: byte i of
// it came from the bytes from[i] up to to[i] of the original.
type view struct {
	text     []byte
	from, to []int
}

// plain is a text as it stands.
func plain(text []byte) view {
	v := view{text: text, from: make([]int, len(text)), to: make([]int, len(text))}
	for i := range text {
		v.from[i], v.to[i] = i, i+1
	}
	return v
}

// span is where bytes i up to j came from.
func (v view) span(i, j int) (from, to int) { return v.from[i], v.to[j-1] }

// add appends bytes that came from the bytes i up to j of another view.
func (v *view) add(of view, i, j int, text ...byte) {
	for _, c := range text {
		v.text = append(v.text, c)
		v.from = append(v.from, of.from[i])
		v.to = append(v.to, of.to[j-1])
	}
}

// replaced gives a view in which step has read what stands before it: the bytes
// that it means and how many it read, 0 when it is nothing that it reads. Nothing
// that begins with another byte than lead is shown to it.
func (v view) replaced(lead byte, step func(rest []byte) (meant []byte, n int)) (view, bool) {
	if bytes.IndexByte(v.text, lead) < 0 {
		return v, false
	}
	var out view
	changed := false
	for i := 0; i < len(v.text); {
		if v.text[i] == lead {
			if meant, n := step(v.text[i:]); n > 0 {
				out.add(v, i, i+n, meant...)
				i += n
				changed = true
				continue
			}
		}
		out.add(v, i, i+1, v.text[i])
		i++
	}
	return out, changed
}

// kept gives a view of the characters that keep accepts, folded to lower case when
// fold is set.
func (v view) kept(fold func(rune) rune) view {
	out := view{text: make([]byte, 0, len(v.text)), from: make([]int, 0, len(v.text)), to: make([]int, 0, len(v.text))}
	for i := 0; i < len(v.text); {
		r, n := utf8.DecodeRune(v.text[i:])
		switch folded := fold(r); {
		case r == utf8.RuneError && n == 1:
			out.add(v, i, i+1, v.text[i])
		case folded >= 0:
			out.add(v, i, i+n, utf8.AppendRune(nil, folded)...)
		}
		i += n
	}
	return out
}

// unseen reports whether a character shows nothing, not even a space.
func unseen(r rune) bool { return unicode.Is(unicode.Cf, r) }

// The ways of folding a text. A character that becomes -1 is left out.
func folded(r rune) rune {
	if unseen(r) {
		return -1
	}
	return unicode.ToLower(r)
}

func closed(r rune) rune { // without white space too
	if unicode.IsSpace(r) {
		return -1
	}
	return folded(r)
}

func closedCase(r rune) rune { // the same, and case counts
	if unicode.IsSpace(r) || unseen(r) {
		return -1
	}
	return r
}

// decoders are the ways in which a text may hold another.
var decoders = []func(view) (view, bool){
	view.unescaped, view.fromURL, view.fromForm, view.fromHTML,
}

// unescaped reads what programs and Markdown write with a backslash.
func (v view) unescaped() (view, bool) { return v.replaced('\\', readBackslash) }

// fromURL reads %41 and %u0041.
func (v view) fromURL() (view, bool) { return v.replaced('%', readPercent) }

// fromForm reads the same where + is a space.
func (v view) fromForm() (view, bool) {
	spaced, changed := v.replaced('+', func([]byte) ([]byte, int) { return []byte{' '}, 1 })
	if !changed {
		return v, false
	}
	out, _ := spaced.fromURL()
	return out, true
}

// fromHTML reads &amp; and &#65;.
func (v view) fromHTML() (view, bool) { return v.replaced('&', readEntity) }

var entity = regexp.MustCompile(`^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?`)

func readEntity(rest []byte) ([]byte, int) {
	found := entity.Find(rest)
	if found == nil {
		return nil, 0
	}
	meant := html.UnescapeString(string(found))
	if meant == string(found) {
		return nil, 0
	}
	return []byte(meant), len(found)
}

func readPercent(rest []byte) ([]byte, int) {
	if len(rest) >= 6 && rest[1]|0x20 == 'u' {
		if n, ok := hexNumber(rest[2:6]); ok {
			return utf8.AppendRune(nil, n), 6
		}
	}
	if len(rest) < 3 {
		return nil, 0
	}
	n, ok := hexNumber(rest[1:3])
	if !ok {
		return nil, 0
	}
	return []byte{byte(n)}, 3
}

// short are the escapes of one letter.
var short = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f', 'v': '\v', 'a': '\a'}

func readBackslash(rest []byte) ([]byte, int) {
	if len(rest) < 2 {
		return nil, 0
	}
	switch c := rest[1]; c {
	case 'x':
		return readHex(rest, 2)
	case 'u':
		return readUnicode(rest)
	case 'U':
		return readHex(rest, 8)
	default:
		if meant, ok := short[c]; ok {
			return []byte{meant}, 2
		}
		if c < utf8.RuneSelf {
			return []byte{c}, 2
		}
	}
	return nil, 0
}

// readHex reads a backslash, a letter and so many digits.
func readHex(rest []byte, digits int) ([]byte, int) {
	if len(rest) < 2+digits {
		return nil, 0
	}
	n, ok := hexNumber(rest[2 : 2+digits])
	switch {
	case !ok:
		return nil, 0
	case digits == 2:
		return []byte{byte(n)}, 4 // a byte of UTF-8, or of a Latin page
	}
	return utf8.AppendRune(nil, n), 2 + digits
}

// readUnicode reads \u0041, \u{41}, and two of the former that are one character.
func readUnicode(rest []byte) ([]byte, int) {
	if end := bytes.IndexByte(rest, '}'); len(rest) > 3 && rest[2] == '{' && end > 3 && end < 10 {
		if n, ok := hexNumber(rest[3:end]); ok {
			return utf8.AppendRune(nil, n), end + 1
		}
	}
	meant, n := readHex(rest, 4)
	if n == 0 {
		return nil, 0
	}
	first, _ := hexNumber(rest[2:6])
	if utf16.IsSurrogate(first) && len(rest) >= 12 && rest[6] == '\\' && rest[7] == 'u' {
		second, ok := hexNumber(rest[8:12])
		if whole := utf16.DecodeRune(first, second); ok && whole != utf8.RuneError {
			return utf8.AppendRune(nil, whole), 12
		}
	}
	return meant, n
}

func hexNumber(digits []byte) (rune, bool) {
	n, err := strconv.ParseUint(string(digits), 16, 31)
	return rune(n), err == nil
}
