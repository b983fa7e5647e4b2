package batch_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fara/trajectory"
)

// readJSONL reads a file of JSON lines.
func readJSONL[T any](t testing.TB, path string) (all []T) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n, text := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		var one T
		if text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			t.Fatalf("%s:%d: %v in %q", path, n+1, err, text)
		}
		all = append(all, one)
	}
	return all
}

// ledgerLine is what tests look at in a line of the ledger.
type ledgerLine struct {
	Kind, Job, Run, Class string
	Fresh                 bool
	Step                  int
}

// lines are those of a batch's ledger.
func lines(t testing.TB, dir string) []ledgerLine {
	t.Helper()
	return readJSONL[ledgerLine](t, filepath.Join(dir, "ledger.jsonl"))
}

// kinds counts the lines of a job by kind.
func kinds(t testing.TB, dir, kind string) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, l := range lines(t, dir) {
		if l.Kind == kind {
			n[l.Job]++
		}
	}
	return n
}

// folders are the runs in a batch's folder.
func folders(t testing.TB, dir string) (runs []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			runs = append(runs, e.Name())
		}
	}
	return runs
}

// aside are the runs that were moved out of the way.
func aside(t testing.TB, dir string) []string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, ".attempts")); err != nil {
		return nil
	}
	return folders(t, filepath.Join(dir, ".attempts"))
}

// endedOnce checks that every job has exactly one ending and that every run's folder is
// the whole run of one of them.
func endedOnce(t testing.TB, dir string, jobs int) {
	t.Helper()
	runs := map[string]bool{}
	all := map[string]bool{}
	for _, l := range lines(t, dir) {
		if l.Kind != "ended" {
			continue
		}
		if all[l.Job] {
			t.Errorf("%s has two endings in the ledger, want one", l.Job)
		}
		all[l.Job], runs[l.Run] = true, true
	}
	if len(all) != jobs {
		t.Errorf("got endings of %d jobs, want %d", len(all), jobs)
	}
	for _, name := range folders(t, dir) {
		r, err := trajectory.Read(filepath.Join(dir, name))
		if err != nil || !r.HasResult || !runs[name] {
			t.Errorf("the folder %s: got error %v, whole %v, a job's ending %v; want a whole run that a job ended with", name, err, r != nil && r.HasResult, runs[name])
		}
	}
}

// endings are the results that the ledger gives the jobs.
func endings(t *testing.T, dir string) map[string]trajectory.Result {
	t.Helper()
	type line struct {
		Kind, Job string
		Result    *trajectory.Result
	}
	all := map[string]trajectory.Result{}
	for _, l := range readJSONL[line](t, dir+"/ledger.jsonl") {
		if l.Kind == "ended" {
			all[l.Job] = *l.Result
		}
	}
	return all
}
