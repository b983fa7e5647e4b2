package layout_test

import (
	"os"
	"path/filepath"
	"testing"

	"fara/export"
	"fara/export/exporttest"
	"fara/trajectory"
)

// odd calls check with every odd run.
func odd(t *testing.T, check func(t *testing.T, run *export.Source)) {
	for name, write := range exporttest.Odd() {
		if name == exporttest.HalfWritten {
			continue // no source opens those
		}
		t.Run(name, func(t *testing.T) { check(t, told(t, write(t.TempDir()))) })
	}
}

func told(t *testing.T, teller *exporttest.Teller) *export.Source {
	t.Helper()
	if err := teller.Err(); err != nil {
		t.Fatal(err)
	}
	s, err := export.Open(teller.Dir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// calls are the replies of a run that came to a call.
func calls(run *export.Source) []*trajectory.Proposed {
	var out []*trajectory.Proposed
	for _, e := range run.Events {
		if e.Proposed != nil && e.Proposed.Call != nil && e.Proposed.Truncated == "" {
			out = append(out, e.Proposed)
		}
	}
	return out
}

// add writes a run and gives its folder's name.
func add(t *testing.T, w export.RunWriter, run *export.Source) string {
	t.Helper()
	name, err := w.Add(run)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
