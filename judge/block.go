package judge

import (
	"regexp"
	"strings"

	"fara/userfile"
)

// maxDepth bounds how deep groups may stand in groups.
const maxDepth = 8

// row is a line of a text before it is understood.
type row struct {
	at     int // from 1
	indent int
	text   string
}

// parseBlock reads a text's lines, the first of which is line first.
func parseBlock(name, text string, first int) ([]line, *userfile.Fault) {
	rows, fault := rowsOf(text, first)
	if fault != nil {
		return nil, fault
	}
	b := &block{name: name, rows: rows}
	return b.lines(0, 0)
}

// rowsOf are the lines that say something. A list's dash may stand before each.
func rowsOf(text string, first int) ([]row, *userfile.Fault) {
	var rows []row
	for i, raw := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		said := strings.TrimSpace(raw)
		if dashed, ok := strings.CutPrefix(said, "- "); ok {
			said = strings.TrimSpace(dashed)
		}
		if said == "" || strings.HasPrefix(said, "#") {
			continue
		}
		before := raw[:len(raw)-len(strings.TrimLeft(raw, " \t"))]
		if strings.Contains(before, "\t") && strings.Contains(before, " ") {
			return nil, fault(first+i, "the line is indented with tabs and spaces; use only one of them")
		}
		rows = append(rows, row{first + i, len(before), said})
	}
	return rows, nil
}

// block reads rows from the first to the last.
type block struct {
	name string
	rows []row
	at   int
}

var groupRow = regexp.MustCompile(`(?i)^(any|all|none)\s+of\s*:?$`)

// lines reads the rows that are indented like the first one here, with what belongs
// to them.
func (b *block) lines(least, depth int) ([]line, *userfile.Fault) {
	var list []line
	indent := -1
	for b.at < len(b.rows) {
		r := b.rows[b.at]
		switch {
		case r.indent < least || indent >= 0 && r.indent < indent && depth > 0:
			return list, nil
		case indent < 0:
			indent = r.indent
		case r.indent != indent:
			return nil, fault(r.at, "the line is indented by %d and those before it by %d; only what belongs to any of, all of or none of is indented, and all of it alike", r.indent, indent)
		}
		b.at++
		l, f := b.line(r, depth)
		if f != nil {
			return nil, f
		}
		list = append(list, l)
	}
	return list, nil
}

// line reads one assertion, or a group with all that belongs to it.
func (b *block) line(r row, depth int) (line, *userfile.Fault) {
	out := line{text: r.text, file: b.name, at: r.at}
	said, not := cutNot(r.text)
	m := groupRow.FindStringSubmatch(said)
	if m == nil {
		p := parser{rest: r.text}
		c, err := p.assertion()
		if err != nil {
			return out, fault(r.at, "%v", err)
		}
		out.check, out.wants = c, p.wants
		return out, nil
	}
	kind := strings.ToLower(m[1]) + " of"
	if depth >= maxDepth {
		return out, fault(r.at, "groups stand more than %d deep in each other here", maxDepth)
	}
	below, f := b.lines(r.indent+1, depth+1)
	if f != nil {
		return out, f
	}
	if len(below) == 0 {
		return out, fault(r.at, "nothing belongs to %s; write its assertions on the lines below it, indented", kind)
	}
	out.text = r.text + textsOf(below)
	for _, l := range below {
		out.wants.Selectors = merged(out.wants.Selectors, l.wants.Selectors)
		out.wants.Cookies = merged(out.wants.Cookies, l.wants.Cookies)
	}
	out.check = group{kind, below}
	if not {
		out.check = negatedGroup(kind, below)
	}
	return out, nil
}

// negatedGroup is a group turned round that is still known as one.
func negatedGroup(kind string, below []line) check {
	switch kind {
	case "any of":
		return group{"none of", below}
	case "none of":
		return group{"any of", below}
	}
	return group{"any of", []line{{check: negated{group{kind, below}}, text: kind + textsOf(below)}}}
}

// cutNot takes the not off a line's front.
func cutNot(text string) (string, bool) {
	word, rest, ok := strings.Cut(text, " ")
	if ok && strings.EqualFold(strings.TrimSuffix(word, ":"), "not") {
		return strings.TrimSpace(rest), true
	}
	return text, false
}

func textsOf(lines []line) string {
	var texts []string
	for _, l := range lines {
		texts = append(texts, l.text)
	}
	return " [" + strings.Join(texts, " | ") + "]"
}
