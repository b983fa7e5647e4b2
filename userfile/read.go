package userfile

import (
	"bytes"
	"io"
	"os"
	"reflect"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// maxFile bounds a file in bytes; real ones have a few thousand.
const maxFile = 1 << 20

// Kind names a kind of file in what is said about one.
type Kind struct {
	// Noun is what a file holds, without an article, such as "dialect".
	Noun string
	// See says where a user finds what is expected, as half a sentence.
	See string
}

// File is a file that was read, kept for saying where a value of it stands.
type File struct {
	name string
	root ast.Node
}

// Text reads the file at path for Decode, as far as it can be one: of a longer file
// only the beginning, which Decode then says is too long. An error of opening or
// reading it is returned as it came.
func Text(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxFile+1))
}

// Read fills what into points to from the file at path, as Text and Decode do.
func (k Kind) Read(path string, into any) (*File, error) {
	raw, err := Text(path)
	if err != nil {
		return nil, err
	}
	return k.Decode(path, raw, into)
}

// Decode fills what into points to from a text in YAML or JSON. Fields go by
// their json tags; what the text leaves out stays as it is, and a null is as good
// as nothing. A value may be a struct, a slice, a map by text, a pointer, a
// text, true or false, an int, a float64, or Texts. The error is a *Fault that
// names the text by name; into may then be filled in part.
func (k Kind) Decode(name string, raw []byte, into any) (*File, error) {
	root, fault := k.tree(raw)
	if fault == nil {
		fault = k.fill(reflect.ValueOf(into).Elem(), root, "")
	}
	if fault != nil {
		fault.File = name
		return nil, fault
	}
	return &File{name, root}, nil
}

// tree reads a text that holds one value.
func (k Kind) tree(raw []byte) (ast.Node, *Fault) {
	raw = bytes.ReplaceAll(bytes.TrimPrefix(raw, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	switch {
	case len(raw) > maxFile:
		return nil, &Fault{Text: "it is larger than a megabyte, which no " + k.Noun + " is"}
	case len(bytes.TrimSpace(raw)) == 0:
		return nil, &Fault{Line: 1, Text: "the file is empty; " + k.See}
	case !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0:
		return nil, &Fault{Line: 1, Text: "the file is no text in UTF-8; save it as UTF-8"}
	}
	return k.parse(string(raw))
}

// Encode writes a value as Decode reads it, texts of several lines as blocks.
func Encode(value any) ([]byte, error) {
	return yaml.MarshalWithOptions(value, yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true))
}
