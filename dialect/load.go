package dialect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxFile bounds a dialect's file in bytes; ours have about 6,000.
const maxFile = 1 << 20

// maxDepth bounds how deep brackets and dashes may nest; ours nest three deep. The
// library's time grows with the square of it.
const maxDepth = 16

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
		return Dialect{}, &Fault{Line: 1, Text: "the file is empty; " + seeFields}
	case !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0:
		return Dialect{}, &Fault{Line: 1, Text: "the file is no text in UTF-8; save it as UTF-8"}
	}
	root, fault := readTree(string(raw))
	if fault != nil {
		return Dialect{}, fault
	}
	d, err := common()
	if err != nil {
		return Dialect{}, &Fault{Text: err.Error()}
	}
	if fault := fill(reflect.ValueOf(&d).Elem(), root, ""); fault != nil {
		return Dialect{}, fault
	}
	d.Prompt = strings.TrimSuffix(d.Prompt, "\n")
	if wrong := d.check(); wrong.text != "" {
		return Dialect{}, located(root, wrong)
	}
	return d, nil
}

// readTree parses a file that holds one value.
func readTree(text string) (ast.Node, *Fault) {
	if fault := checkTokens(lexer.Tokenize(text)); fault != nil {
		return nil, fault
	}
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return nil, syntaxFault(err)
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, &Fault{Line: 1, Text: "the file holds nothing but comments; " + seeFields}
	}
	return file.Docs[0].Body, nil
}

// checkTokens finds what a dialect has no use for and what could unfold a small
// file to a huge value, or keep its reader busy for minutes.
func checkTokens(tokens token.Tokens) *Fault {
	depth, dashes := 0, 0
	for i, t := range tokens {
		if t.Type != token.SequenceEntryType {
			dashes = 0
		}
		switch t.Type {
		case token.AliasType, token.AnchorType:
			return &Fault{Line: t.Position.Line, Text: "references (& and *) are not taken here; write the value out, or put a text that begins so in quotes"}
		case token.DocumentHeaderType, token.DocumentEndType:
			if i > 0 {
				return &Fault{Line: t.Position.Line, Text: "a second document begins here; a file holds one dialect"}
			}
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType:
			dashes++
		}
		if depth > maxDepth || dashes > maxDepth {
			return &Fault{Line: t.Position.Line, Text: fmt.Sprintf("lists and objects nest more than %d deep here, which no dialect needs", maxDepth)}
		}
	}
	return nil
}

// syntaxFault is a parser's error as one line.
func syntaxFault(err error) *Fault {
	var known yaml.Error
	if !errors.As(err, &known) {
		return &Fault{Line: 1, Text: firstLine(err.Error())}
	}
	f := &Fault{Line: 1, Text: firstLine(known.GetMessage())}
	if t := known.GetToken(); t != nil {
		f.Line = t.Position.Line
	}
	return f
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// AsFile writes the dialect as Load reads it.
func (d Dialect) AsFile() ([]byte, error) {
	raw, err := yaml.MarshalWithOptions(d, yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true))
	if err != nil {
		return nil, fmt.Errorf("dialect %s: %w", d.Name, err)
	}
	return raw, nil
}
