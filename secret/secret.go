package secret

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Site is a place whose pages a secret may be typed into.
type Site struct {
	// Name is the site as people write it. A secret's value inside this name, where
	// it stands in a text, is no secret.
	Name string
	// Covers reports whether the page of an absolute address belongs to it.
	Covers func(address string) bool
}

// Secret is a value under a name. Reader.Parse makes one.
type Secret struct {
	// Name is what the model calls it.
	Name string
	// From says where the value comes from, such as "env:PASSWORD".
	From string
	// Sites are where it may be typed; none means nowhere.
	Sites []Site

	value string // of a one-time code: its seed as it was given
	code  *code  // nil when the value itself is typed
}

// String gives the secret as it is written on the command line, without its value.
func (s Secret) String() string {
	names := make([]string, len(s.Sites))
	for i, site := range s.Sites {
		names[i] = site.Name
	}
	return s.Name + "=" + s.From + "@" + strings.Join(names, ",")
}

// GoString is String: no way of printing a secret shows its value.
func (s Secret) GoString() string { return s.String() }

// covers reports whether a page belongs to one of the secret's sites.
func (s Secret) covers(address string) bool {
	return slices.ContainsFunc(s.Sites, func(site Site) bool { return site.Covers(address) })
}

func (s Secret) siteNames() string {
	var names []string
	for _, site := range s.Sites {
		names = append(names, site.Name)
	}
	return cmp.Or(strings.Join(names, ", "), "no site")
}

// values are all that must not be seen, at this moment.
func (s Secret) values() []string {
	if s.code == nil {
		return []string{s.value}
	}
	return append([]string{s.value, s.code.seed}, s.code.codes()...)
}

// minLength is the fewest characters of a value: a shorter one is part of so many
// words that texts without it would make no sense.
const minLength = 4

// ordinary reports whether a value is likely to be found in texts that have
// nothing to do with it: it is short, or a word.
func ordinary(value string) bool {
	n := utf8.RuneCountInString(value)
	isWord := strings.IndexFunc(value, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) }) < 0
	return n < 8 || n <= 12 && isWord
}
