package taskfile

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// tableRows reads cells below a header. The separator is the first that gives the
// header a name for the task.
func tableRows(path, text string, as Format) (rows, error) {
	for _, sep := range []rune{',', '\t', ';'} {
		r := csv.NewReader(strings.NewReader(text))
		r.Comma = sep
		header, err := r.Read()
		if err != nil {
			continue
		}
		names := headed(header)
		if as == "" && formatOf(names, table) == "" || as != "" && !hasTask(names, as) {
			continue
		}
		if twice := repeated(names); twice != "" {
			return rows{}, fmt.Errorf("%s:1: the header has %s twice; a column needs a name of its own", path, shown(twice))
		}
		r.FieldsPerRecord = -1
		found := rows{shape: table, header: names}
		found.cells(r, text, names)
		return found, nil
	}
	if as != "" {
		return rows{}, fmt.Errorf("%s has no header with a column %s, which is where %s has its tasks", path, strings.Join(wordsOf(as).task, " or "), as)
	}
	return rows{}, fmt.Errorf("%s is in no format of task files that is known; %s", path, known)
}

// hasTask reports whether one of the names is a format's for what is to be done.
func hasTask(names []string, as Format) bool {
	return slices.ContainsFunc(wordsOf(as).task, func(name string) bool { return slices.Contains(names, name) })
}

// headed are the names of columns. Case does not count for those that every task has;
// a column without a name gets its number.
func headed(header []string) []string {
	names := make([]string, len(header))
	for i, name := range header {
		names[i] = strings.TrimSpace(name)
		if small := strings.ToLower(names[i]); slices.ContainsFunc(vocabulary, func(w words) bool { return w.own(small) }) {
			names[i] = small
		}
		if names[i] == "" {
			names[i] = fmt.Sprintf("column %d", i+1)
		}
	}
	return names
}

// repeated is a name that is there twice; empty when there is none.
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
func (r *rows) cells(in *csv.Reader, text string, names []string) {
	for number := 1; ; number++ {
		before := in.InputOffset()
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		cells := make([]cell, len(record))
		for i, said := range record {
			cells[i].text = said
			cells[i].line, cells[i].column = in.FieldPos(i)
		}
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			if cells = bare(wrong, in.Comma, text[before:in.InputOffset()]); cells == nil {
				r.quoting(wrong)
				continue
			}
		}
		switch {
		case !slices.ContainsFunc(cells, func(c cell) bool { return strings.TrimSpace(c.text) != "" }):
			number--
		case len(cells) != len(names):
			r.fault(cells[0].line, "the row has %d cells and the header %d; a cell with a separator or a line break in it stands in quotes", len(cells), len(names))
		default:
			r.record(number, names, cells)
		}
	}
}

// cell is a text in a table, and where it begins.
type cell struct {
	text         string
	line, column int
}

// bare are the cells of a row in which only some quotes are no quotes of cells, as in
// a table that a person typed; nil when the row is wrong in another way.
func bare(wrong *csv.ParseError, separator rune, row string) []cell {
	if !errors.Is(wrong.Err, csv.ErrBareQuote) || wrong.Line != wrong.StartLine {
		return nil
	}
	var cells []cell
	column := 1
	for said := range strings.SplitSeq(strings.Trim(row, "\r\n"), string(separator)) {
		if strings.HasPrefix(said, `"`) {
			return nil
		}
		cells = append(cells, cell{said, wrong.Line, column})
		column += len(said) + 1
	}
	return cells
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

// record takes the cells of a row that say something.
func (r *rows) record(number int, names []string, cells []cell) {
	one := row{line: cells[0].line, number: number}
	for i, c := range cells {
		switch {
		case !utf8.ValidString(c.text):
			r.fault(c.line, "column %d: the cell below %s is not in UTF-8; save the file as UTF-8", c.column, shown(names[i]))
			return
		case strings.TrimSpace(c.text) != "":
			one.members = append(one.members, member{name: names[i], line: c.line, raw: cellValue(c.text), cell: &c.text})
		}
	}
	r.rows = append(r.rows, one)
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
