package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fara/dialect"
	"fara/env"
	"fara/model/modeltest"
	"fara/trajectory"
)

// stopped is a run that was killed after the given events.
func stopped(t *testing.T, task trajectory.Task, events ...trajectory.Payload) string {
	t.Helper()
	task.Run, task.Task = "stopped", "Buy tea."
	w, err := trajectory.Create(t.TempDir(), task, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, e := range events {
		if _, err := w.Append(1, e); err != nil {
			t.Fatal(err)
		}
	}
	return w.Dir()
}

func TestResumeRefusesInOneLineAndChangesNothing(t *testing.T) {
	d, err := dialect.Get("fara-1.5")
	if err != nil {
		t.Fatal(err)
	}
	begun := trajectory.Started{Task: "Buy tea.", Dialect: "fara-1.5", Speech: d.Speech()}
	ago := time.Now().Add(-time.Hour)
	approval := func(expires *time.Time) trajectory.Asked {
		return trajectory.Asked{Question: "May it?", Expires: expires, Approval: &trajectory.Approval{Action: env.Action{Kind: env.LeftClick, Point: &env.Point{X: 1, Y: 1}}}}
	}
	none := trajectory.Task{}
	newer := stopped(t, none, begun)
	if err := os.WriteFile(filepath.Join(newer, "task.json"), []byte(`{"version": 99, "task": "x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	later := stopped(t, none)
	if err := os.WriteFile(filepath.Join(later, "events.jsonl"), []byte(`{"v":99,"seq":0,"kind":"fact","fact":{"text":"x"}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := stopped(t, none, begun)
	if err := os.WriteFile(filepath.Join(broken, "events.jsonl"), []byte("{\n{\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	used := stopped(t, none, begun)
	writing, _, err := trajectory.Reopen(used, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer writing.Close()
	for name, c := range map[string]struct {
		dir   string
		args  []string
		wants []string
	}{
		"no such folder":          {filepath.Join(t.TempDir(), "none"), nil, []string{"not a run's folder"}},
		"another folder":          {t.TempDir(), nil, []string{"not a run's folder"}},
		"a task of a newer fara":  {newer, nil, []string{"task.json", "version 99", "up to 1"}},
		"events of a newer fara":  {later, nil, []string{"events.jsonl", "line 1", "version 99"}},
		"a log that is broken":    {broken, nil, []string{"events.jsonl", "line 1"}},
		"in use":                  {used, nil, []string{"in use by another process"}},
		"killed before it began":  {stopped(t, none), nil, []string{"not even begun", "fara run"}},
		"one that has ended":      {ended("4 euros").write(t, "ended"), nil, []string{"has ended (success, terminate)", "fara run"}},
		"no approval waits":       {stopped(t, none, begun), []string{"--approval", "yes"}, []string{"does not wait for an approval"}},
		"an unknown approval":     {stopped(t, none, begun, approval(nil)), []string{"--approval", "perhaps"}, []string{"--approval", "yes, no or site"}},
		"a late approval":         {stopped(t, none, begun, approval(&ago)), []string{"--approval", "yes"}, []string{"expired at", "anew"}},
		"no question waits":       {stopped(t, none, begun, approval(nil)), []string{"--answer", "x"}, []string{"does not wait for an answer"}},
		"another dialect":         {stopped(t, none, begun), []string{"--dialect", "json"}, []string{"--dialect", "cannot be changed"}},
		"a flag of a newer fara":  {stopped(t, trajectory.Task{Flags: map[string][]string{"warp": {"9"}}}, begun), nil, []string{"--warp", "version"}},
		"an attached browser":     {stopped(t, trajectory.Task{Browser: "attached"}, begun), nil, []string{"--cdp"}},
		"a secret without source": {stopped(t, trajectory.Task{Secrets: []string{"PIN=env:NO_SUCH_PIN@shop.test"}}, begun), nil, []string{"PIN"}},
	} {
		t.Run(name, func(t *testing.T) {
			var before map[string][]byte
			if _, err := os.Stat(c.dir); err == nil {
				before = allFiles(t, c.dir)
			}
			got := call{args: append([]string{"resume", c.dir, "--endpoint", "http://127.0.0.1:1"}, c.args...)}.run(t)
			got.oneLine(t, exitUsage, c.wants...)
			if _, err := os.Stat(c.dir); err != nil {
				return
			}
			after := allFiles(t, c.dir)
			for file, data := range before {
				if !bytes.Equal(after[file], data) {
					t.Errorf("%s has changed", file)
				}
			}
			if len(after) != len(before) {
				t.Errorf("got %d files, want %d", len(after), len(before))
			}
		})
	}
}

func TestAResumedRunKeepsItsSettingsAndTakesOthers(t *testing.T) {
	needBrowser(t)
	address := site(t, `<title>Tea</title><body style="background:#fed">tea costs 4 euros`)
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(
		tool("I note.", `{"action": "pause_and_memorize_fact", "fact": "tea costs 4 euros"}`),
		tool("Once more.", `{"action": "pause_and_memorize_fact", "fact": "it is green"}`),
		tool("It is done.", `{"action": "terminate", "answer": "4 euros"}`)))
	out := t.TempDir()
	got := fara(t, "run", "What does tea cost?", "--url", address, "--endpoint", srv.URL(), "--max-steps", "1", "--viewport", "800x600",
		"--assert", "answer contains 4", "--out", out, "--json")
	all := lines(t, got.stdout)
	last := all[len(all)-1]
	if got.code != exitNoSuccess || last["reason"] != "max_steps" || !strings.Contains(last["resume"].(string), "--max-steps N") {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	dir := last["dir"].(string)
	// With its own budget nothing is left; with a larger one it goes on.
	if got := fara(t, "resume", dir); got.code != exitNoSuccess || len(srv.Requests()) != 1 {
		t.Errorf("exit code %d after %d requests: %s", got.code, len(srv.Requests()), got.stderr)
	}
	if got := fara(t, "resume", dir, "--max-steps", "9"); got.code != exitSuccess {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	run, err := trajectory.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r := run.Result; r.Answer != "4 euros" || r.Steps != 3 || r.Usage.Calls != 3 || len(r.Verified) != 1 || r.Verified[0] != "assertions" {
		t.Errorf("got %+v", run.Result)
	}
	for i, req := range srv.Requests() {
		said := req.Messages[len(req.Messages)-1].Text
		if i > 0 && !strings.Contains(said, "tea costs 4 euros") {
			t.Errorf("request %d does not know the fact: %q", i+1, said)
		}
	}
	for _, e := range run.Events {
		if e.Observed != nil && (e.Observed.Viewport != env.Size{W: 800, H: 600} || e.Observed.Title != "Tea") {
			t.Errorf("event %d: a page of %v with title %q, want the run's own", e.Seq, e.Observed.Viewport, e.Observed.Title)
		}
	}
	if leftovers, _ := filepath.Glob(filepath.Join(dir, "state*")); len(leftovers) > 0 {
		t.Errorf("%v is left though the run is over", leftovers)
	}
}
