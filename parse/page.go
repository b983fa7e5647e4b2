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
	// function says that it was written as <function=…>, a tag of its own.
	function bool
	// native says that the server filed it apart: it stood in no text.
	native bool
	// ending is what stood behind it; zero unless it could be read.
	ending ending
}

// tagged reports whether a tag marks the block as a call.
func (b block) tagged() bool { return b.opened || b.function || b.ending.closed }

// readable reports whether the block's end is known.
func (b block) readable() bool { return b.state == whole || b.state == ended }

// callNames are the keys by which a broken object is known to be a call.
var callNames = []string{"name", "action", "arguments", "parameters", "args", "thoughts"}

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
		s.pos = nextMark(text, s.pos)
		if s.pos == len(text) {
			return s.page
		}
		if text[s.pos] == '{' {
			s.object(block{start: s.pos}, s.pos)
			continue
		}
		s.tag()
	}
}

// nextMark gives the next position at which a brace or a tag may begin.
func nextMark(text string, pos int) int {
	for ; pos < len(text); pos++ {
		switch text[pos] {
		case '<', '{', '[', diamond[0]:
			return pos
		}
	}
	return pos
}

// tag reads a tag, and the object behind it when it opens a call.
func (s *scanner) tag() {
	start := s.pos
	found, end := s.mark(start)
	if found == functionOpen {
		s.function(block{start: start}, start)
		return
	}
	s.pos = end
	if found != callOpen {
		return
	}
	at, fenced := skipFence(s.text, skipSpace(s.text, end))
	switch b := (block{start: start, opened: true, fenced: fenced}); {
	case at == len(s.text):
	case s.text[at] == '{':
		s.object(b, at)
	case functionNameEnd(s.text, at) > 0:
		s.function(b, at)
	}
}

// function reads a call that is written as tags.
func (s *scanner) function(b block, at int) {
	s.pos = at + 1
	if s.spent() {
		return
	}
	b.function = true
	b.reading = readFunction(s.text, at)
	switch {
	case b.readable():
		s.pos = b.end
		b.ending = endingAt(s.text, b.end)
		if b.state == ended && strings.HasPrefix(s.text[skipSpace(s.text, b.ending.end):], parameterTag) {
			b.state, b.problem = broken, goesOnProblem
		}
	default:
		s.wasted += b.end - at
		s.swallowed = b.state != broken
	}
	s.blocks = append(s.blocks, b)
}

// spent reports whether nothing more is to be read as a call.
func (s *scanner) spent() bool {
	return s.swallowed || s.wasted > wasteBase+wasteShare*len(s.text)
}

// mark reads the tag at a position, notes it if it stands around thoughts, and
// gives the position behind it.
func (p *page) mark(start int) (tag, int) {
	found, end, _ := tagAt(p.text, start)
	if found == turnEnd && p.open {
		found = thinkClose
	}
	switch found {
	case thinkOpen:
		p.marks = append(p.marks, mark{start: start, end: end})
		p.open = true
	case thinkClose:
		p.marks = append(p.marks, mark{start: start, end: end})
		p.open, p.answer = false, end
	case noTag:
		end = start + 1
	}
	return found, end
}

// object reads the object at a brace, and those that follow it at once. A broken
// one is kept when it was meant as a call, and what is in it is scanned again.
func (s *scanner) object(b block, at int) {
	for {
		s.pos = at + 1
		if s.spent() {
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
		if !b.ending.closed && straysOn(s.text, b.end) || b.ending.goesOn || b.state == ended && goesOnBehind(s.text, b.ending.end) {
			b.state, b.problem = broken, goesOnProblem
		}
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
