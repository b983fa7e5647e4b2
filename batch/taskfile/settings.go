package taskfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Flag is what a task may say in place of a flag of a run.
type Flag struct {
	// Repeats says that the flag may have several values: a list, in JSON.
	Repeats bool
	// Path says whether a value names a file.
	Path Path
	// Inline says that an object may stand in place of a file's name, being what the
	// file holds.
	Inline bool
	// Refused says why a task cannot set the flag; empty when it can.
	Refused string
}

// Path is how a flag's value names a file.
type Path int

// The ways a value names a file. Relative ones are relative to the task file's folder.
const (
	// NoPath is a value that names no file.
	NoPath Path = iota
	// FilePath is a file that has to be there.
	FilePath
	// AnyPath is a file or a folder that may come into being.
	AnyPath
	// NameOrFile is a name, or else a file that is there.
	NameOrFile
)

// others are our own names for flags.
var others = map[string]string{"checks": "assert"}

// other takes a member that is neither id, task nor address.
func (d *draft) other(m member) {
	name := flagName(m.name)
	_, flag := d.opt.Flags[name]
	switch {
	case name == "limits", name == "flags":
		d.group(m)
	case name == "meta" && d.words.format == Fara:
		d.kept(m)
	case flag:
		d.set(m.name, name, m)
	case d.words.format == Table:
		d.meta(m)
	default:
		d.fault(m.line, "there is no key %s; %s", shown(m.name), d.nearest(m.name, "what is only to be kept with the runs stands in meta"))
	}
}

// flagName is the flag that a name stands for.
func flagName(name string) string {
	name = strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(name)))
	if flag, ok := others[name]; ok {
		return flag
	}
	return name
}

// group takes an object of flags.
func (d *draft) group(m member) {
	members, ok := m.inside()
	switch {
	case kindOf(m.raw) == "null":
		return
	case !ok:
		d.fault(m.line, `%s takes an object such as {"max_steps": 30}, and here is %s`, m.name, kindOf(m.raw))
		return
	}
	for _, inner := range d.once(m.name+".", members) {
		name := flagName(inner.name)
		if _, ok := d.opt.Flags[name]; !ok {
			d.fault(inner.line, "there is no flag %s; %s", m.name+"."+shown(inner.name), d.nearest(inner.name, "fara run --help lists them"))
			continue
		}
		d.set(m.name+"."+inner.name, name, inner)
	}
}

// inside are the members of a member, where it is an object.
func (m member) inside() ([]member, bool) {
	return membersOf(m.raw, func(offset int) int { return m.line + bytes.Count(m.raw[:offset], []byte("\n")) })
}

// kept takes what is only kept with the runs.
func (d *draft) kept(m member) {
	members, ok := m.inside()
	switch {
	case kindOf(m.raw) == "null":
		return
	case !ok:
		d.fault(m.line, "meta takes an object, and here is %s", kindOf(m.raw))
		return
	}
	for _, inner := range d.once("meta.", members) {
		d.meta(inner)
	}
}

// set gives a flag what stands at a place of the row.
func (d *draft) set(place, name string, m member) {
	flag := d.opt.Flags[name]
	if kindOf(m.raw) == "null" {
		return
	}
	if flag.Refused != "" {
		d.fault(m.line, "a task cannot set %s: %s", place, flag.Refused)
		return
	}
	if before, ok := d.from[name]; ok {
		d.fault(m.line, "--%s is set twice, as %s and as %s; leave one of them out", name, before, place)
		return
	}
	if d.from == nil {
		d.from, d.task.Flags = map[string]string{}, map[string][]string{}
	}
	d.from[name] = place
	if flag.Inline && kindOf(m.raw) == "an object" {
		d.inline(name, m.raw)
		return
	}
	values, err := valuesOf(m, flag)
	for i := range values {
		if err == nil {
			values[i], err = d.resolve(values[i], flag.Path)
		}
	}
	if err != nil {
		d.fault(m.line, "%s %v", place, err)
		return
	}
	if len(values) > 0 {
		d.task.Flags[name] = values
	}
}

// inline takes an object for what a file would hold.
func (d *draft) inline(name string, raw json.RawMessage) {
	if d.task.Files == nil {
		d.task.Files = map[string]string{}
	}
	var short bytes.Buffer
	_ = json.Compact(&short, raw) // it was read already
	d.task.Files[name] = short.String()
}

// valuesOf are a flag's values. What a table says in a cell is a text, unless a flag
// that has several values finds a list there.
func valuesOf(m member, flag Flag) ([]string, error) {
	kind := kindOf(m.raw)
	if m.cell != nil && !(flag.Repeats && kind == "a list") {
		return []string{strings.TrimSpace(*m.cell)}, nil
	}
	if kind != "a list" {
		value, err := scalar(m.raw, flag)
		return []string{value}, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(m.raw, &items); err != nil {
		return nil, err
	}
	if len(items) > 1 && !flag.Repeats {
		return nil, fmt.Errorf("takes one value, and here is a list of %d", len(items))
	}
	var values []string
	for _, item := range items {
		value, err := scalar(item, flag)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

// scalar is a value as it would stand on the command line.
func scalar(raw json.RawMessage, flag Flag) (string, error) {
	switch kind := kindOf(raw); {
	case kind == "a text":
		var text string
		err := json.Unmarshal(raw, &text)
		return text, err
	case (kind == "a number" || kind == "true or false") && flag.Path == NoPath:
		return string(bytes.TrimSpace(raw)), nil
	default:
		return "", fmt.Errorf("takes %s, and here is %s", takes(flag), kind)
	}
}

func takes(flag Flag) string {
	switch {
	case flag.Inline:
		return "an object, or a file's name"
	case flag.Path == FilePath || flag.Path == AnyPath:
		return "a file's name"
	}
	return "a text, a number, or true or false"
}

// resolve makes a file's name absolute.
func (d *draft) resolve(value string, path Path) (string, error) {
	if path == NoPath {
		return value, nil
	}
	whole := value
	if !filepath.IsAbs(whole) {
		whole = filepath.Join(d.folder, whole)
	}
	info, err := os.Stat(whole)
	there := err == nil && !info.IsDir()
	switch {
	case path == AnyPath:
		return whole, nil
	case path == NameOrFile && !(there && strings.ContainsAny(value, `./\`)):
		return value, nil
	case there:
		return whole, nil
	case err == nil:
		return "", fmt.Errorf("names a folder, %s; name a file", whole)
	}
	return "", fmt.Errorf("names a file that cannot be read, %s; relative names begin at the task file's folder", whole)
}
