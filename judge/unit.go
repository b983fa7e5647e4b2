package judge

import (
	"slices"
	"strings"
	"unicode"
)

// magnitudes are the words that multiply the number before them.
var magnitudes = map[string]float64{
	"thousand": 1e3, "tausend": 1e3, "mille": 1e3, "mil": 1e3, "tsd": 1e3,
	"million": 1e6, "millions": 1e6, "millionen": 1e6, "millones": 1e6, "mio": 1e6, "mln": 1e6, "mn": 1e6,
	"billion": 1e9, "billions": 1e9, "milliarden": 1e9, "milliarde": 1e9, "mrd": 1e9, "bn": 1e9, "mld": 1e9,
	"trillion": 1e12, "trillions": 1e12,
}

// letters are those that may stand for thousands, or for a unit.
var letters = map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9}

// units are ways to write the same unit.
var units = [][]string{
	{"€", "eur", "euro", "euros"},
	{"$", "usd", "us$", "dollar", "dollars"},
	{"£", "gbp", "pound", "pounds"},
	{"¥", "jpy", "yen", "円"},
	{"₹", "inr", "rupee", "rupees", "rs"},
	{"chf", "fr", "sfr", "franken"},
	{"zł", "pln"}, {"₽", "rub"}, {"₺", "try", "tl"}, {"元", "cny", "rmb"}, {"₩", "krw"}, {"r$", "brl"},
	{"sek"}, {"nok"}, {"dkk"}, {"czk", "kč"}, {"huf", "ft"}, {"cad"}, {"aud"}, {"nzd"},
	{"%", "percent", "pct", "prozent"},
}

// isCurrency reports whether a word before a number is its unit.
func isCurrency(word string) bool {
	word = strings.ToLower(word)
	for _, same := range units[:len(units)-1] {
		if slices.Contains(same, word) {
			return true
		}
	}
	return false
}

// sameUnit reports whether two units are one.
func sameUnit(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return a == b || slices.ContainsFunc(units, func(same []string) bool {
		return slices.Contains(same, a) && slices.Contains(same, b)
	})
}

// after reads what stands behind a number: a word that multiplies it, and a unit.
func (s *scanner) after(n *number) string {
	glued := s.word(s.at)
	if by, ok := letters[glued]; ok {
		for _, v := range slices.Clone(n.values) {
			n.values = append(n.values, v*by)
		}
	}
	unit := s.skipTo()
	by, ok := magnitudes[strings.ToLower(unit)]
	if !ok {
		return unit
	}
	for i := range n.values {
		n.values[i] *= by
	}
	if s.rune(s.at) == '.' {
		s.at++ // 3 Mio. €
	}
	return s.skipTo()
}

// skipTo reads the unit behind spaces; without one it stays where it is.
func (s *scanner) skipTo() string {
	at := s.at
	for s.rune(at) == ' ' || s.rune(at) == '\u00a0' {
		at++
	}
	unit := s.word(at)
	if unit != "" {
		s.at = at + len([]rune(unit))
	}
	return unit
}

// word reads a currency's sign, or letters and what units are written with.
func (s *scanner) word(at int) string {
	end := at
	for r := s.rune(end); unicode.IsLetter(r) || strings.ContainsRune("%‰°²³", r) && r != 0 || r == '/' && end > at && unicode.IsLetter(s.rune(end+1)); r = s.rune(end) {
		end++
	}
	if unicode.Is(unicode.Sc, s.rune(end)) && (end == at || isCurrency(string(s.text[at:end+1]))) {
		end++
	}
	return string(s.text[at:end])
}
