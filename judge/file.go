package judge

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"fara/userfile"
)

// maxFile bounds a file of assertions in bytes.
const maxFile = 1 << 20

// Parse reads assertions, which the package's doc explains: one a line, or a list of
// texts when the name ends in .yaml, .yml or .json. The error is a *userfile.Fault
// that names the text by name.
func Parse(name string, raw []byte) (Assertions, error) {
	read := parseLines
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml", ".json":
		read = parseList
	}
	a, fault := read(name, raw)
	if fault != nil {
		fault.File = name
		return Assertions{}, fault
	}
	return a, nil
}

func fault(line int, format string, args ...any) *userfile.Fault {
	return &userfile.Fault{Line: line, Text: fmt.Sprintf(format, args...)}
}

// parseLines reads one assertion a line.
func parseLines(name string, raw []byte) (Assertions, *userfile.Fault) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	switch {
	case len(raw) > maxFile:
		return Assertions{}, fault(0, "it is larger than a megabyte, which no list of assertions is")
	case !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0:
		return Assertions{}, fault(1, "this is no text in UTF-8; save it as UTF-8")
	}
	list, fault := parseBlock(name, string(raw), 1)
	if fault != nil {
		return Assertions{}, fault
	}
	return assertionsOf(list)
}

func assertionsOf(list []line) (Assertions, *userfile.Fault) {
	if len(list) == 0 {
		return Assertions{}, fault(1, "there is no assertion here; write one a line, such as: url contains /done")
	}
	a := Assertions{lines: list}
	for _, l := range list {
		a.wants.Selectors = merged(a.wants.Selectors, l.wants.Selectors)
		a.wants.Cookies = merged(a.wants.Cookies, l.wants.Cookies)
	}
	return a, nil
}

// checkFile is a list of assertions in YAML or JSON.
var checkFile = userfile.Kind{Noun: "list of assertions", See: "such as: - url contains /done"}

// inQuotes ends what is said about a text that YAML took for something else.
const inQuotes = `; in YAML, an assertion with ": " or " #" in it needs quotes around it, and a group is a text of several lines: - |`

// parseList reads a list of texts.
func parseList(name string, raw []byte) (Assertions, *userfile.Fault) {
	var texts []string
	file, err := checkFile.Decode(name, raw, &texts)
	if err != nil {
		var f *userfile.Fault
		if !errors.As(err, &f) {
			return Assertions{}, fault(0, "%v", err)
		}
		if strings.Contains(f.Text, "takes a text") {
			f.Text += inQuotes
		}
		return Assertions{}, f
	}
	rows := strings.Split(string(raw), "\n")
	var list []line
	for i, text := range texts {
		path := fmt.Sprintf("$[%d]", i)
		at := file.Fault(path, "").Line
		row := strings.TrimSpace(rows[min(at, len(rows))-1])
		if strings.HasPrefix(row, "- ") && strings.Contains(row, " #") && !strings.Contains(text, "#") {
			return Assertions{}, fault(at, "YAML takes what follows the # for a comment: put the assertion in quotes, or the comment on a line of its own")
		}
		below, f := parseBlock(name, text, 1)
		if f != nil {
			return Assertions{}, file.FaultInside(path, f.Line, f.Text)
		}
		if len(below) == 0 {
			return Assertions{}, fault(at, "there is no assertion here")
		}
		for j := range below {
			below[j].at = file.FaultInside(path, below[j].at, "").Line
		}
		list = append(list, below...)
	}
	return assertionsOf(list)
}
