package taskfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

const oneObject = `expected is an object such as {"id": "tea", "task": "...", "url": "..."}`

// lineRows reads one JSON object a line.
func lineRows(text string) rows {
	found := rows{shape: lines}
	torn := false // whether the line before broke off
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "":
		case torn && strings.ContainsAny(line[:1], " \t}]"): // the rest of an object that goes on over several lines
		default:
			torn = found.object(i+1, line)
		}
	}
	return found
}

// object reads the object on a line. It reports whether the line breaks off within
// one.
func (r *rows) object(at int, line string) bool {
	if !utf8.ValidString(line) {
		r.fault(at, "column %d: this is not in UTF-8; save the file as UTF-8", 1+utf8.RuneCountInString(line[:badByte(line)]))
		return false
	}
	var raw json.RawMessage
	if err := json.Unmarshal([]byte(line), &raw); err != nil {
		column, why, torn := broken(line, err)
		if torn {
			why += "; an object stands on one line"
		}
		r.fault(at, "column %d: %s", column, why)
		return torn
	}
	r.add(at, raw, func(int) int { return at })
	return false
}

// add takes a value for a row; lineAt gives the line of an offset in it.
func (r *rows) add(at int, raw json.RawMessage, lineAt func(offset int) int) {
	members, ok := membersOf(raw, lineAt)
	if !ok {
		r.fault(at, "here stands %s; %s", kindOf(raw), oneObject)
		return
	}
	r.rows = append(r.rows, row{line: at, members: members})
}

// lineOf is the line of a byte of a text.
func lineOf(text string, offset int) int {
	return 1 + strings.Count(text[:max(0, min(offset, len(text)))], "\n")
}

// broken says what is wrong in a text that is no JSON and in which column of its
// line, and whether it only breaks off.
func broken(text string, err error) (column int, why string, torn bool) {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return 1, "this is no JSON: " + err.Error(), false
	}
	at := max(0, min(int(syntax.Offset)-1, len(text)))
	start := 1 + strings.LastIndexByte(text[:at], '\n')
	column = 1 + utf8.RuneCountInString(text[start:at])
	if strings.HasPrefix(syntax.Error(), "unexpected end") {
		return column, "the JSON breaks off here: a bracket or a quote is not closed", true
	}
	return column, "this is no JSON: " + syntax.Error(), false
}

// badByte is where a text stops being UTF-8.
func badByte(text string) int {
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}

// membersOf gives an object's members in order, twice where a name is there twice;
// raw is valid JSON. It reports whether raw is an object.
func membersOf(raw json.RawMessage, lineAt func(offset int) int) ([]member, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	var members []member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, false
		}
		m := member{name: name.(string), line: lineAt(int(dec.InputOffset()))}
		if err := dec.Decode(&m.raw); err != nil {
			return nil, false
		}
		members = append(members, m)
	}
	return members, true
}

// kindOf is what a value of JSON is, as people call it.
func kindOf(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}
