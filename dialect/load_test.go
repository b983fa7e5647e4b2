package dialect_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"fara/dialect"
	"fara/userfile"
)

// written puts a dialect's file somewhere.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func asFile(t *testing.T, name string) string {
	t.Helper()
	raw, err := get(t, name).AsFile()
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestEveryDialectComesBackFromItsFile(t *testing.T) {
	for _, name := range dialect.Names() {
		text := asFile(t, name)
		for form, text := range map[string]string{
			"as printed": text, "windows": "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"), "recorded": string(get(t, name).Speech()),
		} {
			got, err := dialect.Load(written(t, text))
			if err != nil {
				t.Errorf("%s, %s: %v", name, form, err)
				continue
			}
			if want := get(t, name); !reflect.DeepEqual(normal(got), normal(want)) {
				t.Errorf("%s, %s: got %+v, want %+v", name, form, got, want)
			}
		}
	}
}

// normal takes empty lists for none.
func normal(d dialect.Dialect) dialect.Dialect {
	back, err := dialect.Restore([]byte(strings.NewReplacer(":[]", ":null").Replace(string(d.Speech()))))
	if err != nil {
		return d
	}
	return back
}

func TestAFileMayLeaveOutOurTurns(t *testing.T) {
	text := asFile(t, "qwen3-vl")
	at := strings.Index(text, "\nturns:")
	end := at + 1 + strings.Index(text[at+1:], "\nprompt:")
	got, err := dialect.Load(written(t, text[:at]+"\nturns:\n  nudge: Now you.\n"+text[end+1:]))
	want := get(t, "qwen3-vl").Turns
	want.Nudge = "Now you."
	if err != nil || got.Turns != want {
		t.Errorf("got %+v, %v, want %+v", got.Turns, err, want)
	}
}

func TestWrongFieldsAreNamedByTheirLine(t *testing.T) {
	good := asFile(t, "fara-7b")
	text := asFile(t, "ui-tars-1.5")
	bombs := "a: &a [x, x]\nb: &b [*a, *a]\n"
	for _, c := range []struct {
		name, text, old, new, want string
	}{
		{"unknown field", good, "space: pixels", "spaces: pixels", "there is no field spaces; here are: name, "},
		{"unknown inner field", good, "factor: 28", "factors: 28", "there is no field grid.factors; here are: factor, min_pixels, max_pixels"},
		{"wrong type", good, "factor: 28", "factor: wide", "grid.factor takes a whole number, and here is a text"},
		{"a list where a word belongs", good, "space: pixels", "space: [pixels]", "space takes a text, and here is a list"},
		{"half a pixel", good, "factor: 28", "factor: 28.5", "grid.factor takes a whole number, and here is a number"},
		{"a number in quotes", good, "factor: 28", `factor: "28"`, "grid.factor takes a whole number, and here is a text"},
		{"a number far too large", good, "factor: 28", "factor: 99999999999999999999", "grid.factor takes a whole number"},
		{"no number at all", good, "scroll_step: 400.0", "scroll_step: .nan", "scroll_step is the length of every scroll"},
		{"a number for a word", good, "name: fara-7b", "name: 1.5", "name takes a text, and here is a number; put it in quotes"},
		{"an object for a list", good, "others: []", "others: {}", "others takes a list, and here is an object"},
		{"a hole in a list", good, "others: []", "others: [~]", "others[0] takes a text, and here is nothing"},
		{"no space", good, "space: pixels", "# none", "space is missing here: space is one of"},
		{"no width", good, "w: 1428", "# none", "viewport is the page's size"},
		{"nothing for a space", good, "space: pixels", "space:", "space is one of"},
		{"tabs", good, "factor: 28", "factor: 28\n\tmore: 1", ""},
		{"a second document", good, "space: pixels", "space: pixels\n---\nname: other", "a second document begins here"},
		{"a merge", good, "space: pixels", "space: pixels\n<<: {name: x}", "there is no field <<"},
		{"twice", good, "space: pixels", "space: pixels\nspace: pixels", "space"},
		{"no YAML", good, "space: pixels", "space: \"pixels", ""},
		{"unknown space", good, "space: pixels", "space: inches", "space is one of 0-1000, pixels, 0-1"},
		{"unknown form", good, "reply: tagged", "reply: xml", "reply is one of tagged, text, object"},
		{"no name", good, "name: fara-7b", `name: ""`, "name is what runs are recorded with"},
		{"grid of nothing", good, "factor: 28", "factor: 0", "grid.factor is the side"},
		{"grid upside down", good, "max_pixels: 12845056", "max_pixels: 100", "grid.max_pixels is the most"},
		{"no viewport", good, "w: 1428", "w: 0", "viewport is the page's size"},
		{"viewport too narrow", good, "w: 1428", "w: 2", "more than 200 times longer"},
		{"unknown action", good, "name: mouse_move", "name: teleport", `there is no action "teleport"`},
		{"action twice", good, "name: mouse_move", "name: key", "the action key is there twice"},
		{"no end", good, "name: terminate", "name: hscroll", "the actions lack terminate"},
		{"unknown argument", good, "name: press_enter", "name: hit_enter", `there is no argument "hit_enter"`},
		{"unknown type", good, "type: boolean", "type: bool", "type is one of string, number, boolean, array"},
		{"value that does not fit", good, "nudge: ", "nudge: 100 % ", "turns.nudge takes no value"},
		{"value missing", good, "budget: You have at most %d", "budget: You have at most ten", "turns.budget needs %d"},
		{"unknown placeholder", good, "{{tools}}", "{{tool}}", "unknown placeholder {{tool}}"},
		{"no way to write it", text, "form: click(", "form: (", "form is how a reply writes the action"},
		{"an action without what it needs", good, "    needs:\n      - coordinate\n", "    needs: []\n", "a call of mouse_move with the arguments it needs could not be read"},
		{"references", good, "space: pixels", "space: pixels\n" + bombs, "references"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(c.text, c.old) {
				t.Fatalf("the file has no %q:\n%s", c.old, c.text)
			}
			path := written(t, strings.Replace(c.text, c.old, c.new, 1))
			_, err := dialect.Load(path)
			var fault *userfile.Fault
			if !errors.As(err, &fault) {
				t.Fatalf("got %v, want a fault", err)
			}
			if fault.File != path || fault.Line == 0 || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, want one line with file, line and %q", err, c.want)
			}
		})
	}
}

func TestAFaultIsAtItsVeryLine(t *testing.T) {
	good := asFile(t, "fara-7b")
	for old, change := range map[string]struct {
		new   string
		below int // lines below the one that was changed
	}{
		"factor: 28":           {"factor: wide", 0},
		"space: pixels":        {"space: inches", 0},
		"min_pixels: 3136":     {"min_pixels: 0", 0},
		"name: mouse_move":     {"name: teleport", 0},
		"type: boolean":        {"type: bool", 0},
		"      - coordinate\n": {"      - place\n", 0},
		"nudge: ":              {"nudge: 100 % ", 0},
		"w: 1428":              {"w: 0", -1}, // the viewport as a whole
		"answer: thoughts":     {"answer: thoughts\nanswers: x", 1},
		"{{tools}}":            {"{{tool}}", 0},
	} {
		at := strings.Index(good, old)
		if at < 0 {
			t.Fatalf("the file has no %q", old)
		}
		_, err := dialect.Load(written(t, strings.Replace(good, old, change.new, 1)))
		want := 1 + strings.Count(good[:at], "\n") + change.below
		var fault *userfile.Fault
		if !errors.As(err, &fault) || fault.Line != want {
			t.Errorf("%s for %s: got %v, want line %d", change.new, old, err, want)
		}
	}
}

// TestHostileFilesEndAtOnce reads what would keep a careless reader busy.
func TestHostileFilesEndAtOnce(t *testing.T) {
	deep := func(s string) string { return strings.Repeat(s, 100_000) }
	var steps strings.Builder
	for i := range 1000 {
		steps.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	for name, text := range map[string]string{
		"brackets": deep("["), "closed brackets": "name: " + deep("[") + deep("]"), "braces": deep("{a: "), "dashes": deep("- "),
		"questions": deep("? "), "quotes": `name: "` + deep("x") + `"`, "steps": steps.String(), "bangs": deep("!a "), "pipes": deep("|\n"),
		"billion laughs": "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", "many keys": deep("a: 1\n"), "NUL": deep("\x00"), "bad UTF-8": "name: k\xf6ln",
		"UTF-16": "\xff\xfen\x00a\x00m\x00e\x00", "a program": "\x7fELF" + deep("\xff"),
	} {
		began := time.Now()
		_, err := dialect.Load(written(t, text))
		var fault *userfile.Fault
		if !errors.As(err, &fault) || strings.Contains(err.Error(), "\n") || len(fault.Text) > 400 {
			t.Errorf("%s: got %.500v, want one line about the file", name, err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}

func TestFilesThatAreNoDialect(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "blank": " \n\n", "a word": "hello", "a list": "- a\n- b\n", "binary": "\x00\x01\xff", "huge": strings.Repeat("# no\n", 1<<19),
		"an object of nothing": "{}", "a name": "name: mine\n",
	} {
		_, err := dialect.Load(written(t, text))
		var fault *userfile.Fault
		if !errors.As(err, &fault) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
			t.Errorf("%s: got %v, want one line about the file", name, err)
		}
	}
	if _, err := dialect.Load(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: got %v", err)
	}
}
