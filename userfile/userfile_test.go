package userfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"fara/userfile"
)

// recipe is what these files hold.
type recipe struct {
	Name  string         `json:"name"`
	Serve int            `json:"serves"`
	Hot   bool           `json:"hot"`
	Grams float64        `json:"grams"`
	Tags  userfile.Texts `json:"tags"`
	Steps []step         `json:"steps"`
	Notes map[string]int `json:"notes"`
	Side  *step          `json:"side"`
}

type step struct {
	Do string `json:"do"`
}

var kind = userfile.Kind{Noun: "recipe", See: "see the cook book"}

func TestYAMLAndJSONReadAlike(t *testing.T) {
	want := recipe{Name: "Tea", Serve: 2, Hot: true, Grams: 2.5, Tags: userfile.Texts{"green"}, Steps: []step{{"boil"}, {"pour"}}, Notes: map[string]int{"sugar": 0}, Side: &step{"bake"}}
	for name, text := range map[string]string{
		"tea.yaml":     "# ours\nname: Tea\nserves: 2\nhot: true\ngrams: 2.5\ntags: green\nsteps:\n  - do: boil\n  - do: pour\nnotes: {sugar: 0}\nside:\n  do: bake\n",
		"tea.json":     `{"name":"Tea","serves":2,"hot":true,"grams":2.5,"tags":["green"],"steps":[{"do":"boil"},{"do":"pour"}],"notes":{"sugar":0},"side":{"do":"bake"}}`,
		"windows.yaml": "\ufeffname: Tea\r\nserves: 2\r\nhot: true\r\ngrams: 2.5\r\ntags: [green]\r\nsteps: [{do: boil}, {do: pour}]\r\nnotes: {sugar: 0}\r\nside: {do: bake}\r\n",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var got recipe
		if _, err := kind.Read(path, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, want)
		}
	}
}

func TestFaultsNameTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "r.yaml:1: the file is empty; see the cook book",
		"# nothing\n":                          "r.yaml:1: the file holds nothing but comments",
		"name: Tea\nfree: true\n":              "r.yaml:2: there is no field free; here are: name, serves",
		"name: Tea\nname: Coffee\n":            "r.yaml:2:",
		"name: Tea\nserves: two\n":             "r.yaml:2: serves takes",
		"name: Tea\nserves: 2.5\n":             "r.yaml:2: serves takes",
		"name: 7\n":                            "put it in quotes",
		"name: Tea\nsteps:\n - do: a\n - b\n":  "r.yaml:4: steps[1] takes",
		"name: &x Tea\n":                       "r.yaml:1: references",
		"name: Tea\n---\nname: Coffee\n":       "r.yaml:2: a second document",
		"name: [Tea\n":                         "r.yaml:1:",
		"\x00\x01":                             "no text in UTF-8",
		"- a\n- b\n":                           "a recipe is",
		strings.Repeat("[", 40):                "r.yaml:1:",
		"name: " + strings.Repeat("x", 1<<20):  "larger than a megabyte",
		"{\"name\": \"Tea\",\n\"serves\": {}}": "r.yaml:2: serves takes",
	} {
		var got recipe
		_, err := kind.Decode("r.yaml", []byte(text), &got)
		var fault *userfile.Fault
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: got %v, want one line with %q", text, err, want)
		}
	}
}

func TestACallersFaultStandsAtItsField(t *testing.T) {
	var r recipe
	file, err := kind.Decode("r.yaml", []byte("name: Tea\nsteps:\n  - do: boil\n  - do: wait\n"), &r)
	if err != nil {
		t.Fatal(err)
	}
	if got := file.Fault("steps[1].do", "nobody waits").Error(); got != "r.yaml:4: nobody waits" {
		t.Errorf("got %q", got)
	}
}

func TestWhatIsEncodedReadsTheSame(t *testing.T) {
	want := recipe{Name: "Tea: a \"long\" one", Tags: userfile.Texts{"one\ntwo\n"}, Steps: []step{{"- boil"}}}
	text, err := userfile.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	var got recipe
	if _, err := kind.Decode("r.yaml", text, &got); err != nil || !reflect.DeepEqual(got.Steps, want.Steps) || got.Name != want.Name || !reflect.DeepEqual(got.Tags, want.Tags) {
		t.Errorf("got %+v, %v from\n%s", got, err, text)
	}
}
