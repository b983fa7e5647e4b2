package parse

import (
	"regexp"
	"slices"
	"strings"
)

// tag is a piece of markup that structures a reply.
type tag int

const (
	noTag tag = iota
	callOpen
	callClose
	thinkOpen
	thinkClose
	// turnEnd ends a turn, and with it thoughts that are still open.
	turnEnd
	// functionOpen opens a call that is written as tags.
	functionOpen
)

// attributeLimit is how many bytes a tag may have behind its name. Longer ones
// are prose with a stray bracket.
const attributeLimit = 200

// tagNames are the tags by name, in lower case; the pairs are open and close.
var tagNames = []struct {
	name       string
	pair       [2]tag
	attributes bool
}{
	{"tool_call", [2]tag{callOpen, callClose}, true},
	{"thinking", [2]tag{thinkOpen, thinkClose}, false},
	{"think", [2]tag{thinkOpen, thinkClose}, false},
	{"thoughts", [2]tag{thinkOpen, thinkClose}, false},
	{"thought", [2]tag{thinkOpen, thinkClose}, false},
	{"reasoning", [2]tag{thinkOpen, thinkClose}, false},
	{"seed:think", [2]tag{thinkOpen, thinkClose}, false},
}

// diamond begins the tags of models that write them as ◁think▷.
const diamond = "◁"

// thinkMarks are the marks around thoughts that are no tags in angle brackets,
// exactly as models write them.
var thinkMarks = []struct {
	text string
	tag  tag
}{
	{"◁think▷", thinkOpen}, {"◁/think▷", thinkClose},
	{"[THINK]", thinkOpen}, {"[/THINK]", thinkClose},
	{"<|begin_of_thought|>", thinkOpen}, {"<|end_of_thought|>", thinkClose},
	{"<|START_THINKING|>", thinkOpen}, {"<|END_THINKING|>", thinkClose},
	{"<|channel|>analysis<|message|>", thinkOpen},
	{"<|end|><|start|>assistant<|channel|>final<|message|>", thinkClose},
	{"<|start|>assistant<|channel|>final<|message|>", thinkClose}, {"<|channel|>final<|message|>", thinkClose},
	{"<|end|>", turnEnd},
	{"<|channel>thought", thinkOpen}, {"<channel|>", thinkClose},
}

// thinkMarkAt reads such a mark; the end is 0 without one.
func thinkMarkAt(text string, at int) (tag, int) {
	for _, m := range thinkMarks {
		if strings.HasPrefix(text[at:], m.text) {
			return m.tag, at + len(m.text)
		}
	}
	return noTag, 0
}

// tagAt reads the tag that begins at text[at]. In one of angle brackets case,
// spaces and, in a call's tag, attributes do not matter. Without a tag it gives
// noTag; partial says that the text ends before it could be told.
func tagAt(text string, at int) (found tag, end int, partial bool) {
	if found, end := thinkMarkAt(text, at); end > 0 {
		return found, end, false
	}
	if text[at] != '<' {
		return noTag, at, false
	}
	if end := functionNameEnd(text, at); end > 0 {
		return functionOpen, end, false
	}
	pos := skipSpace(text, at+1)
	closing := 0
	if pos < len(text) && text[pos] == '/' {
		closing = 1
		pos = skipSpace(text, pos+1)
	}
	rest := text[pos:]
	for _, t := range tagNames {
		if len(rest) < len(t.name) {
			partial = partial || strings.EqualFold(rest, t.name[:len(rest)])
			continue
		}
		if !strings.EqualFold(rest[:len(t.name)], t.name) {
			continue
		}
		end, open := tagEnd(text, pos+len(t.name), t.attributes)
		if end > 0 {
			return t.pair[closing], end, false
		}
		partial = partial || open
	}
	return noTag, at, partial
}

// tagEnd finds the position behind the ">" of a tag whose name ends at pos, or
// 0; open says that the text ends first.
func tagEnd(text string, pos int, attributes bool) (end int, open bool) {
	after := skipSpace(text, pos)
	if after == len(text) {
		return 0, true
	}
	if text[after] == '>' {
		return after + 1, false
	}
	if !attributes || after == pos {
		return 0, false
	}
	window := text[after:min(len(text), after+attributeLimit)]
	i := strings.IndexAny(window, "<>{")
	if i < 0 {
		return 0, len(window) < attributeLimit
	}
	if window[i] != '>' {
		return 0, false
	}
	return after + i + 1, false
}

// ending is what stands behind a call's last brace.
type ending struct {
	closed  bool // the closing tag
	pending bool // the text ends before it can be told
	fence   bool // the end of a code fence
	goesOn  bool // a comma and a further key: the brace was not the last one
	next    int  // where the following object begins, 0 when none follows at once
	end     int  // behind all of these
}

// endingAt reads what follows a call that ends at pos: surplus brackets, the end
// of a fence and the closing tag, as far as they are there.
func endingAt(text string, pos int) ending {
	var e ending
	e.goesOn = goesOn(text, pos)
	pos = skipClosers(text, pos)
	for pos < len(text) && text[pos] == '`' {
		e.fence = true
		pos++
	}
	pos = skipSpace(text, pos)
	e.end = pos
	if pos == len(text) || mayGoOn(text, pos) {
		e.pending = true
		return e
	}
	switch text[pos] {
	case '<':
		found, end, partial := tagAt(text, pos)
		e.pending = partial
		if found == callClose {
			e.closed, e.end = true, end
		}
	case '{':
		e.next = pos
	}
	return e
}

const goesOnProblem = "another argument follows behind its closing bracket"

// furtherKey is a key and its colon, with what may stand before it.
var furtherKey = regexp.MustCompile(`^[,\s]*["'][^"'\n]{0,60}["']\s*:`)

// strayArgument is a key of a call that stands somewhere behind an object.
var strayArgument = regexp.MustCompile(`^[^{<]{0,60}["'](?:` + strings.Join(slices.Concat(argumentNames, argumentsNames, []string{"action"}), "|") + `)["']\s*:`)

// straysOn reports whether a key of a call follows an object that no closing tag
// ends: such an object closed too early.
func straysOn(text string, pos int) bool {
	return strayArgument.MatchString(head(text, pos))
}

// mayStrayOn reports whether the text ends before that can be told.
func mayStrayOn(text string, pos int) bool {
	return len(text)-pos < headLimit && !strings.ContainsAny(text[pos:], "{<")
}

// goesOn reports whether a further key follows a closing brace, which then closed
// too early.
func goesOn(text string, pos int) bool {
	return furtherKey.MatchString(head(text, skipClosers(text, pos)))
}

// keyBegun is a further key that is not whole yet.
var keyBegun = regexp.MustCompile(`^[,\s]*(["'][^"'\n]{0,60}(["']\s*)?)?$`)

// mayGoOn reports whether the text ends before it can be told whether a further
// key follows.
func mayGoOn(text string, pos int) bool {
	return len(text)-pos < headLimit && keyBegun.MatchString(text[pos:])
}

// goesOnBehind reports whether a closing tag that ended an object with brackets
// missing stands within it: what follows continues the object.
func goesOnBehind(text string, pos int) bool {
	pos = skipSpace(text, pos)
	return pos < len(text) && strings.IndexByte(",:]}\"'", text[pos]) >= 0
}

// skipClosers gives the position behind spaces and surplus closing brackets.
func skipClosers(text string, pos int) int {
	for pos < len(text) && (isSpace(text[pos]) || strings.IndexByte("}])", text[pos]) >= 0) {
		pos++
	}
	return pos
}

// skipFence gives the position behind the opening of a code fence at pos, label
// included, and whether there was one.
func skipFence(text string, pos int) (int, bool) {
	if !strings.HasPrefix(text[pos:], "```") {
		return pos, false
	}
	for pos < len(text) && (text[pos] == '`' || isWord(text[pos])) {
		pos++
	}
	return skipSpace(text, pos), true
}

// trimFence cuts the opening of a code fence off the end of a text.
func trimFence(text string) (string, bool) {
	rest := strings.TrimSpace(text)
	end := len(rest)
	for end > 0 && isWord(rest[end-1]) {
		end--
	}
	if !strings.HasSuffix(rest[:end], "```") {
		return text, false
	}
	return strings.TrimRight(rest[:end], "`"), true
}

func skipSpace(text string, pos int) int {
	for pos < len(text) && isSpace(text[pos]) {
		pos++
	}
	return pos
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || isDigit(c)
}
