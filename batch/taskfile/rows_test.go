package taskfile_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"fara/batch"
	"fara/batch/taskfile"
)

// read reads a text that is a good file of tasks.
func read(t *testing.T, name, text string) taskfile.File {
	t.Helper()
	file, err := taskfile.Read(written(t, name, text), options())
	if err != nil || len(file.Faults) > 0 {
		t.Fatalf("%s: got %v, faults %v, want none", text, err, file.Faults)
	}
	return file
}

func TestMarksAndLineEndsDoNotCount(t *testing.T) {
	want := []batch.Task{{ID: "a", Task: "x", URL: "a.test", Line: 1}, {ID: "b", Task: "y", Line: 3}}
	text := "\ufeff{\"id\":\"a\",\"task\":\"x\",\"url\":\"a.test\"}\r\n\r\n  {\"id\":\"b\",\"task\":\"y\"}\r\n \r\n"
	if got := read(t, "a.jsonl", text).Tasks; !reflect.DeepEqual(got, want) {
		t.Errorf("JSONL: got %+v, want %+v", got, want)
	}
	want[0].Line, want[1].Line = 2, 4
	if got := read(t, "a.csv", "\ufeffid,task,url\r\na,x,a.test\r\n\r\nb,y,\r\n,,\r\n\r\n").Tasks; !reflect.DeepEqual(got, want) {
		t.Errorf("CSV: got %+v, want %+v", got, want)
	}
}

func TestContentSaysHowRowsStand(t *testing.T) {
	objects := []string{`{"id":"a","task":"x"}`, `{"id":"b","task":"y"}`}
	lines, list := strings.Join(objects, "\n"), "["+strings.Join(objects, ",\n")+"]"
	for _, c := range []struct{ name, text string }{
		{"a.jsonl", lines}, {"a.json", lines}, {"a.txt", lines}, {"a.csv", lines}, {"a", lines},
		{"b.json", list}, {"b.jsonl", list}, {"b.txt", list},
		{"c.csv", "id,task\na,x\nb,y\n"}, {"c.csv", "id\ttask\na\tx\nb\ty\n"}, {"c.tsv", "id,task\na,x\nb,y"}, {"c", "Task;ID\nx;a\ny;b\n"},
	} {
		tasks := read(t, c.name, c.text).Tasks
		if len(tasks) != 2 || tasks[0].ID != "a" || tasks[0].Task != "x" || tasks[1].ID != "b" || tasks[1].Task != "y" {
			t.Errorf("%s with %s: got %+v, want tasks a and b", c.name, c.text, tasks)
		}
	}
}

func TestObjectOverSeveralLinesIsOneTask(t *testing.T) {
	tasks := read(t, "a.json", "{\n  \"id\": \"a\",\n  \"task\": \"x\"\n}\n").Tasks
	if len(tasks) != 1 || tasks[0].ID != "a" {
		t.Errorf("got %+v, want the one task a", tasks)
	}
}

func TestVeryLongRowsAreRead(t *testing.T) {
	rubric := strings.Repeat(`{"criterion": "it says \"tea\""},`, 10_000)
	rubric = "[" + strings.TrimSuffix(rubric, ",") + "]"
	object := fmt.Sprintf(`{"id":"a","ques":"x","web":"","precomputed_rubric":%s}`, rubric)
	cells := "id\ttask_summary\tprecomputed_rubric\na\tx\t\"" + strings.ReplaceAll(rubric, `"`, `""`) + "\"\n"
	for name, text := range map[string]string{"a.jsonl": object, "a.json": "[" + object + "]", "a.tsv": cells} {
		tasks := read(t, name, text).Tasks
		if len(tasks) != 1 || string(tasks[0].Meta["precomputed_rubric"]) != rubric {
			t.Errorf("%s: got %d tasks, want one with its whole rubric", name, len(tasks))
		}
	}
}

func TestIdsThatDifferOnlyInCaseAreTwo(t *testing.T) {
	if tasks := read(t, "a.jsonl", "{\"id\":\"tea\",\"task\":\"x\"}\n{\"id\":\"Tea\",\"task\":\"x\"}\n{\"id\":\"t/ea\",\"task\":\"x\"}\n").Tasks; len(tasks) != 3 {
		t.Errorf("got %+v, want three tasks", tasks)
	}
}

func TestIdIsAtMostTwoHundredBytes(t *testing.T) {
	for length, faults := range map[int]int{200: 0, 201: 1} {
		path := written(t, "a.jsonl", fmt.Sprintf(`{"id":%q,"task":"x"}`, strings.Repeat("i", length)))
		if file, err := taskfile.Read(path, options()); err != nil || len(file.Faults) != faults {
			t.Errorf("%d bytes: got %v, %v, want %d faults", length, err, file.Faults, faults)
		}
	}
}

func TestRowsOfATableKeepTheirNumbersWhenOthersAreBad(t *testing.T) {
	file, err := taskfile.Read(written(t, "a.csv", "task,url\nx,\n\"\",not an address\ny,\n"), options())
	if err != nil || len(file.Faults) != 2 || len(file.Tasks) != 2 || file.Tasks[1].ID != "3" {
		t.Errorf("got %v, tasks %+v, faults %v, want tasks 1 and 3", err, file.Tasks, file.Faults)
	}
}

func TestTypedTableMayHaveQuotesInItsCells(t *testing.T) {
	tasks := read(t, "a.tsv", "id\ttask\turl\na\tFind \"green tea\"\ta.test\n\nb\ty\t\n").Tasks
	if len(tasks) != 2 || tasks[0].Task != `Find "green tea"` || tasks[0].URL != "a.test" || tasks[0].Line != 2 || tasks[1].Line != 4 {
		t.Errorf("got %+v, want a with its quotes, and b", tasks)
	}
}

func TestAddresses(t *testing.T) {
	for address, good := range map[string]bool{
		"https://a.test/x?y=1#z": true, "a.test": true, "//a.test/x": true, "localhost": true, "localhost:3000/x": true, "wiki:80": true,
		"http://wiki/": true, "[::1]:80": true, "127.0.0.1": true, "bücher.test": true, "about:blank": true, "file:///x.html": true,
		"data:text/html,<p>": true, "": true, "  ": true,
		"none": false, "N/A": false, "-": false, "https://": false, "http:/a.test": false, "ht!tp://a.test": false, "mailto:a@b.test": false,
		"javascript:alert(1)": false, "a.test, b.test": false, "https://a.test, https://b.test": false, "http://[::1": false,
		"https//a.test": false, "http://a.test:port": false,
	} {
		raw, err := json.Marshal(map[string]string{"id": "a", "task": "x", "url": address})
		if err != nil {
			t.Fatal(err)
		}
		file, err := taskfile.Read(written(t, "a.jsonl", string(raw)), options())
		if err != nil || (len(file.Tasks) == 1) != good {
			t.Errorf("%q: got %v, faults %v, want good %v", address, err, file.Faults, good)
		}
	}
}

func TestPasswordsInAddressesAreNotSaid(t *testing.T) {
	file, err := taskfile.Read(written(t, "a.jsonl", `{"id":"a","task":"x","url":"http://me:hunter2@a.test:port/"}`), options())
	if err != nil || len(file.Faults) != 1 || strings.Contains(file.Faults[0].Error(), "hunter2") {
		t.Errorf("got %v, %v, want one fault without the password", err, file.Faults)
	}
}

func TestFilesOfFlagsBeginAtTheTaskFile(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"mine.yaml", "up.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(folder, "tasks.jsonl")
	other := written(t, "other.txt", "x")
	text := fmt.Sprintf(`{"id":"a","task":"x","dialect":"mine.yaml","upload":["up.txt",%q],"profile_dir":"new"}`, other)
	if err := os.WriteFile(path, []byte(text+"\n{\"id\":\"b\",\"task\":\"x\",\"dialect\":\"fara-1.5\"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(folder))
	file, err := taskfile.Read(filepath.Join(filepath.Base(folder), "tasks.jsonl"), options())
	if err != nil || len(file.Tasks) != 2 {
		t.Fatalf("got %v, %v, want two tasks", err, file.Faults)
	}
	want := map[string][]string{
		"dialect": {filepath.Join(folder, "mine.yaml")}, "upload": {filepath.Join(folder, "up.txt"), other}, "profile-dir": {filepath.Join(folder, "new")},
	}
	if got := file.Tasks[0].Flags; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := file.Tasks[1].Flags["dialect"]; !reflect.DeepEqual(got, []string{"fara-1.5"}) {
		t.Errorf("a name that is no file: got %v, want it as it stands", got)
	}
}

func TestOnlyGoodTasksAreChecked(t *testing.T) {
	var checked []string
	opt := options()
	opt.Check = func(t batch.Task) error { checked = append(checked, t.ID); return nil }
	text := "{\"id\":\"a\",\"task\":\"x\"}\n{\"id\":\"b\"}\n{\"id\":\"a\",\"task\":\"x\"}\n"
	if _, err := taskfile.Read(written(t, "a.jsonl", text), opt); err != nil || !reflect.DeepEqual(checked, []string{"a"}) {
		t.Errorf("got %v, checked %v, want only the first a", err, checked)
	}
}

func TestWithoutFlagsNoTaskSetsOne(t *testing.T) {
	file, err := taskfile.Read(written(t, "a.jsonl", `{"id":"a","task":"x","max_steps":3}`), taskfile.Options{})
	if err != nil || len(file.Tasks) != 0 || len(file.Faults) != 1 {
		t.Errorf("got %v, %+v, want one fault", err, file)
	}
}

func TestHashIsOfTheBytes(t *testing.T) {
	file := read(t, "a.jsonl", "{\"id\":\"a\",\"task\":\"x\"}\n")
	if want := "0f64e757539da5aa4864d6723676c195f204422ca88ff654da7c44924b03e21e"; file.SHA256 != want {
		t.Errorf("got %s, want %s", file.SHA256, want)
	}
}

func TestNamesInFaultsAreOneShortLine(t *testing.T) {
	text := fmt.Sprintf(`{"id":"a","task":"x","two\nlines\u001b[31m":1,%q:2,"":3}`, strings.Repeat("long", 1000))
	file, err := taskfile.Read(written(t, "a.jsonl", text), options())
	if err != nil || len(file.Faults) != 3 {
		t.Fatalf("got %v, %v, want three faults", err, file.Faults)
	}
	for _, f := range file.Faults {
		if len(f.Text) > 200 || strings.ContainsAny(f.Text, "\n\x1b") {
			t.Errorf("got %q, want one short line", f.Text)
		}
	}
}

func TestListThatIsNotClosedIsSaidToBe(t *testing.T) {
	for text, want := range map[string]string{
		`[{"id":"a","task":"x"}`:                   "1: column 22: the JSON breaks off here",
		"[\n{\"id\":\"a\",\"task\":\"x\"},":        "2: column 22: the JSON breaks off here",
		`[{"id":"a","task":"x"}, {"id":"b"`:        "1: column 33: the JSON breaks off here",
		`[{"id":"a","task":"x"} {"id":"b"}]`:       "what follows was not read",
		"[{\"id\":\"a\",\"task\":\"x\"}]\n{\"a\"}": "2: column 1: this is no JSON: invalid character '{' after top-level value",
	} {
		file, err := taskfile.Read(written(t, "a.json", text), options())
		if err != nil || len(file.Tasks) != 1 || len(file.Faults) == 0 || !strings.Contains(file.Faults[0].Error(), want) {
			t.Errorf("%s: got %v, tasks %+v, faults %v, want one task and %q", text, err, file.Tasks, file.Faults, want)
		}
	}
}

func TestListIsTakenUpAgainOnlySoOften(t *testing.T) {
	text := "[\n" + strings.Repeat("{\"id\": }\n", 150) + `{"id":"a","task":"x"}]`
	file, err := taskfile.Read(written(t, "a.json", text), options())
	if err != nil || len(file.Tasks) != 0 || len(file.Faults) != 100 {
		t.Fatalf("got %v, tasks %+v and %d faults, want 100 faults", err, file.Tasks, len(file.Faults))
	}
	if last := file.Faults[99].Text; !strings.HasSuffix(last, "what follows was not read") {
		t.Errorf("the last fault: got %q, want it to say what was not read", last)
	}
}
