package dialect_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fara/dialect"
	"fara/model"
	"fara/parse"
)

// shape is a JSON Schema, as far as ours use it.
type shape struct {
	Type                 string
	Const                *string
	Enum                 []string
	AnyOf                []shape
	Properties           map[string]shape
	Required             []string
	AdditionalProperties *bool
	Items                *shape
	MinItems             int
	Minimum              *float64
}

// least makes the smallest value of a shape, or with the free members too.
func (s shape) least(free bool) any {
	switch {
	case s.Const != nil:
		return *s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AnyOf) > 0:
		return s.AnyOf[0].least(free)
	case s.Type == "object":
		members := map[string]any{}
		for name, p := range s.Properties {
			if free || slices.Contains(s.Required, name) {
				members[name] = p.least(free)
			}
		}
		return members
	case s.Type == "array":
		return slices.Repeat([]any{s.Items.least(free)}, s.MinItems)
	case s.Minimum != nil:
		return *s.Minimum
	case s.Type == "boolean":
		return true
	case s.Type == "number":
		return 0.5
	}
	return "x"
}

func schema(t *testing.T, d dialect.Dialect) shape {
	t.Helper()
	var s shape
	if err := json.Unmarshal(d.Schema(), &s); err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	return s
}

// alternatives are the calls that a schema has.
func alternatives(s shape) []shape {
	if args, ok := s.Properties["arguments"]; ok {
		return args.AnyOf
	}
	return s.AnyOf
}

func TestEveryActionOfASchemaIsACall(t *testing.T) {
	for _, name := range dialect.Names() {
		d := get(t, name)
		if d.Reply == parse.Text {
			if d.Schema() != nil || d.Tools(d.Viewport) != nil {
				t.Errorf("%s: text has a schema or tools", name)
			}
			continue
		}
		for _, action := range d.Actions {
			alone := d
			alone.Actions = []dialect.Named{action}
			for _, free := range []bool{false, true} {
				raw, err := json.Marshal(schema(t, alone).least(free))
				if err != nil {
					t.Fatal(err)
				}
				got, err := alone.Parse(model.Reply{Text: string(raw), Finish: model.FinishStop}, nil)
				if err != nil || got.Call.Action != string(action.Name) || got.Thoughts != "x" {
					t.Errorf("%s, %s: got %+v, %v for %s", name, action.Name, got, err, raw)
				}
			}
		}
	}
}

func TestASchemaIsClosedAndThinksFirst(t *testing.T) {
	for _, name := range dialect.Names() {
		d := get(t, name)
		if d.Schema() == nil {
			continue
		}
		all := alternatives(schema(t, d))
		if len(all) != len(d.Actions) {
			t.Fatalf("%s: got %d actions in the schema, want %d", name, len(all), len(d.Actions))
		}
		for i, a := range all {
			want := append([]string{"action"}, d.Actions[i].Needs...)
			got := slices.DeleteFunc(a.Required, func(name string) bool { return name == "thoughts" })
			if !reflect.DeepEqual(got, want) || a.AdditionalProperties == nil || *a.AdditionalProperties {
				t.Errorf("%s, %s: requires %v, want %v and nothing else", name, d.Actions[i].Name, got, want)
			}
		}
		text := string(d.Schema())
		if thoughts, action := strings.Index(text, `"thoughts"`), strings.Index(text, `"action"`); thoughts < 0 || thoughts > action {
			t.Errorf("%s: the action stands before the thoughts", name)
		}
		for _, bad := range []string{`"pattern"`, `"$ref"`, `"oneOf"`} {
			if strings.Contains(text, bad) {
				t.Errorf("%s: the schema has %s, which not every server takes", name, bad)
			}
		}
	}
}

func TestASchemaOffersWhatTheUsersPromptOffers(t *testing.T) {
	d := get(t, "fara-1.5")
	own, err := d.WithPrompt("<tools>\n"+`{"function": {"parameters": {"properties": {"action": {"enum": ["left_click", "terminate"]}}}}}`+"\n</tools>", picture(t, d))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(alternatives(schema(t, own))); got != 2 {
		t.Errorf("got %d actions in the schema, want the prompt's 2", got)
	}
	if tools := string(own.Tools(picture(t, d))); strings.Contains(tools, "visit_url`:") || !strings.Contains(tools, `"enum":["left_click","terminate"]`) {
		t.Errorf("the tools offer more than the prompt: %s", tools)
	}
}
