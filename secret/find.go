package secret

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// hit is where in a text a value stands.
type hit struct {
	from, to int
	name     string
}

// The most that a text is decoded: an address in an address in an answer in a
// reply in a line of the log takes five.
const (
	maxDepth = 6
	maxViews = 64
)

// search is one look for values in a text.
type search struct {
	needles []needle
	safe    []string // folded texts in which a value is no secret
	cut     bool     // the text may have been cut within a value

	hits []hit
	free []hit // where a value is no secret
}

// A longer text is searched in windows, which overlap by more than a value takes in
// the usual encodings.
const (
	window  = 1 << 16
	overlap = 1 << 12
)

// find gives the places of all needles, in order, none within another.
func (s search) find(text []byte) []hit {
	s.hits, s.free = nil, nil
	lap := overlap
	for _, n := range s.needles {
		lap = max(lap, 8*len(n.text))
	}
	for at := 0; at == 0 || at+lap < len(text); at += window {
		s.findFrom(at, text[at:min(len(text), at+window+lap)])
	}
	return s.settle()
}

// findFrom finds all needles in a part of the text.
func (s *search) findFrom(at int, text []byte) {
	first, firstFree := len(s.hits), len(s.free)
	seen := map[string]bool{}
	level := []view{plain(text)}
	for depth := 0; len(level) > 0 && depth <= maxDepth; depth++ {
		var next []view
		for _, v := range level {
			if seen[string(v.text)] || len(seen) >= maxViews {
				continue
			}
			seen[string(v.text)] = true
			s.look(v)
			for _, decode := range decoders {
				if inner, changed := decode(v); changed {
					next = append(next, inner)
				}
			}
		}
		level = next
	}
	for i := range s.hits[first:] {
		s.hits[first+i].from, s.hits[first+i].to = s.hits[first+i].from+at, s.hits[first+i].to+at
	}
	for i := range s.free[firstFree:] {
		s.free[firstFree+i].from, s.free[firstFree+i].to = s.free[firstFree+i].from+at, s.free[firstFree+i].to+at
	}
}

// look searches one view in all ways.
func (s *search) look(v view) {
	views := map[sight]view{asIs: v}
	for in, fold := range sights {
		if slices.ContainsFunc(s.needles, func(n needle) bool { return n.in == in }) {
			views[in] = v.kept(fold)
		}
	}
	for _, n := range s.needles {
		in := views[n.in]
		for _, at := range indexes(in.text, n.text) {
			i, j := n.widen(in.text, at, at+len(n.text))
			from, to := in.span(i, j)
			s.hits = append(s.hits, hit{from, to, n.name})
		}
	}
	if s.cut {
		s.lookAtEnds(views[anyCase])
	}
	s.excuse(views[anyCase])
}

// lookAtEnds finds the beginning of a value at the end of a text, and of what stands
// in quotation marks in it.
func (s *search) lookAtEnds(v view) {
	begin := 0
	for i, c := range v.text {
		if c != '"' {
			continue
		}
		if i-begin >= likelyCut {
			s.lookAtEnd(v, i)
		}
		begin = i + 1
	}
	s.lookAtEnd(v, len(v.text))
}

func (s *search) lookAtEnd(v view, end int) {
	text := bytes.TrimRight(v.text[:end], "… .")
	for _, n := range s.needles {
		if n.in != anyCase {
			continue
		}
		for most := min(len(n.text)-1, len(text)); most >= minLength; most-- {
			if bytes.HasSuffix(text, []byte(n.text[:most])) {
				from, to := v.span(len(text)-most, len(text))
				s.hits = append(s.hits, hit{from, to, n.name})
				break
			}
		}
	}
}

// excuse finds where a value is no secret: in the name of its site, and in what
// stands for it.
func (s *search) excuse(v view) {
	for _, text := range s.safe {
		for _, at := range indexes(v.text, text) {
			from, to := v.span(at, at+len(text))
			s.free = append(s.free, hit{from: from, to: to})
		}
	}
}

func indexes(text []byte, what string) []int {
	var out []int
	for at := 0; what != ""; {
		i := bytes.Index(text[at:], []byte(what))
		if i < 0 {
			break
		}
		out = append(out, at+i)
		at += i + 1
	}
	return out
}

// widen takes the characters along that hold a part of the value.
func (n needle) widen(text []byte, i, j int) (int, int) {
	for range n.before {
		if i > 0 && inAlphabet(text[i-1]) {
			i--
		}
	}
	for range n.after {
		if j < len(text) && inAlphabet(text[j]) {
			j++
		}
	}
	return i, j
}

func inAlphabet(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("+/-_", c) >= 0
}

// settle orders the hits and leaves out those that are excused or lie in another.
func (s search) settle() []hit {
	hits := slices.DeleteFunc(s.hits, func(h hit) bool {
		return slices.ContainsFunc(s.free, func(f hit) bool { return f.from <= h.from && h.to <= f.to })
	})
	slices.SortStableFunc(hits, func(a, b hit) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	var out []hit
	end := 0
	for _, h := range hits {
		switch {
		case h.to <= end:
			continue
		case h.from < end && h.name == out[len(out)-1].name:
			out[len(out)-1].to = h.to
		default:
			h.from = max(h.from, end) // of two that overlap the second keeps its rest
			out = append(out, h)
		}
		end = h.to
	}
	return out
}

// mark is how a secret stands in a text, as people and models write it.
var mark = regexp.MustCompile(`(?i)<\s*secret\s*>\s*([^<>]*?)\s*<\s*/\s*secret\s*>`)

// Mark is what stands in a text for the value of the secret of that name.
func Mark(name string) string { return "<secret>" + name + "</secret>" }
