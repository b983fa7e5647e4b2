package taskfile

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
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

// format is that of the first row that is of any. A row without anything that every
// task has is of none.
func (r *rows) format(path string) (Format, error) {
	ours := len(r.rows) == 0
	for _, one := range r.rows {
		names := one.names()
		if f := formatOf(names, r.shape); f != "" {
			return f, nil
		}
		ours = ours || slices.ContainsFunc(names, func(name string) bool { return name == "id" || name == "task_id" })
	}
	if ours {
		return Fara, nil
	}
	var has []string
	for _, name := range r.rows[0].names() {
		has = append(has, shown(name))
	}
	return "", fmt.Errorf("%s is in no format of task files that is known: what stands on line %d has %s; %s", path, r.rows[0].line, some(has), known)
}

// some are the first of several names.
func some(names []string) string {
	const most = 8
	switch {
	case len(names) == 0:
		return "nothing in it"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + " ..."
	}
	return strings.Join(names, ", ")
}

// longest bounds a name that is shown to people, in bytes.
const longest = 60

// shown is a name as it can stand in a line for people.
func shown(name string) string {
	switch {
	case name == "" || strings.ContainsFunc(name, unprintable):
		return fmt.Sprintf("%.60q", name)
	case len(name) > longest:
		return strings.ToValidUTF8(name[:longest], "") + "..."
	}
	return name
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
