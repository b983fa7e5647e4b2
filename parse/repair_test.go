package parse_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fara/parse"
)

// pair shows a repair's rule: a reply that needs the repair, and a neighbour that
// is refused because the rule does not hold.
type pair struct {
	Repair  parse.Repair `json:"repair"`
	Rule    string       `json:"rule"`
	Needs   sample       `json:"needs"`
	Refused sample       `json:"refused"`
}

func pairs(t *testing.T) []pair {
	t.Helper()
	data, err := os.ReadFile("testdata/repairs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []pair
	for line := range strings.Lines(string(data)) {
		var p pair
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&p); err != nil {
			t.Fatalf("line %d: %v", len(all)+1, err)
		}
		all = append(all, p)
	}
	return all
}

func TestRepairsKeepTheirRules(t *testing.T) {
	for _, p := range pairs(t) {
		got, err := p.Needs.read()
		if err != nil || !slices.Contains(got.Repairs, p.Repair) {
			t.Errorf("%s: %q gives repairs %q and %v, want it repaired", p.Repair, p.Needs.Reply, got.Repairs, err)
		}
		if got, err := p.Refused.read(); err == nil {
			t.Errorf("%s (%s): %q gives %s with repairs %q, want it refused", p.Repair, p.Rule, p.Refused.Reply, show(got.Call), got.Repairs)
		}
	}
}

// declared gives the repairs that the package declares, with their comments.
func declared(t *testing.T) map[parse.Repair]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "repair.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	found := map[parse.Repair]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Repair" {
			return true
		}
		name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		found[parse.Repair(name)] = spec.Doc.Text()
		return true
	})
	return found
}

func TestEveryRepairHasItsRuleAndItsPair(t *testing.T) {
	shown := map[parse.Repair]bool{}
	for _, p := range pairs(t) {
		shown[p.Repair] = p.Rule != ""
	}
	all := declared(t)
	for repair, comment := range all {
		if len(comment) < 60 {
			t.Errorf("%s: its comment is %q, want the rule that makes it safe", repair, comment)
		}
		if !shown[repair] {
			t.Errorf("%s: testdata/repairs.jsonl shows no reply that needs it and none that is refused", repair)
		}
		delete(shown, repair)
	}
	if len(all) < 20 || len(shown) > 0 {
		t.Errorf("got %d repairs, and pairs of unknown ones: %v", len(all), shown)
	}
}
