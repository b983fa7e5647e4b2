package taskfile

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"fara/userfile"
)

// shape is how rows stand in a file.
type shape int

const (
	lines shape = iota // one JSON object a line
	list               // a JSON list of objects
	table              // cells below a header
)

// row is one task as it stands in a file.
type row struct {
	line    int
	number  int // counts the rows of a table from 1
	members []member
}

// member is a value with its name.
type member struct {
	name string
	line int
	raw  json.RawMessage
	// cell is a table's text as it stands there; nil for a value of JSON.
	cell *string
}

// rows are all rows that could be told apart, and what could not.
type rows struct {
	shape  shape
	header []string // a table's
	rows   []row
	faults []*userfile.Fault
}

func (r *rows) fault(line int, format string, args ...any) {
	r.faults = append(r.faults, &userfile.Fault{Line: line, Text: fmt.Sprintf(format, args...)})
}

// format is that of the first row that is of any.
func (r *rows) format() Format {
	for _, one := range r.rows {
		if f := formatOf(one.names(), r.shape); f != "" {
			return f
		}
	}
	return Fara
}

func (r row) names() []string {
	var names []string
	for _, m := range r.members {
		names = append(names, m.name)
	}
	return names
}

// rowsOf tells a file's rows apart. Content decides before the name does: JSON
// begins with a bracket, and no header of a table does.
func rowsOf(path, text string, as Format) (rows, error) {
	start := strings.TrimSpace(text)
	ext := strings.ToLower(filepath.Ext(path))
	named := ext == ".jsonl" || ext == ".ndjson"
	switch {
	case start == "":
		return rows{}, fmt.Errorf("%s is empty; %s", path, known)
	case as == Table:
		return tableRows(path, text, as)
	case start[0] == '[' && (!named || json.Valid([]byte(text))):
		return listRows(text), nil
	case start[0] == '{' && strings.Contains(start, "\n") && json.Valid([]byte(text)):
		return listRows(text), nil
	case start[0] == '{', named, as == Fara:
		return lineRows(text), nil
	case start[0] == '<':
		return rows{}, fmt.Errorf("%s looks like a web page; %s", path, known)
	case ext == ".json":
		return rows{}, fmt.Errorf("%s is no JSON, which begins with [ or {; %s", path, known)
	}
	return tableRows(path, text, as)
}
