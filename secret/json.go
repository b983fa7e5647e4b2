package secret

import (
	"bytes"
	"encoding/json"
	"strings"
)

// CleanJSON cleans the strings of a JSON text, which stays JSON of the same shape.
// Numbers are left alone. A string that ours accepts has words and names
// that are not a page's and that programs go by: from it only those values are
// taken out that are no ordinary words. ours gets the keys that lead to the string,
// joined by dots ("acting.action.kind"), for a key those above it and a dot at the
// end; nil accepts none. A text of several JSON
// values, one a line, is cleaned as such; what is no JSON is cleaned as a text.
func (st *Store) CleanJSON(text []byte, ours func(path string) bool) []byte {
	if st == nil {
		return text
	}
	if !json.Valid(text) {
		return st.cleanLines(text, ours)
	}
	w := walk{text: text, ours: ours, all: st.searching()}
	w.rare = w.all.rare()
	if w.run(); w.out == nil {
		return text
	}
	return append(w.out, text[w.copied:]...)
}

// cleanLines cleans lines of JSON, or what is none.
func (st *Store) cleanLines(text []byte, ours func(path string) bool) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, line := range lines {
		if len(bytes.TrimSpace(line)) > 0 && !json.Valid(line) {
			return []byte(st.Clean(string(text)))
		}
	}
	var out []byte
	for _, line := range lines {
		if len(bytes.TrimSpace(line)) > 0 {
			line = st.CleanJSON(line, ours)
		}
		out = append(out, line...)
	}
	return out
}

// walk goes over the strings of a valid JSON text.
type walk struct {
	text      []byte
	ours      func(path string) bool
	all, rare search

	out    []byte // what is written so far; nil while nothing had to be changed
	copied int    // bytes of text that are in it
	// keys are those that lead to where the walk is; one of them, empty in an array,
	// for each thing that is open.
	keys []string
}

func (w *walk) run() {
	for i := 0; i < len(w.text); i++ {
		switch w.text[i] {
		case '{', '[':
			w.keys = append(w.keys, "")
		case '}', ']':
			w.keys = w.keys[:len(w.keys)-1]
		case '"':
			end := stringEnd(w.text, i)
			w.visit(i, end)
			i = end - 1
		}
	}
}

// stringEnd is where the string that begins at i has ended.
func stringEnd(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// path is where the walk is.
func (w *walk) path() string {
	var named []string
	for _, k := range w.keys {
		if k != "" {
			named = append(named, k)
		}
	}
	return strings.Join(named, ".")
}

// visit looks at the string from i to end.
func (w *walk) visit(i, end int) {
	var value string
	_ = json.Unmarshal(w.text[i:end], &value) // it is valid
	if rest := bytes.TrimLeft(w.text[end:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
		w.keys[len(w.keys)-1] = ""
		w.clean(i, end, value, w.path()+".")
		w.keys[len(w.keys)-1] = value
		return
	}
	w.clean(i, end, value, w.path())
}

// clean writes the string without the values in it, if there are any.
func (w *walk) clean(i, end int, value, path string) {
	look := w.all
	if w.ours != nil && w.ours(path) {
		look = w.rare
	}
	hits := look.find([]byte(value))
	if len(hits) == 0 {
		return
	}
	w.out = append(w.out, w.text[w.copied:i]...)
	w.out = append(w.out, quote(replace(value, hits))...)
	w.copied = end
}

func quote(text string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // a mark is to be read by people too
	_ = enc.Encode(text)     // a string can always be written
	return bytes.TrimSpace(buf.Bytes())
}
