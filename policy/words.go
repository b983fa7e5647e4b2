package policy

import (
	"embed"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// The lists of words, a file for each. A line is "LANGUAGE: phrase; phrase". A
// phrase stands anywhere in a name; "^" wants it at the beginning, "=" to be all
// there is, "~" on what sends a form; "*" ends a word that may go on. A phrase
// with "!" hides what it covers from the others: "remove from basket" is no
// "remove".
//
//go:embed words
var wordFiles embed.FS

// phrase is one of them.
type phrase struct {
	words              []string // folded; the last letter of a word may be '*'
	solid              string   // the phrase in a script without spaces; else empty
	start, all, formed bool
}

// list is a file of phrases, as they are and as they look.
type list struct{ phrases, hides, alike, alikeHides []phrase }

// lexicon gives the lists by name, read once.
var lexicon = sync.OnceValue(func() map[string]list {
	lists := map[string]list{}
	entries, err := wordFiles.ReadDir("words")
	if err != nil {
		panic(err) // embedded files are always there
	}
	for _, e := range entries {
		raw, err := wordFiles.ReadFile("words/" + e.Name())
		if err != nil {
			panic(err)
		}
		lists[strings.TrimSuffix(e.Name(), ".txt")] = readList(string(raw))
	}
	return lists
})

func readList(text string) list {
	var l list
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		_, phrases, _ := strings.Cut(line, ":")
		for p := range strings.SplitSeq(phrases, ";") {
			if p = strings.TrimSpace(p); p == "" {
				continue
			}
			own, hides := strings.CutPrefix(p, "!")
			if hides {
				l.hides = append(l.hides, readPhrase(own, fold))
				l.alikeHides = append(l.alikeHides, readPhrase(own, alike))
				continue
			}
			l.phrases = append(l.phrases, readPhrase(p, fold))
			l.alike = append(l.alike, readPhrase(p, alike))
		}
	}
	return l
}

func alike(text string) string { return skeleton(fold(text)) }

func readPhrase(text string, fold func(string) string) phrase {
	var p phrase
	marks := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("^=~", r) })
	p.start, p.all, p.formed = strings.Contains(text[:marks], "^"), strings.Contains(text[:marks], "="), strings.Contains(text[:marks], "~")
	for word := range strings.FieldsSeq(text[marks:]) {
		stem, open := strings.CutSuffix(word, "*")
		stem = fold(stem)
		if open {
			stem += "*"
		}
		p.words = append(p.words, stem)
	}
	if all := strings.Join(p.words, ""); strings.ContainsFunc(all, unified) {
		p.solid = strings.TrimSuffix(all, "*")
	}
	return p
}

// said is a name ready to be looked at.
type said struct {
	words  []string
	solid  string // without spaces, digits and signs
	formed bool   // it stands on what sends a form
}

func say(folded string, formed bool) said {
	s := said{words: tokens(folded), formed: formed}
	s.solid = strings.Join(slices.DeleteFunc(slices.Clone(s.words), idle), "")
	return s
}

// idle reports whether a word is only a number or a sign.
func idle(word string) bool {
	return !strings.ContainsFunc(word, unicode.IsLetter) && !strings.ContainsFunc(word, pictured)
}

// pictured reports whether a sign is a picture, which can stand for a word.
func pictured(r rune) bool { return r >= 0x2700 && unicode.Is(unicode.So, r) }

// says reports whether any of the texts has a phrase of the list. formed says
// that they stand on something that sends a form.
func says(name string, formed bool, texts ...string) bool {
	l := lexicon()[name]
	for _, text := range texts {
		if text == "" {
			continue
		}
		folded := fold(text)
		if has(l.phrases, l.hides, say(folded, formed)) || has(l.alike, l.alikeHides, say(skeleton(folded), formed)) {
			return true
		}
	}
	return false
}

func has(phrases, hides []phrase, s said) bool {
	for _, h := range hides {
		s = h.hide(s)
	}
	return slices.ContainsFunc(phrases, func(p phrase) bool { return p.in(s) })
}

// in reports whether the phrase is in what was said.
func (p phrase) in(s said) bool {
	switch {
	case p.formed && !s.formed:
		return false
	case p.solid != "" && p.all:
		return s.solid == p.solid
	case p.solid != "" && p.start:
		return strings.HasPrefix(s.solid, p.solid)
	case p.solid != "":
		return strings.Contains(s.solid, p.solid)
	case p.all:
		return p.isAll(s)
	case p.start:
		words := slices.DeleteFunc(slices.Clone(s.words), idle)
		return p.at(words, 0) || p.isAll(s)
	}
	for i := range s.words {
		if p.at(s.words, i) {
			return true
		}
	}
	return p.isAll(s)
}

// isAll reports whether the phrase is all that was said, also when its words are
// cut up in another way.
func (p phrase) isAll(s said) bool {
	whole := strings.Join(p.words, "")
	stem, open := strings.CutSuffix(whole, "*")
	if strings.Contains(stem, "*") {
		words := slices.DeleteFunc(slices.Clone(s.words), idle)
		return len(words) == len(p.words) && p.at(words, 0)
	}
	return s.solid == stem || open && strings.HasPrefix(s.solid, stem) && len(s.words) <= len(p.words)+1
}

// at reports whether the phrase's words stand at a place.
func (p phrase) at(words []string, i int) bool {
	if len(p.words) == 0 || i+len(p.words) > len(words) {
		return false
	}
	for j, want := range p.words {
		stem, open := strings.CutSuffix(want, "*")
		if word := words[i+j]; word != stem && !(open && strings.HasPrefix(word, stem)) {
			return false
		}
	}
	return true
}

// hide takes the phrase's words out of what was said.
func (p phrase) hide(s said) said {
	if p.solid != "" {
		s.solid = strings.ReplaceAll(s.solid, p.solid, "\x00")
		return s
	}
	words := slices.Clone(s.words)
	for i := range words {
		if p.at(words, i) {
			for j := range p.words {
				words[i+j] = "\x00"
			}
		}
	}
	if !slices.Equal(words, s.words) {
		s.words = words
		s.solid = strings.Join(slices.DeleteFunc(slices.Clone(words), idle), "")
	}
	return s
}
