package main

import (
	"strings"
	"unicode"
)

// plain takes everything out of a text that a terminal would obey: models and
// pages choose the words, not the colours, the title or the cursor. Line breaks
// and tabs stay.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}

// cut makes a text one plain line of at most limit characters.
func cut(s string, limit int) string {
	s = strings.Join(strings.Fields(plain(s)), " ")
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + " ..."
	}
	return s
}
