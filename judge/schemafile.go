package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"fara/userfile"
)

// parseSchema compiles a schema, and finds the line of what is wrong in it.
func parseSchema(raw []byte) (*Schema, *userfile.Fault) {
	switch {
	case len(raw) > maxFile:
		return nil, fault(0, "it is larger than a megabyte, which no schema of an answer is")
	case len(bytes.TrimSpace(raw)) == 0:
		return nil, fault(1, "the file is empty; %v", errNotSchema)
	case !utf8.Valid(raw):
		return nil, fault(1, "this is no text in UTF-8; save it as UTF-8")
	}
	doc, f := decodeSchema(raw)
	if f != nil {
		return nil, f
	}
	if _, ok := doc.(map[string]any); !ok {
		return nil, fault(lineAt(raw, nil), "%v", errNotSchema)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.UseLoader(noFetch{})
	if err := compiler.AddResource(schemaName, doc); err != nil {
		return nil, compileFault(raw, err)
	}
	compiled, err := compiler.Compile(schemaName)
	if err != nil {
		return nil, compileFault(raw, err)
	}
	return &Schema{compiled, compact(raw)}, nil
}

// decodeSchema reads the file's one JSON value.
func decodeSchema(raw []byte) (any, *userfile.Fault) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return doc, nil
	case errors.As(err, &syntax):
		return nil, fault(lineOfOffset(raw, syntax.Offset), "this is no JSON: %v", syntax)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fault(lineOfOffset(raw, int64(len(bytes.TrimSpace(raw)))), "the JSON breaks off here; a bracket or a quote is not closed")
	}
	return nil, fault(1, "this is no JSON: %s", oneLine(err.Error(), 200))
}

// compileFault is why a schema cannot be used.
func compileFault(raw []byte, err error) *userfile.Fault {
	var invalid *jsonschema.SchemaValidationError
	var failed *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &failed) {
		return invalidFault(raw, failed)
	}
	var load *jsonschema.LoadURLError
	var regex *jsonschema.InvalidRegexError
	var pointer *jsonschema.JSONPointerNotFoundError
	switch {
	case errors.As(err, &load):
		return fault(lineOfText(raw, load.URL), "%s cannot be referred to: %v", oneLine(load.URL, 200), errFetch)
	case errors.As(err, &regex):
		return fault(lineOfText(raw, regex.Regex), "%q is no pattern that can be used here: %s", regex.Regex, oneLine(regex.Err.Error(), 200))
	case errors.As(err, &pointer):
		_, at, _ := strings.Cut(pointer.URL, "#")
		return fault(lineOfText(raw, "#"+at), "#%s refers to nothing in this file", at)
	}
	return fault(1, "%s", said(err))
}

// invalidFault says where a schema is none. Of the failures the deepest ones are
// meant: the others only say that a part of them failed.
func invalidFault(raw []byte, failed *jsonschema.ValidationError) *userfile.Fault {
	var deepest *jsonschema.ValidationError
	var ways []string
	for _, leaf := range leaves(failed) {
		if deepest == nil || len(leaf.InstanceLocation) > len(deepest.InstanceLocation) {
			deepest, ways = leaf, nil
		}
		if strings.Join(leaf.InstanceLocation, "\x00") == strings.Join(deepest.InstanceLocation, "\x00") {
			ways = append(ways, oneLine(saying(leaf), 200))
		}
	}
	where := "the schema"
	if at := deepest.InstanceLocation; len(at) > 0 {
		where = strings.Join(at, ".")
	}
	return fault(lineAt(raw, deepest.InstanceLocation), "%s is wrong: %s", where, strings.Join(ways, ", or "))
}

func lineOfOffset(raw []byte, offset int64) int {
	return 1 + bytes.Count(raw[:max(0, min(offset-1, int64(len(raw))))], []byte("\n"))
}

// lineOfText is the first line that has a text in quotes, in JSON's spelling.
func lineOfText(raw []byte, text string) int {
	spelled, _ := json.Marshal(text) // a text always can be
	at := bytes.Index(raw, spelled)
	if at < 0 {
		at = bytes.Index(raw, []byte(text))
	}
	return lineOfOffset(raw, int64(max(at, 0)+1))
}

// lineAt is the line of the value at a path of names and numbers in a JSON text; of
// the last one on the way when it is not there.
func lineAt(raw []byte, path []string) int {
	dec := json.NewDecoder(bytes.NewReader(raw))
	line := lineOfOffset(raw, int64(len(raw)-len(bytes.TrimLeft(raw, " \t\r\n"))+1))
	for _, part := range path {
		if !enter(dec, part) {
			return line
		}
		line = lineOfOffset(raw, dec.InputOffset())
	}
	return line
}

// enter goes to the member or the item of that name of the value that comes next.
func enter(dec *json.Decoder, part string) bool {
	open, err := dec.Token()
	if err != nil {
		return false
	}
	for i := 0; dec.More(); i++ {
		name := strconv.Itoa(i)
		if open == json.Delim('{') {
			key, err := dec.Token()
			if err != nil {
				return false
			}
			name = fmt.Sprint(key)
		}
		if name == part {
			return true
		}
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return false
		}
	}
	return false
}
