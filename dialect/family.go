package dialect

import (
	"regexp"
	"slices"
	"strings"
)

// ForModel gives the dialect whose family a model's name belongs to. A name with
// parts of two families belongs to the one that was made from the other. It is
// false when no family is recognised, or more than one, and then nothing should
// be guessed.
func ForModel(model string) (Dialect, bool) {
	var found []Dialect
	for _, name := range Names() {
		if d, err := load(name); err == nil && d.speaks(model) {
			found = append(found, d)
		}
	}
	if made := slices.DeleteFunc(slices.Clone(found), func(d Dialect) bool { return d.MadeFrom == "" }); len(made) > 0 {
		found = made
	}
	if len(found) != 1 {
		return Dialect{}, false
	}
	return found[0], true
}

// speaks reports whether a model's name belongs to the family.
func (d Dialect) speaks(model string) bool {
	return containsAny(model, d.Models) && !containsAny(model, d.Others)
}

func containsAny(model string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return contains(model, part) })
}

// contains looks for a part of a name, whatever stands between its characters as
// a separator. No digit may follow it at once: qwen3-57b is no qwen3.5.
func contains(model, part string) bool {
	chars := strings.Split(regexp.QuoteMeta(part), "")
	pattern, err := regexp.Compile(strings.Join(chars, `[-._ ]*`) + `(?:[^0-9]|$)`)
	return err == nil && pattern.MatchString(strings.ToLower(model))
}
