package policy

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// plain are letters that are not made of a letter and a mark, and ways to write
// them without.
var plain = map[rune]string{
	'ß': "ss", 'ı': "i", 'ł': "l", 'ø': "o", 'đ': "d", 'æ': "ae", 'œ': "oe", 'þ': "th", 'ð': "d",
	'ـ': "", // the stroke that only lengthens Arabic words
	'_': " ",
}

// fold writes a text so that spellings of the same words are the same: without
// case, accents, invisible characters, and the many forms in which Unicode has
// each letter.
func fold(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(text) {
		if unicode.In(r, unicode.Mn, unicode.Cf) || r == '\u115f' || r == '\u1160' || r == '\u3164' {
			continue // marks, and what cannot be seen
		}
		r = unicode.ToLower(r)
		if as, ok := plain[r]; ok {
			b.WriteString(as)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// twins are letters that look like Latin ones, in lower case.
var twins = pairs("аaвbсcԁdеeёeгrһhнhіiїiјjкkӏlмmոnпnоoрpԛqѕsтtуyѵvԝwхx" +
	"αaβbεeγyηnιiκkμuνvοoρpτtυuχxωw" + "օoսuհhցgզq" + "ɑaʙbᴄcᴅdᴇeꜰfɡgɢgʜhɩiɪiᴊjᴋkᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz" + "ӏlʟlӀl" +
	"0o3e4a5s7t@a$s" + "li1i|i!i") // l, I, 1 and | are one

func pairs(text string) map[rune]rune {
	runes, out := []rune(text), map[rune]rune{}
	for i := 0; i+1 < len(runes); i += 2 {
		out[runes[i]] = runes[i+1]
	}
	return out
}

// skeleton writes a folded text with the Latin letters that its
// letters look like. Digits and signs count as letters inside of words only.
func skeleton(folded string) string {
	runes := []rune(folded)
	letter := func(i int) bool { return i >= 0 && i < len(runes) && unicode.IsLetter(runes[i]) }
	for i, r := range runes {
		twin, ok := twins[r]
		if next, again := twins[twin]; ok && again {
			twin = next
		}
		if ok && (unicode.IsLetter(r) || letter(i+1) || letter(i-1) && r != '!') {
			runes[i] = twin
		}
	}
	return string(runes)
}

// tokens splits a folded text into words, and signs of which each is one. Single
// letters that stand apart are put together: "d e l e t e" is a word.
func tokens(folded string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, string(word))
			word = word[:0]
		}
	}
	for _, r := range folded {
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Mc, r):
			word = append(word, r)
		case unicode.IsSymbol(r):
			end()
			out = append(out, string(r))
		default:
			end()
		}
	}
	end()
	return spelled(out)
}

// spelled joins runs of three or more single letters.
func spelled(words []string) []string {
	var out []string
	for i := 0; i < len(words); {
		n := 0
		for i+n < len(words) && isLetter(words[i+n]) {
			n++
		}
		if n >= 3 {
			out = append(out, strings.Join(words[i:i+n], ""))
			i += n
			continue
		}
		out = append(out, words[i])
		i++
	}
	return out
}

func isLetter(word string) bool {
	runes := []rune(word)
	return len(runes) == 1 && unicode.IsLetter(runes[0]) && !unified(runes[0])
}

// unified reports whether a letter belongs to a script that writes no spaces
// between words, or puts endings to them.
func unified(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
