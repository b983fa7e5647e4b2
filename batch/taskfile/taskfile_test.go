package taskfile_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fara/batch"
	"fara/batch/taskfile"
)

var update = flag.Bool("update", false, "write the golden files anew")

// options are those of a program with some of a run's flags.
func options() taskfile.Options {
	return taskfile.Options{
		Flags: map[string]taskfile.Flag{
			"max-steps": {}, "max-tokens": {}, "deadline": {}, "temperature": {}, "verify": {},
			"assert":        {Repeats: true},
			"check":         {Repeats: true, Path: taskfile.FilePath},
			"upload":        {Repeats: true, Path: taskfile.FilePath},
			"answer-schema": {Path: taskfile.FilePath, Inline: true},
			"dialect":       {Path: taskfile.NameOrFile},
			"profile-dir":   {Path: taskfile.AnyPath},
			"out":           {Refused: "all runs of a batch stand in one folder"},
		},
		Check: func(t batch.Task) error {
			if t.Task == "forbidden" {
				return errors.New("nobody does this")
			}
			return nil
		},
	}
}

// told is a file as its golden file has it.
type told struct {
	Format taskfile.Format `json:"format"`
	Tasks  []batch.Task    `json:"tasks"`
	Faults []string        `json:"faults,omitempty"`
}

func TestFormatsReadAsTheirGoldenFilesSay(t *testing.T) {
	here, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"fara.jsonl", "fara_list.json", "voyager.jsonl", "mind2web.json", "tailbench.tsv", "tailbench.csv",
		"stagehand.jsonl", "table.csv", "unnumbered.tsv", "bad.jsonl", "bad.json", "bad.csv",
	} {
		t.Run(name, func(t *testing.T) {
			file, err := taskfile.Read(filepath.Join("testdata", name), options())
			if err != nil {
				t.Fatal(err)
			}
			all := told{Format: file.Format, Tasks: file.Tasks}
			for _, f := range file.Faults {
				all.Faults = append(all.Faults, f.Error())
			}
			raw, err := json.MarshalIndent(all, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", name+".golden"), strings.ReplaceAll(string(raw), here, "HERE")+"\n")
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}
