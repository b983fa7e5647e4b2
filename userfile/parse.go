package userfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxDepth bounds how deep brackets and dashes may nest; real files nest three
// deep. The library's time grows with the square of it.
const maxDepth = 16

func (k Kind) parse(text string) (ast.Node, *Fault) {
	if fault := k.checkTokens(lexer.Tokenize(text)); fault != nil {
		return nil, fault
	}
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return nil, syntaxFault(err)
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, &Fault{Line: 1, Text: "the file holds nothing but comments; " + k.See}
	}
	return file.Docs[0].Body, nil
}

// checkTokens finds what such a file has no use for and what could unfold a small
// file to a huge value, or keep its reader busy for minutes.
func (k Kind) checkTokens(tokens token.Tokens) *Fault {
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
				return &Fault{Line: t.Position.Line, Text: "a second document begins here; a file holds one " + k.Noun}
			}
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType:
			dashes++
		}
		if depth > maxDepth || dashes > maxDepth {
			return &Fault{Line: t.Position.Line, Text: fmt.Sprintf("lists and objects nest more than %d deep here, which no %s needs", maxDepth, k.Noun)}
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
