package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fara/trajectory"
)

// recording writes a DataPoint folder of two steps in dir and gives its path.
func recording(t *testing.T, dir, id string) string {
	t.Helper()
	dir = filepath.Join(dir, id)
	if err := os.MkdirAll(filepath.Join(dir, "solver_log"), 0o755); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&log, format+"\n", args...) }
	see := func(name, action string) {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewPaletted(image.Rect(0, 0, 1440, 900+len(id)%2), color.Palette{color.Black, color.White})); err != nil {
			t.Fatal(err)
		}
		writeTo(t, filepath.Join(dir, name), b.String())
		line(`{"type":"observation","observation_type":"environment","timestamp":"2026-03-01T10:00:01","screenshot_path":%q,"url":"https://shop.test/","action_id":%s}`, name, action)
	}
	act := func(id, raw, arguments string) {
		line(`{"type":"action","id":%q,"timestamp":"2026-03-01T10:00:02","llm_conversation":{"messages":[{"raw_response":%s}]},"content":{"arguments":%s}}`, id, asJSON(raw), arguments)
		line(`{"type":"observation","observation_type":"tool_output","timestamp":"2026-03-01T10:00:03","action_id":%q,"output":"done"}`, id)
	}
	see("screenshot_1_pre.png", "null")
	act("a1", "Click.\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [500, 250]}}\n</tool_call>", `{"action":"left_click","coordinate":[500,250]}`)
	see("screenshot_2_pre.png", "null")
	act("a2", "", `{"action":"terminate","answer":"42 euros"}`)
	writeTo(t, filepath.Join(dir, "solver_log/events.jsonl"), log.String())
	writeTo(t, filepath.Join(dir, "solver_log/status.json"), `{"status":"complete","outcome":{"answer":"42 euros"}}`)
	writeTo(t, filepath.Join(dir, "task.json"), fmt.Sprintf(`{"task_id":%q,"instruction":"What does %s cost?"}`, id, id))
	return dir
}

func asJSON(v any) string {
	raw, _ := json.Marshal(v) // texts and numbers always encode
	return string(raw)
}

func writeTo(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestImportedRunsAreJudgedShownAndExported(t *testing.T) {
	old, out := t.TempDir(), t.TempDir()
	recording(t, old, "tea")
	recording(t, old, "coffee")
	got := fara(t, "import", old, "--out", out, "--json")
	if got.code != exitSuccess || got.stderr != "" {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	all := lines(t, got.stdout)
	if len(all) != 3 || all[0]["type"] != "run" || all[0]["status"] != "success" || all[0]["steps"] != 2.0 || all[0]["format"] != "datapoint" || all[2]["type"] != "summary" || all[2]["imported"] != 2.0 {
		t.Fatalf("lines: %v", all)
	}
	run := all[0]["dir"].(string)

	again := lines(t, fara(t, "import", old, "--out", out, "--json").stdout)
	if again[0]["existed"] != true || again[2]["imported"] != 0.0 || again[2]["existed"] != 2.0 {
		t.Errorf("the second time: %v", again)
	}

	judged := fara(t, "judge", run, "--assert", "answer number is 42")
	if judged.code != exitSuccess || !strings.Contains(judged.stdout, "1 accepted") {
		t.Errorf("judge: exit code %d: %s%s", judged.code, judged.stdout, judged.stderr)
	}

	fara(t, "judge", run, "--verify", "--again").oneLine(t, exitUsage, "--verify-endpoint")

	shown := fara(t, "prompt", run, "--step", "2")
	if shown.code != exitSuccess || !strings.Contains(shown.stderr, "not known") || !strings.Contains(shown.stdout, "What does coffee cost?") {
		t.Errorf("prompt: exit code %d: %s%s", shown.code, shown.stdout, shown.stderr)
	}
	fara(t, "resume", run).oneLine(t, exitUsage, "imported", "fara run")

	rows := fara(t, "export", out, "--format", "openai", "--out", filepath.Join(t.TempDir(), "rows"), "--unrecorded", "rebuild")
	if rows.code != exitSuccess {
		t.Errorf("export: exit code %d: %s%s", rows.code, rows.stdout, rows.stderr)
	}
}

func TestBadImportsSayWhatIsWrong(t *testing.T) {
	good, bad, empty := t.TempDir(), t.TempDir(), t.TempDir()
	recording(t, good, "tea")
	for _, id := range []string{"b1", "b2"} {
		if err := os.Remove(filepath.Join(recording(t, bad, id), "screenshot_1_pre.png")); err != nil {
			t.Fatal(err)
		}
	}
	writeTo(t, filepath.Join(empty, "notes.json"), `{"conversations": 1}`)
	ours := ended("x").write(t, "20260102-030405-aaaaaaaa")
	file := filepath.Join(empty, "file")
	writeTo(t, file, "x")
	one := filepath.Join(bad, "b1")
	for _, c := range []struct {
		args  []string
		wants []string
	}{
		{nil, []string{"import"}},
		{[]string{filepath.Join(empty, "nowhere")}, []string{"nowhere"}},
		{[]string{empty}, []string{"known are datapoint", "webeval", "ui-tars"}},
		{[]string{good, "--format", "webeval"}, []string{"known are webeval"}},
		{[]string{good, "--format", "csv"}, []string{"--format csv", "auto, datapoint, webeval, ui-tars"}},
		{[]string{good, "--dialect", "klingon"}, []string{"--dialect", "klingon", "fara-1.5"}},
		{[]string{ours}, []string{"run's folder already"}},
		{[]string{one}, []string{one, "screenshot_1_pre.png", "--skip-bad"}},
		{[]string{one, "--skip-bad", "--json"}, nil},
		{[]string{good, "--tasks", filepath.Join(empty, "none.jsonl")}, []string{"--tasks", "none.jsonl"}},
		{[]string{good, "--out", file}, []string{"--out"}},
	} {
		out := filepath.Join(t.TempDir(), "out")
		args := append([]string{"import", "--out", out}, c.args...)
		got := fara(t, args...)
		if c.wants == nil {
			if got.code != exitUsage {
				t.Errorf("%v: exit code %d", c.args, got.code)
			}
			continue
		}
		got.oneLine(t, exitUsage, c.wants...)
		if left, _ := os.ReadDir(out); len(left) > 0 {
			t.Errorf("%v: it left %v", c.args, left)
		}
	}
}

func TestBadImportsAreLeftOutWhenThatIsWanted(t *testing.T) {
	old := t.TempDir()
	recording(t, old, "tea")
	for _, id := range []string{"b1", "b2"} {
		if err := os.Remove(filepath.Join(recording(t, old, id), "screenshot_2_pre.png")); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	got := fara(t, "import", old, "--out", out)
	if got.code != exitUsage || !strings.Contains(got.stderr, "b1") || !strings.Contains(got.stderr, "b2") || strings.Count(got.stderr, "\n") != 2 {
		t.Errorf("exit code %d, stderr %q; want both bad ones, a line each", got.code, got.stderr)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written before all was checked")
	}
	got = fara(t, "import", old, "--out", out, "--skip-bad", "--json")
	all := lines(t, got.stdout)
	if got.code != exitSuccess || len(all) != 4 || all[0]["type"] != "bad" || !strings.Contains(all[0]["reason"].(string), "screenshot_2_pre.png") || all[3]["bad"] != 2.0 || all[3]["imported"] != 1.0 {
		t.Errorf("exit code %d: %v", got.code, all)
	}
	run, err := trajectory.Read(all[2]["dir"].(string))
	if err != nil || run.Task.Imported.Source != "tea" || run.Task.Sample.Task != "tea" {
		t.Errorf("the good one: %+v, %v", run, err)
	}
}

func TestTaskThatIsNotRecordedIsTakenFromAFile(t *testing.T) {
	old, out := t.TempDir(), t.TempDir()
	dir := recording(t, old, "tea")
	writeTo(t, filepath.Join(dir, "task.json"), `{"task_id":"Shop--3","instruction":""}`)
	tasks := filepath.Join(t.TempDir(), "webvoyager.jsonl")
	writeTo(t, tasks, `{"web_name":"Shop","id":"Shop--3","ques":"What does tea cost?","web":"https://shop.test/"}`+"\n")
	got := fara(t, "import", old, "--out", out, "--tasks", tasks, "--json")
	if got.code != exitSuccess {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	run, err := trajectory.Read(lines(t, got.stdout)[0]["dir"].(string))
	if err != nil || run.Task.Task != "What does tea cost?" || run.Task.URL != "https://shop.test/" || !strings.Contains(strings.Join(run.Task.Imported.Notes, "\n"), "not the source's") {
		t.Errorf("task %+v, %v", run.Task, err)
	}
}

// TestExportedDataPointsAreImportedAgain holds for what the commands write and read.
func TestExportedDataPointsAreImportedAgain(t *testing.T) {
	old, runs, data, back := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "data"), t.TempDir()
	recording(t, old, "tea")
	if got := fara(t, "import", old, "--out", runs); got.code != exitSuccess {
		t.Fatal(got.stderr)
	}
	if got := fara(t, "export", runs, "--format", "datapoint", "--out", data); got.code != exitSuccess {
		t.Fatalf("export: exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if got := fara(t, "import", data, "--out", back); got.code != exitSuccess {
		t.Fatalf("import: exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if want, got := deedsIn(t, runs), deedsIn(t, back); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// deedsIn writes down what the one run in a folder saw, said and did.
func deedsIn(t *testing.T, out string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(out, "*", "task.json"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	run, err := trajectory.Read(filepath.Dir(found[0]))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range run.Events {
		switch {
		case e.Observed != nil:
			fmt.Fprintln(&b, e.Step, "saw", e.Observed.SHA256, e.Observed.URL, e.Observed.Size, e.Observed.Viewport)
		case e.Proposed != nil:
			fmt.Fprintf(&b, "%d said %q %s\n", e.Step, e.Proposed.Raw, asJSON(e.Proposed.Call))
		case e.Acting != nil:
			fmt.Fprintln(&b, e.Step, "did", asJSON(e.Acting.Action))
		}
	}
	r := run.Result
	fmt.Fprintln(&b, r.Status, r.Reason, r.Answer, r.Claim, r.Steps, run.Task.Task, run.Task.Sample.Task)
	return b.String()
}
