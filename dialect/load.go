package dialect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// maxFile bounds a dialect's file in bytes; ours have about 6,000.
const maxFile = 1 << 20

// Load reads a dialect from a user's own file, in YAML or JSON with the fields
// of Dialect. Words that it leaves out of turns are ours. What is wrong in it is
// a *Fault with file and line, as is a field that does not exist.
func Load(path string) (Dialect, error) {
	file, err := os.Open(path)
	if err != nil {
		return Dialect{}, err
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return Dialect{}, err
	}
	d, fault := decode(raw)
	if fault != nil {
		fault.File = path
		return Dialect{}, fault
	}
	return d, nil
}

// decode reads a file's text.
func decode(raw []byte) (Dialect, *Fault) {
	raw = bytes.ReplaceAll(bytes.TrimPrefix(raw, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	switch {
	case len(raw) > maxFile:
		return Dialect{}, &Fault{Text: "it is larger than a megabyte, which no dialect is"}
	case len(bytes.TrimSpace(raw)) == 0:
		return Dialect{}, &Fault{Line: 1, Text: "the file is empty; fara prompt --dialect fara-1.5 --as-file shows what is expected"}
	}
	// References could unfold a small file to a huge value.
	for _, t := range lexer.Tokenize(string(raw)) {
		if t.Type == token.AliasType || t.Type == token.AnchorType {
			return Dialect{}, &Fault{Line: t.Position.Line, Text: "references (& and *) are not taken here; write the value out"}
		}
	}
	d, err := common()
	if err != nil {
		return Dialect{}, &Fault{Text: err.Error()}
	}
	if err := yaml.UnmarshalWithOptions(raw, &d, yaml.Strict()); err != nil {
		return Dialect{}, faultOf(err)
	}
	d.Prompt = strings.TrimSuffix(d.Prompt, "\n")
	if wrong := d.check(); wrong.text != "" {
		return Dialect{}, &Fault{Line: lineOf(raw, wrong.path), Text: wrong.text}
	}
	return d, nil
}

// faultOf is a decoder's error as one line.
func faultOf(err error) *Fault {
	var known yaml.Error
	if !errors.As(err, &known) {
		return &Fault{Text: firstLine(err.Error())}
	}
	f := &Fault{Text: firstLine(known.GetMessage())}
	if t := known.GetToken(); t != nil {
		f.Line = t.Position.Line
	}
	var kind *yaml.TypeError
	if errors.As(err, &kind) {
		f.Text = fmt.Sprintf("this takes %s, not %s", inWords(kind.DstType), inWords(kind.SrcType))
		if kind.StructFieldName != nil {
			_, field, _ := strings.Cut(*kind.StructFieldName, ".")
			f.Text = strings.ToLower(field) + ": " + f.Text
		}
	}
	var unknown *yaml.UnknownFieldError
	if errors.As(err, &unknown) {
		f.Text += "; fara prompt --dialect fara-1.5 --as-file shows the fields there are"
	}
	return f
}

// inWords names a type as people call it.
func inWords(t reflect.Type) string {
	if t == nil {
		return "nothing"
	}
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// lineOf finds the line of a path such as $.grid.factor, or of the nearest part
// of it that the file has; 0 when it has none.
func lineOf(raw []byte, path string) int {
	for path != "$" && path != "" {
		if p, err := yaml.PathString(path); err == nil {
			if node, err := p.ReadNode(bytes.NewReader(raw)); err == nil && node.GetToken() != nil {
				return node.GetToken().Position.Line
			}
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return 0
}

// AsFile writes the dialect as Load reads it.
func (d Dialect) AsFile() ([]byte, error) {
	raw, err := yaml.MarshalWithOptions(d, yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true))
	if err != nil {
		return nil, fmt.Errorf("dialect %s: %w", d.Name, err)
	}
	return raw, nil
}
