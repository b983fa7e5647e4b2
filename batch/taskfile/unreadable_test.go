package taskfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"fara/batch/taskfile"
)

// written gives the path of a file with that text.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// utf16LE is a text as some editors save it.
func utf16LE(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		b.WriteByte(byte(unit))
		b.WriteByte(byte(unit >> 8))
	}
	return b.String()
}

func TestFileWithoutTasksIsRefusedInClearWords(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty.jsonl", "", "is empty; known are JSONL"},
		{"blank.csv", "\ufeff\r\n \n", "is empty; known are JSONL"},
		{"header.csv", "id,task,url\n", "holds no task"},
		{"list.json", "[]", "holds no task"},
		{"wide.jsonl", "\xff\xfe" + utf16LE(`{"id":"a","task":"b"}`), "is in UTF-16; save it as UTF-8"},
		{"unmarked.csv", utf16LE("id,task\na,b\n"), "UTF-16, or a file of another kind"},
		{"zip.tsv", "PK\x03\x04\x00\x00", "UTF-16, or a file of another kind"},
		{"page.jsonl.html", "<!DOCTYPE html>\n<p>404</p>", "looks like a web page"},
		{"words.json", "tasks: none", "is no JSON, which begins with [ or {"},
		{"notes.txt", "buy tea\nbuy coffee\n", "is in no format of task files that is known; known are JSONL"},
		{"other.csv", "name,age\na,1\n", "is in no format of task files that is known; known are JSONL"},
		{"other.jsonl", "{\"prompt\": \"a\", \"n\": 1}\n", "what stands on line 1 has prompt, n; known are JSONL"},
		{"twice.csv", "id,task,note,note\na,b,c,d\n", "twice.csv:1: the header has note twice"},
	} {
		path := written(t, c.name, c.text)
		if file, err := taskfile.Read(path, options()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %+v, %v, want an error with %q", c.name, file, err, c.want)
		}
	}
}

func TestWhatCannotBeOpenedIsNamed(t *testing.T) {
	folder := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(folder, "none.jsonl"): "no such file",
		folder:                              "is a folder; name a file of tasks in it",
	} {
		if _, err := taskfile.Read(path, options()); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), folder) {
			t.Errorf("%s: got %v, want it named with %q", path, err, want)
		}
	}
}

func TestFormatThatIsAskedForIsHeldTo(t *testing.T) {
	voyager := `{"id":"a","ques":"x","web":"a.test"}`
	for _, c := range []struct {
		name, text string
		as         taskfile.Format
		want       string // of the error, or of the first fault
	}{
		{"a.jsonl", voyager, "voyager", `there is no format "voyager" of task files; use fara, webvoyager, online-mind2web, webtailbench, table`},
		{"a.jsonl", voyager, taskfile.Fara, "a.jsonl:1: there is no key ques"},
		{"a.csv", "id,ques\na,x\n", taskfile.OnlineMind2Web, "has no header with a column confirmed_task, which is where online-mind2web has its tasks"},
		{"a.jsonl", voyager, taskfile.WebVoyager, ""},
		{"a.csv", "id,ques,task\na,x,y\n", taskfile.Table, ""},
	} {
		opt := options()
		opt.Format = c.as
		file, err := taskfile.Read(written(t, c.name, c.text), opt)
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case len(file.Faults) > 0:
			got = file.Faults[0].Error()
		}
		if !strings.Contains(got, c.want) || c.want == "" && (got != "" || len(file.Tasks) != 1 || file.Format != c.as) {
			t.Errorf("%s as %s: got %q and %+v, want %q", c.text, c.as, got, file, c.want)
		}
	}
}
