package parse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestLiteralsReadAsPythonReadsThem compares generated dicts with what Python's
// own reader makes of them. Common notation must be read the same; rare notation
// may be refused but never read otherwise.
func TestLiteralsReadAsPythonReadsThem(t *testing.T) {
	python := findPython(t)
	for _, c := range []struct {
		name string
		rare bool
	}{{"common", false}, {"rare", true}} {
		t.Run(c.name, func(t *testing.T) {
			w := writer{rand: rand.New(rand.NewPCG(7, 11)), rare: c.rare}
			var sources []string
			for range 4000 {
				w.b.Reset()
				w.dict(0)
				sources = append(sources, w.b.String())
			}
			compare(t, sources, evaluate(t, python, sources), c.rare)
		})
	}
}

func findPython(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatal("python3 is not there, so the literals were compared with nothing; install python3")
	}
	t.Skip("NOT COMPARED WITH PYTHON: python3 is not there; install python3")
	return ""
}

// evaluation is what Python makes of one source.
type evaluation struct {
	OK    bool `json:"ok"`
	Value any  `json:"value"`
}

func evaluate(t *testing.T, python string, sources []string) []evaluation {
	t.Helper()
	var in, complaints bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, source := range sources {
		if err := encoder.Encode(source); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), python, "testdata/literal_eval.py")
	cmd.Stdin, cmd.Stderr = &in, &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	var all []evaluation
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var e evaluation
		if err := decoder.Decode(&e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	if len(all) != len(sources) {
		t.Fatalf("got %d answers of Python, want %d", len(all), len(sources))
	}
	return all
}

func compare(t *testing.T, sources []string, python []evaluation, rare bool) {
	t.Helper()
	equal, refused := 0, 0
	for i, source := range sources {
		got := readValue(source, 0)
		read := got.state == whole && got.end == len(source)
		switch {
		case !python[i].OK && !rare:
			t.Fatalf("%s: Python refuses what was written as common", source)
		case !python[i].OK && read && !slices.Contains(got.repairs, RawControl) && finite(got.root):
			t.Fatalf("%s: got %#v, and Python refuses it or reads no JSON value", source, plain(got.root))
		case !python[i].OK:
			refused++
		case !read && !rare:
			t.Fatalf("%s: got %q, want it read as Python does", source, got.problem)
		case read && !reflect.DeepEqual(plain(got.root), python[i].Value):
			t.Fatalf("%s: got %#v, want %#v", source, plain(got.root), python[i].Value)
		case read:
			equal++
		}
	}
	if equal < len(sources)/10 || rare && refused < len(sources)/10 {
		t.Errorf("got %d of %d literals compared and %d refused by both, want more", equal, len(sources), refused)
	}
}

// finite reports whether no number in a node is too large; every use of such a one
// refuses it.
func finite(n node) bool {
	return (n.kind != numberNode || !math.IsInf(n.float(), 0)) && !slices.ContainsFunc(n.items, func(item node) bool { return !finite(item) })
}

// plain gives a node as encoding/json would decode it.
func plain(n node) any {
	switch n.kind {
	case textNode:
		return n.text
	case truthNode:
		return n.truth
	case numberNode:
		return n.float()
	case listNode:
		items := []any{}
		for _, item := range n.items {
			items = append(items, plain(item))
		}
		return items
	case objectNode:
		members := map[string]any{}
		for i, name := range n.names {
			members[name] = plain(n.items[i])
		}
		return members
	}
	return nil
}

// writer writes random Python literals.
type writer struct {
	b    strings.Builder
	rand *rand.Rand
	rare bool // also what may be refused
}

func (w *writer) one(of ...string) string { return of[w.rand.IntN(len(of))] }

func (w *writer) space() { w.b.WriteString(w.one("", "", "", " ", "\n", "\t ")) }

func (w *writer) dict(depth int) {
	w.sequence("{", "}", w.rand.IntN(4), func() {
		w.text()
		w.space()
		w.b.WriteString(":")
		w.space()
		w.value(depth + 1)
	})
}

// sequence writes n items, sometimes with a comma behind the last.
func (w *writer) sequence(opener, closer string, n int, item func()) {
	w.b.WriteString(opener)
	for i := range n {
		w.space()
		item()
		w.space()
		if i < n-1 || w.rand.IntN(4) == 0 {
			w.b.WriteString(",")
		}
	}
	w.space()
	w.b.WriteString(closer)
}

func (w *writer) value(depth int) {
	kinds := 8
	if depth > 3 {
		kinds = 5
	}
	if w.rare && w.rand.IntN(6) == 0 {
		w.odd(depth)
		return
	}
	switch w.rand.IntN(kinds) {
	case 0, 1:
		w.text()
	case 2, 3:
		w.number()
	case 4:
		w.b.WriteString(w.one("True", "False", "None"))
	case 5:
		w.sequence("[", "]", w.rand.IntN(4), func() { w.value(depth + 1) })
	case 6:
		w.sequence("(", ")", w.rand.IntN(4), func() { w.value(depth + 1) })
	case 7:
		w.dict(depth)
	}
}

// odd writes what is rare as a whole value: a set, a call, a text in triple quotes,
// a value in brackets, or nothing but a name.
func (w *writer) odd(depth int) {
	switch w.rand.IntN(5) {
	case 0:
		w.sequence("{", "}", 1+w.rand.IntN(3), func() { w.number() })
	case 1:
		w.b.WriteString(w.one("set()", "frozenset()", "dict(a=1)", "list", "x", "not True", "u", "undefined"))
	case 2:
		quotes := w.one(`"""`, "'''")
		w.b.WriteString(w.one("", "r", "b", "u") + quotes + w.one("a", "it's", `say "hi" now`, "a\nb", `\n`, "", "a'", `a"`) + quotes)
	case 3:
		w.b.WriteString("(")
		w.value(depth + 1)
		w.b.WriteString(")")
	case 4:
		w.b.WriteString("[None, None, (None,), {}]")
	}
}

func (w *writer) number() {
	n := w.rand.IntN(2000)
	s := w.one(fmt.Sprint(n), fmt.Sprintf("%d.%d", n, w.rand.IntN(99)), fmt.Sprintf("%d_000", n+1), fmt.Sprintf("%d.", n),
		fmt.Sprintf(".%d", n), fmt.Sprintf("%de-3", n), "0", "0.0", "00", fmt.Sprintf("1_0.%d_1E+2", n))
	if w.rare && w.rand.IntN(4) == 0 {
		s = w.one(s, "0x1F", "0o17", "0b11", "2j", "1__0", "007", "-+3", "1_", "_1", "5.e3", "0_0", "1e1_0", "inf", "nan", "01.5", "1.5_", "--1", "1e5", "1E+5", "1e999", "1_000.5", "0b2", "1 + 2", "1+2j", "...")
	}
	w.b.WriteString(w.one("", "", "-", "+") + s)
}

// text writes a text in either quotes.
func (w *writer) text() {
	pieces := []string{"a", "it", " ", "True", "None", "é", "😀", "{", "}", "[1,2]", ",", ":", "<tool_call>", "</tool_call>",
		"/", "#", `\n`, `\t`, `\\`, `\'`, `\"`, `\x41`, `\u00e9`, `\U0001F600`, `\0`, `\101`, `\a`, `\v`, `\b`, `\f`, `\r`}
	quote := w.one("'", "'", `"`)
	other := map[string]string{"'": `"`, `"`: "'"}[quote]
	pieces = append(pieces, other)
	rare := w.rare && w.rand.IntN(4) == 0
	if rare {
		pieces = append(pieces, `\d`, `\d`, `\N{BULLET}`, "\\\n", `\é`, `\8`, `\777`, "\n", `\xg1`, `\u12`, `\U00110000`, `\ud83d\ude00`, `\N{LATIN SMALL LETTER A}`, `\x4`, "{a}", "\x00")
		w.b.WriteString(w.one("", "", "", "", "", "", "r", "u", "b", "f", "rb", "R", "U", "F", "''"))
	}
	w.b.WriteString(quote)
	for range w.rand.IntN(6) {
		w.b.WriteString(w.one(pieces...))
	}
	w.b.WriteString(quote)
	if rare && w.rand.IntN(6) == 0 {
		w.b.WriteString(w.one(" 'b'", `"c"`, "''"))
	}
}
