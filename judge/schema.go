package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"fara/trajectory"
)

// Schema is a JSON Schema that answers are held to.
type Schema struct {
	compiled *jsonschema.Schema
	text     string
}

// schemaName is the schema's address for the library, which never fetches it.
const schemaName = "schema:answer"

// ParseSchema reads a JSON Schema: of the draft it names, or of 2020-12. Formats
// such as "date" count. It stands alone: nothing it refers to is fetched. The error
// is a *userfile.Fault that names the text by name.
func ParseSchema(name string, raw []byte) (*Schema, error) {
	s, fault := parseSchema(bytes.TrimPrefix(raw, []byte("\ufeff")))
	if fault != nil {
		fault.File = name
		return nil, fault
	}
	return s, nil
}

// noFetch refuses every address that is not the schema's own.
type noFetch struct{}

var errFetch = errors.New("nothing is fetched; put it into this file below $defs, and refer to it as #/$defs/NAME")

func (noFetch) Load(string) (any, error) { return nil, errFetch }

// Text is the schema as compact JSON, to be shown to a model.
func (s *Schema) Text() string { return s.text }

// Verify rejects an answer that does not conform. No model is asked.
func (s *Schema) Verify(ctx context.Context, c Case) (trajectory.Verdict, error) {
	v := c.verdict(BySchema)
	if ctx.Err() != nil {
		return v, context.Cause(ctx)
	}
	readings, err := readingsOf(c.Answer)
	var first error
	for _, value := range readings {
		failed := s.compiled.Validate(value)
		if failed == nil {
			v.Accepted = true
			return v, nil
		}
		if first == nil {
			first = failed
		}
	}
	if err != nil && (first == nil || notText(first)) {
		return rejected(v, Wrong, "the answer has to be JSON that fits a schema, and it is not: "+err.Error()), nil
	}
	return rejected(v, Wrong, "the answer does not fit its schema: "+explained(first)), nil
}

// explained is a validation's failure in one line: the parts that do not fit, at
// most three.
func explained(err error) string {
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return oneLine(err.Error(), 300)
	}
	var parts []string
	for _, leaf := range leaves(failed) {
		if len(parts) == 3 {
			parts = append(parts, "and more")
			break
		}
		text := oneLine(saying(leaf), 200)
		if len(leaf.InstanceLocation) > 0 {
			text = "at " + strings.Join(leaf.InstanceLocation, ".") + ": " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// notText reports whether a value failed only for being a text.
func notText(err error) bool {
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return false
	}
	for _, leaf := range leaves(failed) {
		if _, ok := leaf.ErrorKind.(*kind.Type); ok && len(leaf.InstanceLocation) == 0 {
			return true
		}
	}
	return false
}

func saying(e *jsonschema.ValidationError) string {
	return e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
}

// leaves are the failures that no other explains.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, c := range e.Causes {
		all = append(all, leaves(c)...)
	}
	return all
}

// compact is JSON without white space.
func compact(raw []byte) string {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return string(raw)
	}
	return b.String()
}

// said is a compile error in one line, without the schema's made-up address.
func said(err error) string {
	return oneLine(strings.NewReplacer("'"+schemaName+"#'", "the schema", schemaName+"#", "#", schemaName, "the schema").Replace(err.Error()), 300)
}

var errNotSchema = errors.New(`a JSON Schema is an object, such as {"type": "object", "required": ["price"]}`)
