package exporttest_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"fara/export"
	"fara/export/exporttest"
	"fara/export/layout"
	"fara/export/parquet"
)

// unchecked is how scripts/check-export exits where there is no Python and none has to
// be.
const unchecked = 77

// TestPythonReadsWhatWasExported writes odd runs in every format and has the programs
// that such data is for read them: Hugging Face's datasets, pyarrow and pillow.
func TestPythonReadsWhatWasExported(t *testing.T) {
	runs := writeRuns(t)
	dir := t.TempDir()
	var plain, others []string
	for _, f := range formats() {
		out := filepath.Join(dir, f.name)
		exportTo(t, out, f, export.Replies, runs)
		plain = append(plain, out)
		if f.format == nil {
			continue
		}
		for _, kind := range []export.Kind{export.Pairs, export.Labelled, export.Grounding} {
			out := filepath.Join(dir, f.name+"-"+string(kind))
			exportTo(t, out, f, kind, runs)
			others = append(others, out)
		}
		f.per, f.images = export.PerRun, export.Embedded
		out = filepath.Join(dir, f.name+"-run")
		exportTo(t, out, f, export.Replies, runs)
		others = append(others, out)
	}
	check(t, others...)
	check(t, append([]string{"--self-test"}, plain...)...)
}

// form is a format, or a layout.
type form struct {
	name   string
	format func(per export.Per) export.Format
	layout export.Layout
	per    export.Per
	images export.Images
}

func formats() []form {
	return []form{
		{name: "openai", format: func(export.Per) export.Format { return export.OpenAI{} }},
		{name: "sharegpt", format: func(p export.Per) export.Format { return export.ShareGPT{Per: p} }},
		{name: "swift", format: func(export.Per) export.Format { return export.Swift{} }},
		{name: "parquet", format: func(export.Per) export.Format { return &parquet.Format{} }},
		{name: "datapoint", layout: layout.DataPoint},
		{name: "webvoyager", layout: layout.WebVoyager},
		{name: "mind2web", layout: layout.OnlineMind2Web},
	}
}

func writeRuns(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	odd := exporttest.Odd()
	var out []string
	keep := func(w *exporttest.Teller) {
		if err := w.Err(); err != nil {
			t.Fatal(err)
		}
		out = append(out, w.Dir())
	}
	for _, name := range slices.Sorted(maps.Keys(odd)) {
		keep(odd[name](dir))
	}
	for i := range 2 {
		keep(exporttest.Sampled(dir, fmt.Sprint("won", i), "BBC News--3", 2*i+1))
		keep(exporttest.Failed(dir, fmt.Sprint("lost", i), "BBC News--3", 2*i+2))
	}
	return out
}

func exportTo(t *testing.T, out string, f form, kind export.Kind, runs []string) {
	t.Helper()
	if f.per == "" {
		f.per = export.PerStep
	}
	c := export.Config{
		Runs: runs, Out: out, Name: f.name, Kind: kind, Per: f.per, Images: f.images, Layout: f.layout,
		Trained: export.Trained{export.Model: true}, Fara: "test", SkipUnfinished: true,
	}
	if f.format != nil {
		c.Format = f.format(f.per)
	}
	var err error
	if c.Split, err = export.ParseSplit("train=1"); err != nil {
		t.Fatal(err)
	}
	m, err := export.Run(t.Context(), c)
	if err != nil {
		t.Fatalf("%s of %s: %v", f.name, kind, err)
	}
	if m.Requests.Refused > 0 || m.Rows.Total == 0 {
		t.Fatalf("%s of %s: got %d rows and %d refusals, want rows alone: %+v", f.name, kind, m.Rows.Total, m.Requests.Refused, m.Refusals)
	}
}

// check runs scripts/check-export.
func check(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", append([]string{filepath.Join("..", "..", "scripts", "check-export")}, args...)...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == unchecked || errors.Is(err, exec.ErrNotFound):
		if os.Getenv("CI") != "" {
			t.Fatalf("Python did not read the exports: %v\n%s", err, out)
		}
		t.Skipf("NOT READ BY PYTHON: %v\n%s", err, out)
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
