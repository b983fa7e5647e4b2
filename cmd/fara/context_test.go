package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/png" // frames are PNG
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

func TestContextsThatHoldNoFrameAreFoundBeforeABrowserStarts(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	browser := filepath.Join(dir, "chrome")
	if err := os.WriteFile(browser, []byte("#!/bin/sh\ntouch "+started+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	small := serveModel(t, modeltest.Config{Context: 2200, Only: modeltest.OpenAI}, modeltest.NewScript())
	large := serveModel(t, modeltest.Config{}, modeltest.NewScript())
	for name, args := range map[string][]string{
		"small context":          {"--endpoint", large.URL(), "--num-ctx", "2048"},
		"model with a small one": {"--endpoint", small.URL() + "/v1", "--api", "openai"},
		"large page":             {"--endpoint", large.URL(), "--num-ctx", "4096", "--viewport", "2560x1440"},
		"long task":              {"--endpoint", large.URL(), "--num-ctx", "8192", "--task", strings.Repeat("buy tea ", 4000)},
	} {
		out := filepath.Join(dir, "out")
		given := append([]string{"run", "--url", "http://127.0.0.1:9/", "--browser", browser, "--dialect", "fara-1.5", "--out", out}, args...)
		if name != "long task" {
			given = append(given, "Buy tea.")
		}
		got := fara(t, given...)
		if got.code != exitUsage {
			t.Errorf("%s: exit code %d, want %d: %s", name, got.code, exitUsage, got.stderr)
		}
		got.oneLine(t, exitUsage, "one frame", "--num-ctx")
		empty(t, out)
		if _, err := os.Stat(started); err == nil {
			t.Fatalf("%s: the browser was started", name)
		}
	}
}

func TestFormsThatADialectDoesNotHaveAreFoundBeforeABrowserStarts(t *testing.T) {
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript())
	for _, flag := range []string{"--tools", "--constrain"} {
		out := filepath.Join(t.TempDir(), "out")
		got := fara(t, "run", "Buy tea.", "--url", "http://127.0.0.1:9/", "--endpoint", srv.URL(), "--browser", "/bin/true", "--dialect", "ui-tars-1.5", "--out", out, flag)
		got.oneLine(t, exitUsage, "ui-tars-1.5", flag)
		empty(t, out)
	}
}

// seer points at the same place of whatever picture it gets, in a dialect that
// counts pixels.
func seer(t *testing.T, x, y float64) model.Chatter {
	return modeltest.NewEndlessScript(func(_ context.Context, req model.Request) (model.Reply, error) {
		last := req.Messages[len(req.Messages)-1]
		cfg, _, err := image.DecodeConfig(bytes.NewReader(last.Images[0].Data))
		if err != nil {
			t.Error(err)
		}
		if len(req.Messages) > 2 {
			return model.Reply{Text: "Done.\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"terminate\", \"status\": \"success\"}}\n</tool_call>"}, nil
		}
		return tool("The box.", `{"action": "left_click", "coordinate": [`+fmt.Sprintf("%.2f, %.2f]}", x*float64(cfg.Width), y*float64(cfg.Height)))(context.Background(), req)
	})
}

func TestClicksLandThoughTheServerTakesSmallPicturesOnly(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{}, modeltest.LimitPixels(seer(t, 1080.0/1428, 224.0/896), 700_000))
	got := fara(t, "run", "Click the red box.", "--url", site(t, target), "--endpoint", srv.URL(), "--dialect", "fara-7b", "--json", "--out", t.TempDir())
	if got.code != exitSuccess {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	adapted := 0
	all := lines(t, got.stdout)
	for _, l := range all {
		if l["type"] == "adapted" {
			adapted++
		}
	}
	run, err := trajectory.Read(all[len(all)-1]["dir"].(string))
	if err != nil {
		t.Fatal(err)
	}
	title := ""
	for _, e := range run.Events {
		if e.Observed != nil {
			title = e.Observed.Title
		}
	}
	if adapted != 2 || !strings.HasPrefix(title, "hit 10") || run.Result.Steps != 2 {
		t.Errorf("got %d lessons, the title %q and %d steps, want 2, a hit near 1080,224 and 2", adapted, title, run.Result.Steps)
	}
}

func TestRunSaysThatItsPromptsWereCutAndGoesOn(t *testing.T) {
	needBrowser(t)
	clicks := tool("The red box.", `{"action": "left_click", "coordinate": [750, 250]}`)
	brain := modeltest.NewScript(clicks, clicks, clicks, clicks, tool("Done.", `{"action": "terminate", "answer": "clicked"}`))
	srv := serveModel(t, modeltest.Config{}, modeltest.CutPrompts(brain, 3200))
	out := t.TempDir()
	got := fara(t, "run", "Click the red box.", "--url", site(t, target), "--endpoint", srv.URL(), "--api", "openai", "--trim", "steady", "--out", out)
	if got.code != exitSuccess {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if !strings.Contains(got.stderr, "truncated: the server") || !strings.Contains(got.stderr, "a context of") {
		t.Errorf("people are told %q, want that a prompt was cut and what was learned", got.stderr)
	}
	if !strings.Contains(got.stdout, "by our estimate") || !strings.Contains(got.stdout, "truncated") {
		t.Errorf("the summary is %q, want both counts and how many were cut", got.stdout)
	}
	dirs, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatal(dirs, err)
	}
	run, err := trajectory.Read(dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	if run.Task.Trim != "steady" || run.Task.Replies != "text" || run.Events[0].Started.Trim != "steady" {
		t.Errorf("on record are trim %q and replies %q", run.Task.Trim, run.Task.Replies)
	}
	if run.Result.Usage.Truncated == 0 || run.Result.Steps != 4 {
		t.Errorf("got %d truncated in %d steps, want some in 4", run.Result.Usage.Truncated, run.Result.Steps)
	}
}
