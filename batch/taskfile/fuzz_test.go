package taskfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"fara/batch/taskfile"
)

func FuzzRead(f *testing.F) {
	for _, name := range []string{"fara.jsonl", "mind2web.json", "stagehand.jsonl", "table.csv", "tailbench.csv", "tailbench.tsv", "bad.jsonl", "bad.json", "bad.csv"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(filepath.Ext(name), raw)
	}
	f.Add(".tsv", []byte("task\n\"a\n\"\n\xff\n\"b"))
	f.Add(".json", []byte("[{\"id\":1,\"task\":\"x\"},{\"id\":1.0,\"task\":\"\\ud800\"}"))
	path := filepath.Join(f.TempDir(), "tasks")
	f.Fuzz(func(t *testing.T, ext string, raw []byte) {
		if ext != ".json" && ext != ".jsonl" && ext != ".csv" {
			ext = ".tsv"
		}
		if err := os.WriteFile(path+ext, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := taskfile.Read(path+ext, options())
		if err != nil {
			if len(file.Tasks)+len(file.Faults) > 0 {
				t.Fatalf("got %v and %+v, want one of them", err, file)
			}
			return
		}
		if len(file.Tasks)+len(file.Faults) == 0 {
			t.Fatal("got neither tasks nor faults, want an error")
		}
		lines := 1
		for _, b := range raw {
			if b == '\n' {
				lines++
			}
		}
		seen := map[string]bool{}
		for _, task := range file.Tasks {
			if task.ID == "" || task.Task == "" || seen[task.ID] || task.Line < 1 || task.Line > lines {
				t.Fatalf("got %+v, want an id of its own, a task and a line of %d", task, lines)
			}
			seen[task.ID] = true
		}
		for _, fault := range file.Faults {
			if fault.Line < 1 || fault.Line > lines || fault.Text == "" || fault.File != path+ext {
				t.Fatalf("got %+v, want a line of %d in %s", fault, lines, path+ext)
			}
		}
	})
}
