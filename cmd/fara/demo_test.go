package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDemoOrdersExactlyWhatItWasAsked(t *testing.T) {
	needBrowser(t)
	out := t.TempDir()
	got := fara(t, "demo", "--json", "--out", out)
	if got.code != exitSuccess {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	all := lines(t, got.stdout)
	last := all[len(all)-1]
	if last["status"] != "success" || last["steps"].(float64) < 8 {
		t.Errorf("got %v", last)
	}
	kinds := map[string]int{}
	for _, l := range all {
		if a, ok := l["action"].(string); ok {
			kinds[a]++
		}
	}
	if kinds["type"] < 3 || kinds["scroll"] < 1 || kinds["left_click"] < 5 {
		t.Errorf("the demo's actions were %v, want typing, scrolling and clicking", kinds)
	}
	if !strings.Contains(got.stderr, "exactly what was asked for") {
		t.Errorf("stderr: %q", got.stderr)
	}
	promptsComeOutAgain(t, last["dir"].(string), int(last["steps"].(float64)))
	nothingTemporaryIn(t, last["dir"].(string))
}

func TestDemoTellsWhatHappenedAndWhereTheRunIs(t *testing.T) {
	needBrowser(t)
	out := t.TempDir()
	got := fara(t, "demo", "--out", out, "--frame-format", "jpeg", "--scale", "2")
	if got.code != exitSuccess {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	runs, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(runs) != 1 || !strings.Contains(got.stdout, "run: "+runs[0]) {
		t.Errorf("stdout %q does not name the folder %v", got.stdout, runs)
	}
	for _, w := range []string{"left_click: clicked at", "scroll: scrolled down", "type (3 characters)", "exactly what was asked for"} {
		if !strings.Contains(got.stderr, w) {
			t.Errorf("stderr lacks %q:\n%s", w, got.stderr)
		}
	}
}

// promptsComeOutAgain asks for every step's request from the run's folder.
func promptsComeOutAgain(t *testing.T, dir string, steps int) {
	t.Helper()
	for n := 1; n <= steps; n++ {
		got := fara(t, "prompt", dir, "--step", fmt.Sprint(n))
		if got.code != exitSuccess {
			t.Errorf("step %d: exit code %d: %s", n, got.code, got.stderr)
			continue
		}
		if l := lines(t, got.stdout)[0]; l["request_sha256"] != l["recorded_sha256"] || l["request_sha256"] == "" {
			t.Errorf("step %d: %v is not what was recorded: %v", n, l["request_sha256"], l["recorded_sha256"])
		}
	}
	fara(t, "prompt", dir, "--step", "999").oneLine(t, exitUsage, "--step")
}

// nothingTemporaryIn checks that a run's folder has what it should and no more.
func nothingTemporaryIn(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch e.Name() {
		case "task.json", "events.jsonl", "frames", "pages", "downloads", "result.json":
		default:
			t.Errorf("the run's folder has %s", e.Name())
		}
	}
}
