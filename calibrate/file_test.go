package calibrate_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"fara/calibrate"
	"fara/env"
	"fara/imagebudget"
	"fara/model"
)

var update = flag.Bool("update", false, "write the golden file")

func example() calibrate.File {
	sizes := calibrate.Sizes{Viewport: env.Size{W: 1440, H: 896}, Picture: env.Size{W: 1440, H: 896}}
	return calibrate.File{
		Version: calibrate.Version, Model: "qwen3-vl:8b", Dialect: "qwen3-vl", Space: imagebudget.Thousandths, Replies: "text",
		Sizes: sizes, Scale: 1, Median: 1.5, Worst: 4,
		Clicks: calibrate.Clicks([]calibrate.Shot{
			{Target: env.Point{X: 720, Y: 448}, Raw: &model.Point{X: 501, Y: 500}},
			{Target: env.Point{X: 30, Y: 30}},
		}, sizes, imagebudget.Thousandths),
		Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Fara: "dev",
	}
}

func TestFileComesBackWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json")
	for range 2 { // also over an older one
		if err := example().Save(path); err != nil {
			t.Fatal(err)
		}
	}
	back, err := calibrate.Load(path)
	if err != nil || !reflect.DeepEqual(back, example()) {
		t.Errorf("got %+v, %v, want %+v", back, err, example())
	}
	if c := back.Clicks; c[0].DX < 1.4 || c[0].DX > 1.5 || c[0].DY != 0 || c[1].Point != nil {
		t.Errorf("got clicks %+v", c)
	}
	if *update {
		if err := example().Save(filepath.Join("testdata", "calibration.json")); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(filepath.Join("testdata", "calibration.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != string(golden) {
		t.Errorf("the file's form has changed: %v\n%s", err, got)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("beside the file there are %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) != 0 {
		t.Errorf("hidden files are left: %v", left)
	}
}

func TestFileThatCannotBeWrittenLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(blocked, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := example().Save(blocked); err == nil {
		t.Error("a folder was replaced")
	}
	if err := example().Save(filepath.Join(dir, "none", "c.json")); err == nil {
		t.Error("a file was written into a folder there is not")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("got %v, want nothing half-written", entries)
	}
}

func TestBrokenFilesAreNamedWithLineAndExpectation(t *testing.T) {
	good, err := os.ReadFile(filepath.Join("testdata", "calibration.json"))
	if err != nil {
		t.Fatal(err)
	}
	without := func(old, new string) string {
		if !strings.Contains(string(good), old) {
			t.Fatalf("the golden file has no %q", old)
		}
		return strings.Replace(string(good), old, new, 1)
	}
	for name, c := range map[string]struct {
		text  string
		wants []string
	}{
		"empty":            {"", []string{"c.json:1:", "JSON object"}},
		"prose":            {"hello", []string{"c.json:1:", "JSON object"}},
		"list":             {"[1]", []string{"c.json:1:", "expected the object", "array"}},
		"cut":              {string(good[:len(good)/2]), []string{"c.json:2", "unexpected end", "JSON object"}},
		"missing comma":    {without(`"qwen3-vl:8b",`, `"qwen3-vl:8b"`), []string{"c.json:4:", "JSON object"}},
		"no model":         {without(`"model": "qwen3-vl:8b",`, ""), []string{"c.json:1:", `"model" is missing`, "the model's name"}},
		"empty model":      {without("qwen3-vl:8b", ""), []string{"c.json:3:", "the model's name"}},
		"model is a list":  {without(`"qwen3-vl:8b"`, "[]"), []string{"c.json:3:", `"model"`, "array", "expected a string"}},
		"unknown space":    {without(`"0-1000"`, `"inches"`), []string{"c.json:5:", "inches", "0-1000, pixels, 0-1"}},
		"viewport space":   {without(`"0-1000"`, `"viewport"`), []string{"c.json:5:", "0-1000, pixels, 0-1"}},
		"unknown replies":  {without(`"text"`, `"song"`), []string{"c.json:6:", "text, constrained, tools"}},
		"size of a word":   {without(`"w": 1440`, `"w": "wide"`), []string{"c.json:8:", "viewport.w", "expected a whole number"}},
		"size of nothing":  {without(`"w": 1440`, `"w": 0`), []string{"c.json:7:", "0x896", "page's size"}},
		"newer":            {without(`"version": 1`, `"version": 9`), []string{"c.json:2:", "newer fara"}},
		"no version":       {without(`"version": 1,`, ""), []string{"c.json:1:", `"version" is missing`}},
		"no time":          {without(`"2026-01-02T03:04:05Z"`, `"yesterday"`), []string{"created", "is no time", "2026-01-02T03:04:05Z"}},
		"time as a number": {without(`"2026-01-02T03:04:05Z"`, `5`), []string{"created", "is no time"}},
		"point as object":  {without("\"answer\": [\n        501,\n        500\n      ]", `"answer": {"x": 1}`), []string{"c.json:18:", "clicks.answer", "pair of numbers"}},
		"clicks as number": {without(`"clicks": [`, `"clicks": 3, "other": [`), []string{"c.json:18:", "clicks", "a list"}},
		"null":             {"null", []string{"c.json:1:", `"version" is missing`}},
		"an object's half": {"{", []string{"c.json:1:", "unexpected end"}},
	} {
		path := filepath.Join(t.TempDir(), "c.json")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := calibrate.Load(path)
		if err == nil {
			t.Errorf("%s: it was read", name)
			continue
		}
		for _, w := range append(c.wants, "c.json") {
			if !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: got %q, want %q in one line", name, err, w)
			}
		}
	}
}

func TestFilesFromElsewhereAreRead(t *testing.T) {
	good, err := os.ReadFile(filepath.Join("testdata", "calibration.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"byte order mark": "\ufeff" + string(good),
		"CRLF":            strings.ReplaceAll(string(good), "\n", "\r\n"),
		"later field":     strings.Replace(string(good), `"version": 1,`, `"version": 1, "colour": {"a": []},`, 1),
	} {
		path := filepath.Join(t.TempDir(), "c.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err := calibrate.Load(path); err != nil || f.Model != "qwen3-vl:8b" {
			t.Errorf("%s: got %+v, %v", name, f, err)
		}
	}
	if _, err := calibrate.Load(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.Contains(err.Error(), "none.json") {
		t.Errorf("got %v", err)
	}
}
