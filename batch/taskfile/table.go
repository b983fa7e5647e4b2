package taskfile

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// tableRows reads cells below a header. The separator is the first that gives the
// header a name for the task.
func tableRows(path, text string, as Format) (rows, error) {
	separators := []rune{',', '\t', ';'}
	for _, sep := range separators {
		r := csv.NewReader(strings.NewReader(text))
		r.Comma = sep
		header, err := r.Read()
		if err != nil {
			continue
		}
		names := headed(header)
		format := formatOf(names, table)
		if format == "" || as != "" && !hasTask(names, as) {
			continue
		}
		if twice := repeated(names); twice != "" {
			return rows{}, fmt.Errorf("%s:1: the header has %s twice; a column needs a name of its own", path, twice)
		}
		r.FieldsPerRecord = -1
		found := rows{shape: table, header: names}
		found.cells(r, names)
		return found, nil
	}
	return rows{}, fmt.Errorf("%s is in no format of task files that is known; %s", path, known)
}

func hasTask(names []string, as Format) bool {
	w := wordsOf(as)
	for _, name := range names {
		for _, task := range w.task {
			if name == task {
				return true
			}
		}
	}
	return false
}

// headed are the names of columns. Case and spaces around one do not count for those
// that mean something; a column without a name gets its number.
func headed(header []string) []string {
	names := make([]string, len(header))
	for i, name := range header {
		name = strings.TrimSpace(name)
		if name == "" {
			name = fmt.Sprintf("column %d", i+1)
		}
		names[i] = name
		for _, w := range vocabulary {
			for _, ours := range [][]string{w.id, w.task, w.url} {
				for _, word := range ours {
					if strings.EqualFold(word, name) {
						names[i] = word
					}
				}
			}
		}
	}
	return names
}

func repeated(names []string) string {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}

// cells reads the rows below the header.
func (r *rows) cells(in *csv.Reader, names []string) {
	for number := 1; ; number++ {
		record, err := in.Read()
		var wrong *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return
		case errors.As(err, &wrong):
			r.quoting(wrong)
			continue
		case err != nil: // a text in memory has no other
			r.fault(0, "%v", err)
			return
		}
		at, _ := in.FieldPos(0)
		if strings.TrimSpace(strings.Join(record, "")) == "" {
			number--
			continue
		}
		if len(record) != len(names) {
			r.fault(at, "the row has %d cells and the header %d; a cell with a separator or a line break in it stands in quotes", len(record), len(names))
			continue
		}
		r.record(in, number, names, record)
	}
}

// quoting says what is wrong with a row's quotes.
func (r *rows) quoting(wrong *csv.ParseError) {
	const rule = `a quote in a cell is written "", and the cell stands in quotes`
	switch {
	case !errors.Is(wrong.Err, csv.ErrQuote):
		r.fault(wrong.Line, "column %d: a quote stands in a cell that is not in quotes; %s", wrong.Column, rule)
	case wrong.Line > wrong.StartLine:
		r.fault(wrong.StartLine, "a cell's quote is not closed where it should be, up to line %d, column %d, and nothing up to there was read; %s", wrong.Line, wrong.Column, rule)
	default:
		r.fault(wrong.StartLine, "column %d: a cell's quote is not closed where it should be; %s", wrong.Column, rule)
	}
}

func (r *rows) record(in *csv.Reader, number int, names, record []string) {
	at, _ := in.FieldPos(0)
	one := row{line: at, number: number}
	good := true
	for i, text := range record {
		line, column := in.FieldPos(i)
		if !utf8.ValidString(text) {
			r.fault(line, "column %d: the cell %s is not in UTF-8; save the file as UTF-8", column, names[i])
			good = false
			continue
		}
		if strings.TrimSpace(text) != "" {
			one.members = append(one.members, member{name: names[i], line: line, raw: cellValue(text), cell: &text})
		}
	}
	if good {
		r.rows = append(r.rows, one)
	}
}

// cellValue is a cell as JSON: an object or a list when it holds one, otherwise a
// text.
func cellValue(text string) json.RawMessage {
	inner := strings.TrimSpace(text)
	if (inner[0] == '{' || inner[0] == '[') && json.Valid([]byte(inner)) {
		return json.RawMessage(inner)
	}
	raw, _ := json.Marshal(text) // a valid text always can be
	return raw
}
