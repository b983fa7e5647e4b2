package chrome

import (
	"fmt"
	"strings"
	"unicode"

	"fara/env"
)

// maxNotes bounds what a page can make us remember of each kind between two
// observations. What is beyond it is counted.
const maxNotes = 20

// noteLimit is how many characters of a page's own words a note keeps.
const noteLimit = 500

// notes are what happened since the last observation.
type notes struct {
	kept []env.Note
	more map[env.NoteKind]int // left out
}

func (n *notes) add(note env.Note) {
	note.Quote = cut(note.Quote, noteLimit)
	same := 0
	for _, other := range n.kept {
		if other.Kind == note.Kind {
			same++
		}
	}
	if same < maxNotes {
		n.kept = append(n.kept, note)
		return
	}
	if n.more == nil {
		n.more = map[env.NoteKind]int{}
	}
	n.more[note.Kind]++
}

// take gives the notes, once.
func (n *notes) take() []env.Note {
	out := n.kept
	told := map[env.NoteKind]bool{}
	for _, note := range n.kept {
		if more := n.more[note.Kind]; more > 0 && !told[note.Kind] {
			told[note.Kind] = true
			out = append(out, env.Note{Kind: note.Kind, Text: fmt.Sprintf("%d more of the same kind are left out here", more)})
		}
	}
	*n = notes{}
	return out
}

// note remembers what happened for the next observation.
func (b *instance) note(n env.Note) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.noteLocked(n)
}

func (b *instance) noteLocked(n env.Note) { b.notes.add(n) }

// cut shortens text to at most n runes and marks the cut.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// The most characters of a page's title and address that an observation holds.
const (
	titleLimit   = 300
	addressLimit = 2000
)

// shownURL is an address as observations hold it: without a password, bounded.
func shownURL(address string) string { return cut(env.WithoutUser(address), addressLimit) }

// shownTitle is a title as observations hold it: one line, bounded.
func shownTitle(title string) string {
	line := strings.Join(strings.FieldsFunc(cut(title, 4*titleLimit), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	return cut(line, titleLimit)
}
