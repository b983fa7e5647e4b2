package judge_test

import (
	"errors"
	"strings"
	"testing"

	"fara/judge"
	"fara/userfile"
)

func TestSchemaHoldsAnswersToIt(t *testing.T) {
	object := `{"type":"object","required":["price","name"],"properties":{"price":{"type":"number"},"name":{"type":"string"},"on":{"type":"string","format":"date"}},"additionalProperties":false}`
	for _, c := range []struct {
		schema, answer string
		ok             bool
		reason         string
	}{
		{object, `{"price": 12.5, "name": "tea"}`, true, ""},
		{object, "```json\n{\"price\": 12.5, \"name\": \"tea\"}\n```", true, ""},
		{object, "```\n{\"price\": 12.5, \"name\": \"tea\"}```", true, ""},
		{object, `{"price": "12.5", "name": "tea"}`, false, "at price: got string, want number"},
		{object, `{"name": "tea"}`, false, "missing property 'price'"},
		{object, `{"price": 1, "name": "tea", "x": 1}`, false, "'x'"},
		{object, `{"price": 1, "name": "tea", "on": "yesterday"}`, false, "at on"},
		{object, `{"price": 1, "name": "tea"`, false, "not: it breaks off before its end"},
		{object, `{'price': 1}`, false, "has to be JSON that fits a schema, and it is not: invalid character '\\''"},
		{object, `Here it is: {"price": 1, "name": "tea"}`, false, "has to be JSON"},
		{object, `{"price": 1, "name": "tea"} and more`, false, "after top-level value"},
		{object, "", false, "not: it is empty"},
		{`{"type":"array","items":{"type":"integer"},"minItems":2}`, `[1, 2]`, true, ""},
		{`{"type":"array","items":{"type":"integer"},"minItems":2}`, `[1, "a", "b", "c", "d"]`, false, "at 1: got string, want integer; at 2: got string, want integer; at 3: got string, want integer; and more"},
		{`{"type":"string"}`, "Paris", true, ""},
		{`{"type":"string"}`, `"Paris"`, true, ""},
		{`{"type":"string","minLength":1}`, "", false, "minLength"},
		{`{"type":"string","pattern":"^[A-Z]{3}$"}`, "EUR", true, ""},
		{`{"type":"string","pattern":"^[A-Z]{3}$"}`, "euro", false, "does not match pattern"},
		{`{"type":"string"}`, "42", true, ""},
		{`{"type":"string"}`, `{"half":`, false, "has to be JSON"},
		{`{"type":"number"}`, "1,234.50 €", true, ""},
		{`{"type":"number"}`, "12 %", true, ""},
		{`{"type":"number"}`, "1.234", true, ""}, // as JSON it has one meaning
		{`{"type":"number","minimum":1000}`, "1,234", false, ""},
		{`{"type":"number"}`, "about 12 or 13", false, "has to be JSON"},
		{`{"type":"integer"}`, "42", true, ""},
		{`{"type":"integer"}`, "42.5", false, "want integer"},
		{`{"type":"boolean"}`, "Yes.", true, ""},
		{`{"type":"boolean"}`, "maybe", false, "has to be JSON"},
		{`{"enum":["red","blue"]}`, "blue", true, ""},
		{`{"enum":["red","blue"]}`, "green", false, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"string","format":"email"}`, "a@b.test", true, ""},
		{`{"$defs":{"n":{"type":"number"}},"type":"object","properties":{"a":{"$ref":"#/$defs/n"}}}`, `{"a":"x"}`, false, "at a: got string, want number"},
	} {
		s, err := judge.ParseSchema("s.json", []byte(c.schema))
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		v, err := s.Verify(t.Context(), judge.Case{Answer: c.answer})
		if err != nil || v.Accepted != c.ok || !strings.Contains(v.Reason, c.reason) || v.By != judge.BySchema {
			t.Errorf("%q: got %+v, %v, want accepted %v with %q", c.answer, v, err, c.ok, c.reason)
		}
		if !c.ok && (v.Class != judge.Wrong || v.Unsure || v.Reason == "" || strings.Contains(v.Reason, "\n")) {
			t.Errorf("%q: got a rejection of %+v", c.answer, v)
		}
	}
}

func TestSchemaFaultsNameFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "s.json:1: the file is empty; a JSON Schema is an object",
		"\n[1]":                        "s.json:2: a JSON Schema is an object",
		"{\n \"type\": \"object\",\n}": "s.json:3: this is no JSON: invalid character '}'",
		"{\n \"type\": \"object\"\n":   "s.json:2: the JSON breaks off here",
		"type: object\n":               "s.json:1: this is no JSON",
		"{\n \"properties\": {\n  \"price\": {\n   \"type\": \"nummer\"\n  }\n }\n}": "s.json:4: properties.price.type is wrong: value must be one of",
		"{\n \"type\": \"object\",\n \"required\": \"price\"\n}":                     "s.json:3: required is wrong: got string, want array",
		"{\n \"properties\":\n {\"a\": 1}\n}":                                        "s.json:3: properties.a is wrong",
		"{\n \"minItems\": -1 }":                                                     "s.json:2: minItems is wrong",
		"{\n\n \"pattern\": \"(\" }":                                                 "s.json:3: pattern is wrong: '(' is not valid regex",
		"{\n \"pattern\": \"(?=a)\" }":                                               "s.json:2: pattern is wrong: '(?=a)' is not valid regex",
		"{\n \"$ref\": \"#/$defs/x\" }":                                              "s.json:2: #/$defs/x refers to nothing in this file",
		"{\n \"$ref\": \"https://a.test/s.json\" }":                                  "s.json:2: https://a.test/s.json cannot be referred to: nothing is fetched",
		"{\n \"$ref\": \"file:///etc/passwd\" }":                                     "s.json:2: file:///etc/passwd cannot be referred to",
		"{\n \"$schema\": \"https://a.test/meta\" }":                                 "s.json:2: https://a.test/meta cannot be referred to",
		"{\"a\":\"\xff\"}":                                                           "s.json:1: this is no text in UTF-8",
		"{" + strings.Repeat(" ", 1<<20):                                             "s.json: it is larger than a megabyte",
	} {
		_, err := judge.ParseSchema("s.json", []byte(text))
		var f *userfile.Fault
		if !errors.As(err, &f) || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80q: got %v, want one line that begins with %q", text, err, want)
		}
	}
}
