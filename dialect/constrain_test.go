package dialect_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"fara/dialect"
	"fara/parse"
)

// taken are the keywords that every server with constrained replies knows:
// OpenAI's own, llama.cpp (with Ollama and LM Studio), vLLM and SGLang.
var taken = []string{
	"type", "const", "enum", "anyOf",
	"properties", "required", "additionalProperties",
	"items", "minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum",
}

// types are those of JSON Schema that ours use, with the keywords beside them.
var types = map[string][]string{
	"object":  {"anyOf", "properties", "required", "additionalProperties"},
	"array":   {"items", "minItems", "maxItems"},
	"string":  {"const", "enum", "minLength", "maxLength"},
	"integer": {"minimum", "maximum"},
	"number":  {"minimum", "maximum"},
	"boolean": {},
}

func TestSchemasKeepToWhatServersTake(t *testing.T) {
	for _, d := range constrainable(t) {
		var root map[string]any
		if err := json.Unmarshal(d.Schema(), &root); err != nil {
			t.Fatal(err)
		}
		if root["type"] != "object" {
			t.Errorf("%s: the schema is of type %v, want object", d.Name, root["type"])
		}
		checkNode(t, d.Name, root)
	}
}

// checkNode goes through a schema.
func checkNode(t *testing.T, at string, n map[string]any) {
	t.Helper()
	kind := fmt.Sprint(n["type"])
	beside, known := types[kind]
	if !known {
		t.Errorf("%s is of type %s, want one of %v", at, kind, slices.Sorted(maps.Keys(types)))
	}
	for key := range n {
		if key != "type" && (!slices.Contains(taken, key) || !slices.Contains(beside, key)) {
			t.Errorf("%s: %s does not go with the type %s everywhere", at, key, kind)
		}
	}
	properties, _ := n["properties"].(map[string]any)
	if required, _ := n["required"].([]any); properties != nil {
		for _, name := range required {
			if properties[name.(string)] == nil {
				t.Errorf("%s requires %v, which it does not have", at, name)
			}
		}
		if n["additionalProperties"] != false {
			t.Errorf("%s is not closed", at)
		}
	}
	for name, p := range properties {
		checkNode(t, at+"."+name, p.(map[string]any))
	}
	if items, ok := n["items"].(map[string]any); ok {
		checkNode(t, at+"[]", items)
	}
	alternatives, _ := n["anyOf"].([]any)
	for i, a := range alternatives {
		checkNode(t, fmt.Sprintf("%s|%d", at, i), a.(map[string]any))
	}
}

// constrainable are the dialects whose replies can be held to a schema, each also
// in the spaces that none of ours has.
func constrainable(t *testing.T) []dialect.Dialect {
	t.Helper()
	var all []dialect.Dialect
	for _, name := range dialect.Names() {
		d := get(t, name)
		if (d.Schema() == nil) != (d.Reply == parse.Text) {
			t.Errorf("%s: a schema of %d bytes for the form %s", name, len(d.Schema()), d.Reply)
		}
		if d.Schema() == nil {
			continue
		}
		fractions := d
		fractions.Name, fractions.Space = name+" in fractions", "0-1"
		all = append(all, d, fractions)
	}
	return all
}
