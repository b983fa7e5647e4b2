package trajectory_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fara/trajectory"
)

var update = flag.Bool("update", false, "write the golden files")

// TestFilesAreGolden holds the format of the files: others read them.
func TestFilesAreGolden(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	w := create(t)
	var log bytes.Buffer
	enc := json.NewEncoder(&log)
	enc.SetEscapeHTML(false)
	for i, p := range append(payloads(), trajectory.Result{Run: "r1", Status: trajectory.Success, Reason: "terminate", Verified: []string{}}) {
		e, err := w.Append(i, p)
		if err != nil {
			t.Fatal(err)
		}
		e.At = at
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	task, err := json.MarshalIndent(trajectory.Task{Version: trajectory.Version, Run: "r1", Task: "buy tea", Created: at}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]byte{"events.jsonl": log.Bytes(), "task.json": append(task, '\n')} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the format changed; older files must stay readable. got\n%s", name, got)
		}
	}
	// What was written once is read for ever.
	old, err := os.ReadFile(filepath.Join("testdata", "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if events, torn, err := trajectory.ParseEvents(old); err != nil || torn || len(events) != len(payloads())+1 {
		t.Errorf("golden log: got %d events, torn %v, %v", len(events), torn, err)
	}
}
