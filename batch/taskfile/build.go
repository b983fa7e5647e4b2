package taskfile

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"fara/batch"
	"fara/userfile"
)

// maxID bounds an id in bytes: folders and results are named after it.
const maxID = 200

// builder makes tasks of rows.
type builder struct {
	words  words
	folder string // the file's own, absolute
	opt    Options

	lines  map[string]int // of the first task with an id
	tasks  []batch.Task
	faults []*userfile.Fault
}

// all makes tasks of all rows that are fine.
func (b *builder) all(found rows) {
	numbered := found.shape == table && !slices.ContainsFunc(found.header, func(name string) bool { return slices.Contains(b.words.id, name) })
	for _, r := range found.rows {
		d := draft{builder: b, row: r, task: batch.Task{Line: r.line}}
		if numbered {
			d.task.ID = strconv.Itoa(r.number)
		}
		d.fill()
		d.unique()
		if d.bad == 0 && b.opt.Check != nil {
			if err := b.opt.Check(d.task); err != nil {
				d.fault(r.line, "%v", err)
			}
		}
		if d.bad == 0 {
			b.tasks = append(b.tasks, d.task)
		}
	}
}

func (b *builder) fault(line int, format string, args ...any) {
	b.faults = append(b.faults, &userfile.Fault{Line: line, Text: fmt.Sprintf(format, args...)})
}

// file is what the rows came to.
func (b *builder) file(path string) File {
	b.samples()
	slices.SortStableFunc(b.faults, func(x, y *userfile.Fault) int { return x.Line - y.Line })
	for _, f := range b.faults {
		f.File = path
	}
	return File{Tasks: b.tasks, Faults: b.faults, Format: b.opt.Format}
}

// sampled is an id like those of the second and later samples of a task.
var sampled = regexp.MustCompile(`^(.+)#(?:[2-9]|[1-9][0-9]+)$`)

// samples finds tasks that have the name of another task's sample.
func (b *builder) samples() {
	b.tasks = slices.DeleteFunc(b.tasks, func(t batch.Task) bool {
		m := sampled.FindStringSubmatch(t.ID)
		if m == nil || b.lines[m[1]] == 0 {
			return false
		}
		b.fault(t.Line, "the id %q is what a sample of %q (line %d) is called; give it another", t.ID, m[1], b.lines[m[1]])
		return true
	})
}

// draft is a task in the making.
type draft struct {
	*builder
	row  row
	task batch.Task
	bad  int // faults so far
	from map[string]string
}

func (d *draft) fault(line int, format string, args ...any) {
	d.bad++
	d.builder.fault(line, format, args...)
}

// fill takes every member of the row for what it is.
func (d *draft) fill() {
	d.row.members = d.once("", d.row.members)
	id, task, url := d.row.first(d.words.id), d.row.first(d.words.task), d.row.first(d.words.url)
	for i := range d.row.members {
		switch m := &d.row.members[i]; {
		case m == id:
			d.id(m)
		case m == task:
			d.instruction(m)
		case m == url:
			d.url(m)
		case kindOf(m.raw) == "null" && d.words.own(m.name):
		case d.words.settings:
			d.other(*m)
		default:
			d.meta(*m)
		}
	}
	if id == nil && d.task.ID == "" {
		d.fault(d.row.line, "there is no id; write one as %q", d.words.id[0])
	}
	if task == nil {
		d.fault(d.row.line, "there is no task; write what is to be done as %q", d.words.task[0])
	}
}

// first gives the first member with one of the names that is not null.
func (r row) first(names []string) *member {
	for _, name := range names {
		for i, m := range r.members {
			if m.name == name && kindOf(m.raw) != "null" {
				return &r.members[i]
			}
		}
	}
	return nil
}

// once are members without those whose names an object has twice.
func (d *draft) once(within string, members []member) []member {
	seen := map[string]bool{}
	return slices.DeleteFunc(members, func(m member) bool {
		again := seen[m.name]
		if again {
			d.fault(m.line, "%s is there twice; leave one of them out", within+shown(m.name))
		}
		seen[m.name] = true
		return again
	})
}

// text gives a member's text, without spaces around it.
func (d *draft) text(m *member) (string, bool) {
	if m.cell != nil {
		return strings.TrimSpace(*m.cell), true
	}
	var text string
	if kindOf(m.raw) != "a text" || json.Unmarshal(m.raw, &text) != nil {
		return "", false
	}
	return strings.TrimSpace(text), true
}

func (d *draft) id(m *member) {
	id, ok := d.text(m)
	if !ok && kindOf(m.raw) == "a number" {
		id, ok = string(m.raw), true
	}
	switch {
	case !ok:
		d.fault(m.line, "%s takes a text, and here is %s", m.name, kindOf(m.raw))
	case id == "":
		d.fault(m.line, "%s is empty; every task needs an id", m.name)
	case len(id) > maxID:
		d.fault(m.line, "%s is %d bytes long; the most is %d", m.name, len(id), maxID)
	case strings.ContainsFunc(id, unprintable):
		d.fault(m.line, "%s %q has a control character or a line break in it; take it out", m.name, id)
	default:
		d.task.ID = id
	}
}

func unprintable(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// instruction takes what is to be done.
func (d *draft) instruction(m *member) {
	text, ok := d.text(m)
	switch {
	case !ok:
		d.fault(m.line, "%s takes a text, and here is %s", m.name, kindOf(m.raw))
	case text == "":
		d.fault(m.line, "%s is empty; say what is to be done", m.name)
	case strings.ContainsRune(text, 0):
		d.fault(m.line, "%s has a NUL character in it; take it out", m.name)
	default:
		d.task.Task = text
	}
}

func (d *draft) url(m *member) {
	text, ok := d.text(m)
	if !ok {
		d.fault(m.line, "%s takes a text, and here is %s", m.name, kindOf(m.raw))
		return
	}
	if err := checkAddress(text); err != nil {
		d.fault(m.line, "%s is no address: %v; write it as https://host/path", m.name, err)
		return
	}
	d.task.URL = text
}

func (d *draft) meta(m member) {
	if d.task.Meta == nil {
		d.task.Meta = map[string]json.RawMessage{}
	}
	d.task.Meta[m.name] = m.raw
}

// unique remembers the id, also of a task that is faulty otherwise.
func (d *draft) unique() {
	if d.task.ID == "" {
		return
	}
	if first, ok := d.lines[d.task.ID]; ok {
		d.fault(d.row.line, "the id %q is there twice, first on line %d; every task needs its own", d.task.ID, first)
		return
	}
	d.lines[d.task.ID] = d.row.line
}
