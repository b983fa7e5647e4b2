package secret

import (
	"io"
	"strings"
)

// Clean gives a text in which every value is replaced by the Mark of its secret,
// also where it stands URL-encoded, in base64 or hex, escaped for HTML, JSON or
// Markdown, in another case, in several of these at once, or broken over lines. A
// value of fewer than 8 characters or that is a word is looked for unbroken only.
// A text that holds none comes back as it is.
func (st *Store) Clean(text string) string {
	if st == nil || len(text) < minLength {
		return text
	}
	return replace(text, st.searching().find([]byte(text)))
}

// likelyCut is the length in bytes from which a text of a page may be one that was
// cut at its end.
const likelyCut = 38

// cleanShown is Clean for a text that a page showed, and of which a browser may give
// the first characters only: what is left of a value at its end goes too.
func (st *Store) cleanShown(text string) string {
	if st == nil || len(text) < likelyCut {
		return st.Clean(text)
	}
	s := st.searching()
	s.cut = true
	return replace(text, s.find([]byte(text)))
}

// CleanReply is Clean for what a model writes, which a program has to understand:
// a value that is an ordinary word stays in it when words, the vocabulary that the
// model was taught, has that word too.
func (st *Store) CleanReply(text, words string) string {
	if st == nil || len(text) < minLength {
		return text
	}
	return replace(text, st.searching().besides(words).find([]byte(text)))
}

// replace puts the marks of what was found into a text.
func replace(text string, hits []hit) string {
	if len(hits) == 0 {
		return text
	}
	var out strings.Builder
	end := 0
	for _, h := range hits {
		out.WriteString(text[end:h.from])
		out.WriteString(Mark(h.name))
		end = h.to
	}
	out.WriteString(text[end:])
	return out.String()
}

// holds names a secret whose value stands in a text and is not likely to be
// there by chance; empty when there is none.
func (st *Store) holds(text string) string {
	if st == nil || len(text) < minLength {
		return ""
	}
	if hits := st.searching().rare().find([]byte(text)); len(hits) > 0 {
		return hits[0].name
	}
	return ""
}

// rare is the search without the values that are ordinary words.
func (s search) rare() search {
	return s.without(func(n needle) bool { return n.ordinary })
}

// besides is the search without those of them that stand in a vocabulary.
func (s search) besides(words string) search {
	words = strings.Map(folded, words)
	return s.without(func(n needle) bool { return n.ordinary && n.in == anyCase && strings.Contains(words, n.text) })
}

func (s search) without(which func(needle) bool) search {
	var kept []needle
	for _, n := range s.needles {
		if !which(n) {
			kept = append(kept, n)
		}
	}
	s.needles = kept
	return s
}

// Writer cleans what is written to w, lines of JSON as CleanJSON does. A value that
// is split over two writes is not seen, so whole lines have to be written at once.
func (st *Store) Writer(w io.Writer, ours func(path string) bool) io.Writer {
	if st == nil {
		return w
	}
	return writer{st, w, ours}
}

type writer struct {
	store *Store
	to    io.Writer
	ours  func(path string) bool
}

func (w writer) Write(p []byte) (int, error) {
	if _, err := w.to.Write(w.store.CleanJSON(p, w.ours)); err != nil {
		return 0, err
	}
	return len(p), nil
}
