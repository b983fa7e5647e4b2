package chrome

import (
	"slices"
	"strings"
	"unicode/utf8"

	"fara/env"
)

// parseKeys reads key names. A string may be one key or a chord, and the strings
// together are one chord: {"ctrl","a"} is {"ctrl+a"}.
func parseKeys(names []string) ([]key, error) {
	var keys []key
	for _, name := range names {
		if k, ok := lookUp(name); ok {
			keys = append(keys, k)
			continue
		}
		more, err := parseChord(name)
		if err != nil {
			return nil, err
		}
		keys = append(keys, more...)
	}
	if len(keys) == 0 {
		return nil, env.Fail(env.BadArgument, "key needs at least one key, such as Enter or ctrl+a")
	}
	return inCase(keys), nil
}

// parseChord reads keys that are joined by signs, or else by spaces.
func parseChord(name string) ([]key, error) {
	keys, err := lookUpAll(splitChord(name))
	if err == nil {
		return keys, nil
	}
	if spaced, failed := lookUpAll(strings.Fields(name)); failed == nil && len(spaced) > 1 {
		return spaced, nil
	}
	return nil, err
}

func lookUpAll(names []string) ([]key, error) {
	var keys []key
	for _, name := range names {
		k, ok := lookUp(name)
		if !ok {
			return nil, unknownKey(name)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// plainName strips what does not tell names apart: case, spaces, dashes,
// underscores, and the brackets and prefixes that libraries write around them.
func plainName(name string) string {
	plain := strings.ToLower(strings.TrimSpace(name))
	if n := len(plain); n > 2 && (plain[0] == '<' && plain[n-1] == '>' || plain[0] == '{' && plain[n-1] == '}' || plain[0] == '[' && plain[n-1] == ']') {
		plain = plain[1 : n-1]
	}
	for _, prefix := range []string{"keys.", "key.", "vk_", "xk_", "keyboardkey.", "keyname."} {
		plain = strings.TrimPrefix(plain, prefix)
	}
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(plain)
}

// lookUp finds one key by its name or as the one character that it is.
func lookUp(name string) (key, bool) {
	r, n := utf8.DecodeRuneInString(name)
	one := n > 0 && n == len(name)
	if k, ok := characters[r]; one && ok {
		return k, true
	}
	if one && (r == '\n' || r == '\r') {
		return keyNamed("Enter"), true
	}
	if one && r == '\t' {
		return keyNamed("Tab"), true
	}
	plain := plainName(name)
	if k, ok := named[plain]; ok && !strings.HasSuffix(name, "-") {
		return k, true
	}
	if k, ok := aliases[plain]; ok && !strings.HasSuffix(name, "-") {
		return k, true
	}
	if k, ok := characters[firstRune(plain)]; ok && len(plain) == 1 && strings.TrimSpace(name) != plain && len(strings.TrimSpace(name)) > 2 {
		return k, true // "Key.a", "<a>"
	}
	return key{name: name, text: name, foreign: true}, one && r != utf8.RuneError && r >= ' '
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// splitChord cuts "ctrl+shift+t" at its signs; a last "+" is the key itself, as
// in "ctrl++".
func splitChord(name string) []string {
	sign := "+"
	if !strings.Contains(name, sign) && strings.Contains(name, "-") {
		sign = "-"
	}
	var parts []string
	for rest := name; rest != ""; {
		i := strings.Index(rest[1:], sign)
		if i < 0 {
			return append(parts, strings.TrimSpace(rest))
		}
		parts = append(parts, strings.TrimSpace(rest[:i+1]))
		rest = rest[i+2:]
	}
	return append(parts, "") // ends with a sign: a key is missing
}

// inCase fits letters to their modifiers: with Shift they are capitals, with
// Ctrl, Alt or Meta alone they are small, whatever the model wrote.
func inCase(keys []key) []key {
	held := 0
	for _, k := range keys {
		held |= k.modifier
	}
	for i, k := range keys {
		if k.modifier != 0 || k.foreign || held == 0 || k.location != 0 || len(k.text) != 1 || k.name != k.text {
			continue
		}
		if held&shiftBit == 0 {
			keys[i] = characters[firstRune(strings.ToLower(k.text))]
			continue
		}
		if with, ok := shiftOf[k.text]; ok {
			keys[i] = characters[firstRune(with)]
		}
	}
	return keys
}

// unknownKey names the keys that come closest.
func unknownKey(name string) error {
	plain := plainName(name)
	best := map[string]int{} // how far each key is, by the name pages know it by
	for _, table := range []map[string]key{named, aliases} {
		for candidate, k := range table {
			far := distance(plain, candidate)
			if far > 1+len(plain)/3 || utf8.RuneCountInString(candidate) < 2 {
				continue
			}
			shown := shownKey(k)
			if old, ok := best[shown]; !ok || far < old {
				best[shown] = far
			}
		}
	}
	var close []string
	for shown := range best {
		close = append(close, shown)
	}
	slices.SortFunc(close, func(a, b string) int {
		if best[a] != best[b] {
			return best[a] - best[b]
		}
		return strings.Compare(a, b)
	})
	hint := "use names such as Enter, Tab, Escape, ArrowDown, PageDown, ctrl+a; text is for type"
	if len(close) > 0 {
		hint = "did you mean " + strings.Join(close[:min(3, len(close))], " or ") + "?"
	}
	return env.Fail(env.UnknownKey, "there is no key %q; %s", cut(name, 40), hint)
}

// distance is how many letters have to be changed, added or left out to make
// one word the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
