package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

// needle is one way in which a value can stand in a text.
type needle struct {
	name string
	text string
	in   sight
	// ordinary: it may also be found where it is nothing secret.
	ordinary bool
	// before and after are the characters of base64 around it that hold a part of
	// the value and a part of something else.
	before, after int
}

// sight is how a text is looked at for a needle.
type sight int

const (
	asIs      sight = iota // every byte counts
	anyCase                // without unseen characters
	solid                  // any case, without white space
	solidCase              // without white space
)

// sights fold a text for the needles that are looked for in it.
var sights = map[sight]func(rune) rune{anyCase: folded, solid: closed, solidCase: closedCase}

// needles are all ways in which a value is looked for.
func needles(name, value string) []needle {
	common := ordinary(value)
	var out []needle
	add := func(n needle) {
		n.name, n.ordinary = name, common
		if n.text != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	add(needle{text: strings.Map(folded, value), in: anyCase})
	add(needle{text: hex.EncodeToString([]byte(value)), in: anyCase})
	if latin, ok := latin1(value); ok {
		add(needle{text: latin, in: asIs})
	}
	if !common {
		add(needle{text: strings.Map(closed, value), in: solid})
		add(needle{text: hex.EncodeToString([]byte(value)), in: solid})
	}
	for _, spelled := range spellings(value) {
		for _, n := range inBase64(spelled) {
			add(n)
			if n.in = solidCase; len(n.text) >= 12 {
				add(n)
			}
		}
	}
	return out
}

// spellings are the texts by which others than people write a value.
func spellings(value string) []string {
	out := []string{value}
	add := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	quoted, _ := json.Marshal(value) // a string can always be written
	add(strings.Trim(string(quoted), `"`))
	add(url.QueryEscape(value))
	add(url.PathEscape(value))
	add(html.EscapeString(value))
	return out
}

// inBase64 are the characters that a value has in base64 wherever it begins in
// what was encoded, in the two alphabets. Those that hold bits of its neighbours
// too are left out and counted.
func inBase64(value string) []needle {
	var out []needle
	for shift := range 3 {
		first := (shift*8 + 5) / 6 // the first character that is all its own
		bits := (shift + len(value)) * 8
		last := bits / 6
		padded := append(make([]byte, shift), value...)
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			n := needle{text: alphabet.EncodeToString(padded)[first:last]}
			if shift > 0 {
				n.before = 1
			}
			if bits%6 > 0 {
				n.after = 1
			}
			if len(n.text) >= minLength && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// latin1 is a value as pages in that encoding have it.
func latin1(value string) (string, bool) {
	var out []byte
	for _, r := range value {
		if r > 0xff {
			return "", false
		}
		out = append(out, byte(r))
	}
	return string(out), string(out) != value
}
