package taskfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mostBreaks bounds how often a list is taken up again behind something that is no
// JSON.
const mostBreaks = 100

// listRows reads a JSON list of objects, or a single object.
func listRows(text string) rows {
	found := rows{shape: list}
	if !utf8.ValidString(text) {
		found.fault(lineOf(text, badByte(text)), "here is something that is not in UTF-8, so that nothing of the file was read; save it as UTF-8")
		return found
	}
	from := strings.IndexAny(text, "[{")
	if text[from] == '[' {
		from++
	}
	found.items(text, from)
	if json.Valid([]byte(text)) {
		return found
	}
	for breaks := 1; from >= 0; breaks++ {
		var syntax *json.SyntaxError
		if !errors.As(json.Unmarshal([]byte("["+text[from:]), new(json.RawMessage)), &syntax) {
			return found
		}
		syntax.Offset += int64(from - 1)
		at := min(int(syntax.Offset)-1, len(text))
		from = nextItem(text, at)
		if breaks == mostBreaks {
			from = -1
		}
		column, why, _ := broken(text, syntax)
		found.fault(lineOf(text, at), "column %d: %s%s", column, why, unread(text, at, from))
		if from >= 0 {
			found.items(text, from)
		}
	}
	return found
}

// items reads the objects of a list from the first one on, as far as they are JSON.
func (r *rows) items(text string, from int) {
	dec := json.NewDecoder(io.MultiReader(strings.NewReader("["), strings.NewReader(text[from:])))
	_, _ = dec.Token() // the bracket
	passed, line := 0, 1
	for dec.More() {
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return
		}
		start := from - 1 + int(dec.InputOffset()) - len(raw)
		line += strings.Count(text[passed:start], "\n")
		passed = start
		at := line
		r.add(at, raw, func(offset int) int { return at + bytes.Count(raw[:offset], []byte("\n")) })
	}
}

// nextItem is where the next object of a list begins behind a place that is no JSON;
// -1 when there is none. Objects of a list begin their lines, further left than those
// within them.
func nextItem(text string, at int) int {
	next, least, offset := -1, math.MaxInt, 0
	for line := range strings.Lines(text) {
		inner := strings.TrimLeft(line, " \t")
		indent := len(line) - len(inner)
		if strings.HasPrefix(inner, "{") {
			if indent < least {
				next, least = -1, indent
			}
			if indent == least && next < 0 && offset+indent >= at {
				next = offset + indent
			}
		}
		offset += len(line)
	}
	return next
}

// unread says what of a list is left out behind a place that is no JSON.
func unread(text string, at, next int) string {
	switch {
	case next >= 0 && strings.TrimSpace(text[at:next]) == "":
		return ""
	case next >= 0:
		return "; it is read again from line " + strconv.Itoa(lineOf(text, next)) + " on"
	case strings.Trim(text[at:], "]},; \t\r\n") == "":
		return ""
	}
	return "; what follows was not read"
}
