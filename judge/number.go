package judge

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// number is a number in a text.
type number struct {
	// values are what it may mean: two where "1.234" or "1,234" leave open whether
	// the mark groups or divides, or "12k" whether the letter stands for thousands.
	values []float64
	// unit is what stands with it, such as "%", "€" or "km"; empty is nothing.
	unit string
}

// numbersIn finds the numbers of a text as people write them: 1,234.50 and 1.234,50
// and 1 234,50 and 1'234.50, −5, 12 %, 3.5 million, ١٢٣. What is part of a word, a
// version or a date with dots is none.
func numbersIn(text string) []number {
	s := &scanner{text: []rune(plainDigits.Replace(text))}
	for s.at < len(s.text) {
		if !isDigit(s.text[s.at]) {
			s.at++
			continue
		}
		s.number()
	}
	return s.found
}

// plainDigits writes digits and marks of other scripts as those of ours.
var plainDigits = strings.NewReplacer(digitPairs()...)

func digitPairs() []string {
	pairs := []string{"٫", ".", "٬", ",", "．", ".", "，", ",", "−", "-", "－", "-", "％", "%", "٪", "%", "’", "'", "\u2009", "\u00a0", "\u202f", "\u00a0"}
	for _, zero := range []rune{'٠', '۰', '०', '০', '๐', '０'} {
		for i := range 10 {
			pairs = append(pairs, string(zero+rune(i)), strconv.Itoa(i))
		}
	}
	return pairs
}

type scanner struct {
	text  []rune
	at    int
	found []number
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// digits reads the run of digits at a position.
func (s *scanner) digits(at int) string {
	end := min(at, len(s.text))
	for end < len(s.text) && isDigit(s.text[end]) {
		end++
	}
	return string(s.text[min(at, end):end])
}

func (s *scanner) rune(at int) rune {
	if at < 0 || at >= len(s.text) {
		return 0
	}
	return s.text[at]
}

// number reads the number at the first digit it stands before.
func (s *scanner) number() {
	start := s.at
	groups, marks := []string{s.digits(s.at)}, []rune{}
	s.at += len(groups[0])
	for {
		mark := s.rune(s.at)
		next := s.digits(s.at + 1)
		if next == "" || !strings.ContainsRune(".,'_ \u00a0", mark) || !strings.ContainsRune(".,", mark) && !s.grouping(groups, marks, next) {
			break
		}
		groups, marks = append(groups, next), append(marks, mark)
		s.at += 1 + len(next)
	}
	if s.rune(start-1) == '.' && len(marks) == 0 && !unicode.IsLetter(s.rune(start-2)) && !unicode.IsDigit(s.rune(start-2)) {
		groups, marks, start = []string{"0", groups[0]}, []rune{'.'}, start-1 // .5
	}
	values := s.power(readings(groups, marks))
	before, sign, inWord := s.before(start)
	if len(values) == 0 || inWord {
		s.skipWord()
		return
	}
	for i := range values {
		values[i] *= sign
	}
	n := number{values: values}
	n.unit = s.after(&n)
	if before != "" {
		n.unit = before
	}
	s.found = append(s.found, n)
}

// grouping reports whether a space, an apostrophe or an underscore before the
// digits next goes on with a number: as thousands do.
func (s *scanner) grouping(groups []string, marks []rune, next string) bool {
	return len(next) == 3 && len(groups[0]) <= 3 && !slices.ContainsFunc(marks, func(r rune) bool { return r == '.' || r == ',' })
}

// readings are what groups of digits with marks between them may mean; none when
// they are no number, as in 1.2.3.
func readings(groups []string, marks []rune) []float64 {
	whole := strings.Join(groups, "")
	if len(marks) == 0 {
		return parsed(whole)
	}
	last := marks[len(marks)-1]
	earlier := marks[:len(marks)-1]
	divides := (last == '.' || last == ',') && !slices.Contains(earlier, last)
	decimal := strings.Join(groups[:len(groups)-1], "") + "." + groups[len(groups)-1]
	switch {
	case divides && len(earlier) == 0:
		if inThousands(groups, last) && groups[0] != "0" {
			return append(parsed(whole), parsed(decimal)...)
		}
		return parsed(decimal)
	case divides:
		if same(earlier) && inThousands(groups[:len(groups)-1], earlier[0]) {
			return parsed(decimal)
		}
	case same(marks) && inThousands(groups, last):
		return parsed(whole)
	}
	return nil
}

func same(marks []rune) bool {
	return !slices.ContainsFunc(marks, func(r rune) bool { return r != marks[0] })
}

// inThousands reports whether groups are 1–3 digits and then threes, or twos and a
// three with commas, as India writes.
func inThousands(groups []string, mark rune) bool {
	if len(groups[0]) > 3 || len(groups[len(groups)-1]) != 3 && len(groups) > 1 {
		return false
	}
	if len(groups) < 3 {
		return true
	}
	inner := groups[1 : len(groups)-1]
	all := func(n int) bool {
		return !slices.ContainsFunc(inner, func(g string) bool { return len(g) != n })
	}
	return all(3) || mark == ',' && len(groups[0]) <= 2 && all(2)
}

func parsed(text string) []float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) {
		return nil
	}
	return []float64{v}
}

// power reads an exponent, as in 1.5e6.
func (s *scanner) power(values []float64) []float64 {
	at := s.at
	if r := s.rune(at); r != 'e' && r != 'E' {
		return values
	}
	at++
	sign := ""
	if r := s.rune(at); r == '-' || r == '+' {
		sign, at = string(r), at+1
	}
	digits := s.digits(at)
	if digits == "" || len(digits) > 3 || unicode.IsLetter(s.rune(at+len(digits))) {
		return values
	}
	s.at = at + len(digits)
	exponent, _ := strconv.Atoi(sign + digits)
	var out []float64
	for _, v := range values {
		if v *= math.Pow(10, float64(exponent)); !math.IsInf(v, 0) {
			out = append(out, v)
		}
	}
	return out
}

// before looks at what stands before a number: a currency, a minus, or a word that
// the digits belong to.
func (s *scanner) before(start int) (unit string, sign float64, inWord bool) {
	sign = 1
	at := start - 1
	minus := func() {
		if s.rune(at) == '-' && !unicode.IsDigit(s.rune(at-1)) && !unicode.IsLetter(s.rune(at-1)) {
			sign, at = -1, at-1
		}
	}
	minus()
	spaces := at
	for spaces >= 0 && (s.text[spaces] == ' ' || s.text[spaces] == '\u00a0') {
		spaces--
	}
	word := spaces
	if unicode.Is(unicode.Sc, s.rune(word)) {
		unit, at, word = string(s.text[word]), word-1, word-1
		minus()
	}
	for word >= 0 && unicode.IsLetter(s.text[word]) {
		word--
	}
	if code := string(s.text[word+1 : max(word, spaces)+1]); isCurrency(code) {
		return code, sign, false // EUR 12, R$ 12
	}
	if unit != "" {
		return unit, sign, false
	}
	glued := s.rune(at)
	return "", sign, sign > 0 && (unicode.IsLetter(glued) || glued == '_')
}

// skipWord goes behind the word that the digits belong to.
func (s *scanner) skipWord() {
	for s.at < len(s.text) && (unicode.IsLetter(s.text[s.at]) || unicode.IsDigit(s.text[s.at]) || s.text[s.at] == '_') {
		s.at++
	}
}
