package parse

import (
	"regexp"
	"strings"
)

// labelStart is a label that begins a line, in the languages of the models that
// use one; labelInside, one within a line.
var (
	labelStart  = regexp.MustCompile(`^[ \t*#>` + "`" + `-]*(?:(?i:action)|动作|行动|操作)[ \t*]*[:：][ \t*]*|^[ \t]*<action>`)
	labelInside = regexp.MustCompile(`(?:^|[\s。，,;；.!！])(?:(?:Action|动作|行动|操作)[ \t*]*[:：][ \t*]*|<action>)`)
	thoughtHead = regexp.MustCompile(`(?m)^[ \t*#>]*(?:(?i:thoughts?|reflection|action_summary|summary)|思考|反思|总结)[ \t*]*[:：][ \t*]*`)
)

// unlabelled takes the labels out of thoughts.
func unlabelled(thoughts string) string {
	return strings.TrimSpace(thoughtHead.ReplaceAllString(thoughts, ""))
}

// textScanner takes a text in the Text form apart from front to back.
type textScanner struct {
	textPage
	pos int
	// eol is the end of the line that the position is in.
	eol int
	// next is where the next tag around thoughts may begin, the line's end at most.
	next int
	// fresh says that the position counts as the start of a line.
	fresh bool
	// wasted counts the bytes of calls that came to nothing, as in a scanner.
	wasted int
	// swallowed says that a call ran into the end of the text.
	swallowed bool
}

// scanText takes the text apart in time linear in its length.
func scanText(text string) textPage {
	s := textScanner{textPage: textPage{page: page{text: text}}, eol: -1}
	for s.pos < len(text) {
		if s.pos > s.eol {
			s.eol, s.next, s.fresh = lineEnd(text, s.pos), -1, true
		}
		if s.fresh {
			s.fresh = false
			s.begin()
			continue
		}
		s.within()
	}
	return s.textPage
}

// begin looks for a call at the start of a line.
func (s *textScanner) begin() {
	rest := s.text[s.pos:s.eol]
	if n := len(labelStart.FindString(head(rest, 0))); n > 0 {
		if !s.calls(s.pos, skipFenced(s.text, s.pos+n), atLabel) {
			s.pos += n
		}
		return
	}
	at := s.pos + len(rest) - len(strings.TrimLeft(rest, " \t`*>-"))
	if !knownCall(s.text, at) || !s.calls(s.pos, at, bare) {
		s.within()
	}
}

// within looks for labels and for tags around thoughts in the rest of a line.
func (s *textScanner) within() {
	if s.next < s.pos {
		s.next = nextMark(s.text[:s.eol], s.pos)
	}
	if m := labelInside.FindStringIndex(s.text[s.pos:s.next]); m != nil {
		start := s.pos + m[0]
		s.pos += m[1]
		s.calls(start, skipFenced(s.text, s.pos), inLine)
		return
	}
	s.pos = s.next + 1
	if s.next < s.eol {
		var found tag
		found, s.pos = s.mark(s.next)
		s.fresh = found == thinkOpen || found == thinkClose
	}
}

// calls reads the calls that follow each other at a position and reports whether
// the first could be read; then the position is behind the last.
func (s *textScanner) calls(start, at int, where place) bool {
	if s.swallowed || s.wasted > wasteBase+wasteShare*len(s.text) {
		return false
	}
	c, ok := readTextCall(s.text, at)
	if !ok {
		return false
	}
	s.lines = append(s.lines, line{textCall: c, place: where, start: start})
	if c.state != whole {
		s.wasted += c.end - at
		s.swallowed = c.state == torn || c.state == cut
		return false
	}
	s.pos = c.end
	for c.state == whole {
		at = nextTextCall(s.text, c.end)
		if at < 0 {
			break
		}
		c, _ = readTextCall(s.text, at)
		s.lines = append(s.lines, line{textCall: c, place: where, start: at})
		s.pos = c.end
	}
	s.swallowed = c.state == torn || c.state == cut
	return true
}

// skipFenced gives the position behind spaces and the opening of a code fence or of
// quoted code.
func skipFenced(text string, pos int) int {
	pos, _ = skipFence(text, skipSpace(text, pos))
	for pos < len(text) && text[pos] == '`' {
		pos++
	}
	return pos
}

// lineEnd gives the position of the line break that ends the line at pos, or the
// text's end.
func lineEnd(text string, pos int) int {
	if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i
	}
	return len(text)
}
