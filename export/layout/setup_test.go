package layout_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fara/export"
	"fara/export/exporttest"
	"fara/export/layout"
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
func add(t *testing.T, l *layout.Layout, dir string, run *export.Source) string {
	t.Helper()
	before := entries(t, dir)
	if err := l.Write(t.Context(), run, dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range entries(t, dir) {
		if !slices.Contains(before, name) {
			return name
		}
	}
	t.Fatal("nothing was written")
	return ""
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range found {
		names = append(names, f.Name())
	}
	return names
}

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
