package parse

import (
	"slices"
	"strings"
)

// page is a reply's text, taken apart: where it thinks and where it has objects.
type page struct {
	text   string
	marks  []mark // the tags around thoughts, in order
	blocks []block
	// answer is where the last tag that closes thoughts ends; 0 without one.
	answer int
	// open says that the last tag around thoughts opens them.
	open bool
}

// mark is where a tag around thoughts stands.
type mark struct{ start, end int }

// block is an object in the text, or what was to become one.
type block struct {
	reading
	// start is where its wrapping begins.
	start int
	// opened and fenced say that a tag and a fence stood before it.
	opened, fenced bool
	// ending is what stood behind it; zero unless it could be read.
	ending ending
}

// tagged reports whether a tag marks the block as a call.
func (b block) tagged() bool { return b.opened || b.ending.closed }

// readable reports whether the block's end is known.
func (b block) readable() bool { return b.state == whole || b.state == ended }

// callNames are the keys by which a broken object is known to be a call.
var callNames = []string{"name", "action", "arguments", "parameters", "args"}

// callLike reports whether the object, as far as it was read, has a call's keys.
func (b block) callLike() bool {
	return slices.ContainsFunc(b.root.names, func(name string) bool { return slices.Contains(callNames, name) })
}

// scanner takes a text apart from front to back.
type scanner struct {
	page
	pos int
	// wasted counts the bytes of objects that came to nothing, which are then
	// read again; the limit on it keeps the time linear.
	wasted int
	// swallowed says that a call ran into the end of the text: what is left lies
	// within it, and is searched only for the end of the thoughts.
	swallowed bool
}

// wasteBase and wasteShare limit the bytes read twice: a fixed part and a
// multiple of the text's length.
const (
	wasteBase  = 1 << 16
	wasteShare = 4
)

// scan takes the text apart in time linear in its length.
func scan(text string) page {
	s := scanner{page: page{text: text}}
	for {
		i := strings.IndexAny(text[s.pos:], "<{")
		if i < 0 {
			return s.page
		}
		s.pos += i
		if text[s.pos] == '{' {
			s.object(block{start: s.pos}, s.pos)
			continue
		}
		s.tag()
	}
}

// tag reads a tag, and the object behind it when it opens a call.
func (s *scanner) tag() {
	start := s.pos
	found, end, _ := tagAt(s.text, start)
	switch found {
	case noTag:
		s.pos++
		return
	case thinkOpen:
		s.marks = append(s.marks, mark{start: start, end: end})
		s.open = true
	case thinkClose:
		s.marks = append(s.marks, mark{start: start, end: end})
		s.open, s.answer = false, end
	}
	s.pos = end
	if found != callOpen {
		return
	}
	at, fenced := skipFence(s.text, skipSpace(s.text, end))
	if at < len(s.text) && s.text[at] == '{' {
		s.object(block{start: start, opened: true, fenced: fenced}, at)
	}
}

// object reads the object at a brace, and those that follow it at once. A broken
// one is kept when it was meant as a call, and what is in it is scanned again.
func (s *scanner) object(b block, at int) {
	for {
		s.pos = at + 1
		if s.swallowed || s.wasted > wasteBase+wasteShare*len(s.text) {
			return
		}
		b.reading = readValue(s.text, at)
		if !b.readable() {
			s.wasted += b.end - at
			s.swallowed = b.opened && b.state != broken
			if b.opened || b.callLike() {
				s.blocks = append(s.blocks, b)
			}
			return
		}
		s.pos = b.end
		b.ending = endingAt(s.text, b.end)
		s.blocks = append(s.blocks, b)
		if b.ending.next == 0 {
			return
		}
		at = b.ending.next
		b = block{start: b.start, opened: b.opened, fenced: b.fenced}
	}
}

// inThoughts reports whether a position belongs to the thoughts: before the last
// tag that closes them, or behind one that opens them and is never closed.
func (p page) inThoughts(at int) bool {
	return at < p.answer || p.open && at > p.marks[len(p.marks)-1].start
}

// thoughts gives the text up to a position without the tags around thoughts.
func (p page) thoughts(until int) string {
	var pieces []string
	from := 0
	keep := func(to int) {
		if piece := strings.TrimSpace(p.text[from:to]); piece != "" {
			pieces = append(pieces, piece)
		}
	}
	for _, m := range p.marks {
		if m.start >= until {
			break
		}
		keep(m.start)
		from = m.end
	}
	keep(until)
	return strings.Join(pieces, "\n")
}
