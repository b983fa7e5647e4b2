package batch_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fara/batch"
)

// files are the contents of a folder, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, text := range a {
		if b[name] != text {
			return false
		}
	}
	return true
}

func TestOpenRefusesAnotherBatchesFolderAndChangesNothing(t *testing.T) {
	plan := func() batch.Plan {
		return batch.Plan{Source: "tasks.jsonl", Tasks: tasks(3), Samples: 2, Settings: map[string][]string{"model": {"fara"}, "workers": {"2"}}, Free: []string{"workers"}}
	}
	for name, c := range map[string]struct {
		change func(p *batch.Plan)
		says   string
	}{
		"a task is gone":          {func(p *batch.Plan) { p.Tasks = p.Tasks[:2] }, `task "t03" is not in`},
		"a task is another":       {func(p *batch.Plan) { p.Tasks[1].Task = "else" }, `task "t02" is another one`},
		"a task begins elsewhere": {func(p *batch.Plan) { p.Tasks[1].URL = "https://else.test" }, `task "t02" is another one`},
		"a task's flag":           {func(p *batch.Plan) { p.Tasks[0].Flags = map[string][]string{"max-steps": {"3"}} }, `task "t01" is another one`},
		"fewer samples":           {func(p *batch.Plan) { p.Samples = 1 }, "2 samples"},
		"another setting":         {func(p *batch.Plan) { p.Settings["model"] = []string{"qwen"} }, `--model "fara", and now it is "qwen"`},
		"a setting more":          {func(p *batch.Plan) { p.Settings["seed"] = []string{"1"} }, "--seed left out"},
		"a setting less":          {func(p *batch.Plan) { delete(p.Settings, "model") }, "now it is left out"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			opened(t, dir, plan()).Close()
			before := files(t, dir)
			other := plan()
			c.change(&other)
			_, openErr := batch.Open(dir, other)
			_, lookErr := batch.Look(dir, other)
			for _, err := range []error{openErr, lookErr} {
				if !errors.Is(err, batch.ErrOther) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("got error %v, want %v with %q", err, batch.ErrOther, c.says)
				}
			}
			if !same(files(t, dir), before) {
				t.Error("the folder was changed")
			}
		})
	}
}

func TestOpenRefusesAFolderWithOtherThings(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("x"), 0o644)
	before := files(t, dir)
	if _, err := batch.Open(dir, batch.Plan{Tasks: tasks(1)}); !errors.Is(err, batch.ErrOther) || !strings.Contains(err.Error(), "thesis.tex") {
		t.Errorf("got error %v, want %v with the file's name", err, batch.ErrOther)
	}
	if !same(files(t, dir), before) {
		t.Error("the folder was changed")
	}
}

func TestOpenTakesWhatABatchLeftThatWasKilledAtItsBeginning(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "ledger.jsonl"), nil, 0o644)
	os.WriteFile(filepath.Join(dir, "tasks.jsonl"), []byte("{}\n"), 0o644)
	os.WriteFile(filepath.Join(dir, ".batch.json-1"), []byte("{"), 0o644)
	mustEnd(t, dir, batch.Plan{Tasks: tasks(2)}, batch.Config{}, &world{play: succeeds})
	endedOnce(t, dir, 2)
}

func TestABatchWhoseLedgerIsGoneIsNotDoneAgain(t *testing.T) {
	dir, plan := t.TempDir(), batch.Plan{Tasks: tasks(2)}
	mustEnd(t, dir, plan, batch.Config{}, &world{play: succeeds})
	os.Remove(filepath.Join(dir, "ledger.jsonl"))
	if _, err := batch.Open(dir, plan); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "ledger.jsonl") {
		t.Errorf("got error %v, want one that names the missing ledger", err)
	}
}

func TestABatchMayGrowAndChangeWhatIsFree(t *testing.T) {
	dir, w := t.TempDir(), &world{play: succeeds}
	plan := batch.Plan{Tasks: tasks(2), Settings: map[string][]string{"workers": {"1"}}, Free: []string{"workers", "proxy"}}
	mustEnd(t, dir, plan, batch.Config{}, w)
	id := w.id
	grown := tasks(4)
	grown[0], grown[3] = grown[3], grown[0] // where they stand does not matter
	for i := range grown {
		grown[i].Line = i + 1
	}
	plan.Tasks, plan.Samples = grown, 2
	plan.Settings = map[string][]string{"workers": {"4"}, "proxy": {"http://p"}}
	s := opened(t, dir, plan)
	if s.New || s.Added != 2 || s.ID != id {
		t.Errorf("got new %v, %d added, id %s; want the same batch %s with 2 more tasks", s.New, s.Added, s.ID, id)
	}
	s.Close()
	mustEnd(t, dir, plan, batch.Config{}, w)
	if got := len(w.tries); got != 8 {
		t.Errorf("got %d tries, want the 2 and 6 more", got)
	}
	endedOnce(t, dir, 8)
}

func TestTasksThatCannotBeToldApartAreRefused(t *testing.T) {
	for name, ids := range map[string][]string{
		"no id": {""}, "twice": {"a", "a"}, "a sample's name": {"a", "a#2"}, "no text": {"a\xff"},
	} {
		var plan batch.Plan
		for _, id := range ids {
			plan.Tasks = append(plan.Tasks, batch.Task{ID: id})
		}
		dir := filepath.Join(t.TempDir(), "none")
		if _, err := batch.Open(dir, plan); err == nil {
			t.Errorf("%s (%q): got no error", name, ids)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: the folder was made", name)
		}
	}
}

func TestOneProcessAtATimeWorksOnABatch(t *testing.T) {
	dir := t.TempDir()
	opened(t, filepath.Join(dir, "batch"), childPlan())
	if _, err := batch.Open(filepath.Join(dir, "batch"), childPlan()); !errors.Is(err, batch.ErrInUse) {
		t.Errorf("this process once more: got error %v, want %v", err, batch.ErrInUse)
	}
	before := files(t, dir)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "BATCH_CHILD="+dir)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), batch.ErrInUse.Error()) {
		t.Errorf("another process: got %v, %q; want it refused with %q", err, out, batch.ErrInUse)
	}
	if !same(files(t, dir), before) {
		t.Error("the folder was changed")
	}
	if _, err := batch.Look(filepath.Join(dir, "batch"), childPlan()); err != nil {
		t.Errorf("to look is allowed: got error %v", err)
	}
}

func TestLookChangesNothing(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	if sum, err := batch.Look(none, batch.Plan{Tasks: tasks(1)}); err != nil || sum.ID != "" {
		t.Errorf("where no batch is: got %q and error %v, want nothing", sum.ID, err)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("the folder was made")
	}
	dir, plan := t.TempDir(), batch.Plan{Tasks: tasks(3)}
	w := crashed(t, dir, plan, batch.Config{}, "t02", func(_ context.Context, r *run) { r.open().see() })
	tear(t, dir)
	before := files(t, dir)
	sum, err := batch.Look(dir, plan)
	if err != nil || sum.Ended != 1 || sum.Remaining != 2 || sum.ID != w.id {
		t.Errorf("got %d ended, %d remaining, error %v; want 1, 2 and none", sum.Ended, sum.Remaining, err)
	}
	if !same(files(t, dir), before) {
		t.Error("the folder was changed")
	}
}

func TestPasswordsInAddressesAreNotWrittenDown(t *testing.T) {
	dir := t.TempDir()
	plan := batch.Plan{Tasks: []batch.Task{
		{ID: "a", Task: "x", URL: "https://ann:hunter2@a.test/x"},
		{ID: "b", Task: "x", URL: "ann:hunter2@b.test", Flags: map[string][]string{"proxy": {"http://ann:hunter2@proxy:8080"}, "check": {"text contains me@a.test"}}},
	}}
	got := map[string]string{}
	w := &world{play: succeeds}
	for range 2 { // the second start compares what was written with what is given
		mustEnd(t, dir, plan, batch.Config{}, w)
	}
	for _, tr := range w.tries {
		got[tr.Job.ID] = tr.Job.URL
	}
	if got["a"] != plan.Tasks[0].URL || got["b"] != plan.Tasks[1].URL {
		t.Errorf("the runs begin at %v, want the addresses as they were given", got)
	}
	for _, name := range []string{"tasks.jsonl", "ledger.jsonl", "results.jsonl", "summary.json", "batch.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.Contains(string(data), "hunter2") {
			t.Errorf("%s: got error %v and %s; want no password", name, err, data)
		}
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "tasks.jsonl")); !strings.Contains(string(data), "me@a.test") || !strings.Contains(string(data), `"b.test"`) {
		t.Errorf("tasks.jsonl: got %s, want the rest as it is", data)
	}
	if plan.Tasks[1].Flags["proxy"][0] != "http://ann:hunter2@proxy:8080" {
		t.Errorf("the plan itself was changed: %v", plan.Tasks[1].Flags)
	}
	plan.Tasks[0].URL = "https://ann:hunter2@else.test/x"
	if _, err := batch.Open(dir, plan); !errors.Is(err, batch.ErrOther) {
		t.Errorf("another address: got error %v, want %v", err, batch.ErrOther)
	}
}

// tear leaves a line of the ledger half written.
func tear(t *testing.T, dir string) {
	t.Helper()
	appendLine(t, dir, `{"v":1,"kind":"began","job":"t03"}`)
	path := filepath.Join(dir, "ledger.jsonl")
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-9)
	}
	if err != nil {
		t.Fatal(err)
	}
}
