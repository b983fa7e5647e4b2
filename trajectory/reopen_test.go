package trajectory_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fara/trajectory"
)

// stopped is the folder of a run that was cut off after a step.
func stopped(t *testing.T, clean func([]byte) []byte) string {
	t.Helper()
	w, err := trajectory.Create(t.TempDir(), trajectory.Task{Run: "r1", Task: "buy tea"}, clean)
	if err != nil {
		t.Fatal(err)
	}
	file, hash, err := w.Frame([]byte("picture"), "image/png")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []trajectory.Payload{
		trajectory.Started{Task: "buy tea"},
		trajectory.Observed{Frame: file, SHA256: hash},
		trajectory.Fact{Text: "the word is hunter22"},
	} {
		if _, err := w.Append(1, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Dir()
}

func reopen(t *testing.T, dir string) *trajectory.Writer {
	t.Helper()
	w, _, err := trajectory.Reopen(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func TestReopenedRunGoesOnWithItsNumbers(t *testing.T) {
	dir := stopped(t, nil)
	// A frame that a crash left without its event.
	if err := os.WriteFile(filepath.Join(dir, "frames", "2.png"), []byte("lost"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := reopen(t, dir)
	if e, err := w.Append(2, trajectory.Fact{Text: "more"}); err != nil || e.Seq != 3 {
		t.Errorf("got seq %d, %v, want 3", e.Seq, err)
	}
	for data, want := range map[string]string{"picture": "frames/1.png", "another": "frames/3.png"} {
		if file, _, err := w.Frame([]byte(data), "image/png"); err != nil || file != want {
			t.Errorf("frame %q: got %q, %v, want %q", data, file, err, want)
		}
	}
	run, err := trajectory.Read(dir)
	if err != nil || len(run.Events) != 4 {
		t.Errorf("got %d events, %v, want 4", len(run.Events), err)
	}
}

func TestReopenCutsTheBrokenLineWithTheFirstEventOnly(t *testing.T) {
	dir := stopped(t, nil)
	log := filepath.Join(dir, "events.jsonl")
	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	torn := append(bytes.Clone(whole), `{"v":1,"seq":3,"ki`...)
	if err := os.WriteFile(log, torn, 0o644); err != nil {
		t.Fatal(err)
	}
	w := reopen(t, dir)
	if now, _ := os.ReadFile(log); !bytes.Equal(now, torn) {
		t.Errorf("reopening changed the log to %q", now)
	}
	if _, err := w.Append(2, trajectory.Fact{Text: "more"}); err != nil {
		t.Fatal(err)
	}
	now, _ := os.ReadFile(log)
	if !bytes.HasPrefix(now, whole) || !strings.HasPrefix(string(now[len(whole):]), `{"v":1,"seq":3,`) || bytes.Count(now, []byte("\n")) != 4 {
		t.Errorf("got log %q", now)
	}
}

func TestARunIsWrittenByOneProcessAtATime(t *testing.T) {
	dir := stopped(t, nil)
	first := reopen(t, dir)
	if _, _, err := trajectory.Reopen(dir, nil); !errors.Is(err, trajectory.ErrInUse) {
		t.Errorf("got %v, want ErrInUse", err)
	}
	first.Close()
	reopen(t, dir)
}

func TestARunUnderWayCannotBeReopened(t *testing.T) {
	w, err := trajectory.Create(t.TempDir(), trajectory.Task{Run: "r1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, _, err := trajectory.Reopen(w.Dir(), nil); !errors.Is(err, trajectory.ErrInUse) {
		t.Errorf("got %v, want ErrInUse", err)
	}
}

func TestGoingOnTakesTheResultAwayAndEndingPutsItBack(t *testing.T) {
	dir := stopped(t, nil)
	w := reopen(t, dir)
	if err := w.Finish(1, trajectory.Result{Status: trajectory.WaitingForUser, Resume: "fara resume r1"}); err != nil {
		t.Fatal(err)
	}
	w = reopen(t, dir)
	result := filepath.Join(dir, "result.json")
	if _, err := os.Stat(result); err != nil {
		t.Fatalf("reopening alone: %v", err)
	}
	if _, err := w.Append(2, trajectory.Replied{Text: "green"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(result); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want no result while the run goes on", err)
	}
	if run, err := trajectory.Read(dir); err != nil || run.Result != nil {
		t.Errorf("got result %v, %v, want none", run.Result, err)
	}
	if err := w.Finish(2, trajectory.Result{Status: trajectory.Success}); err != nil {
		t.Fatal(err)
	}
	if run, err := trajectory.Read(dir); err != nil || run.Result.Status != trajectory.Success {
		t.Errorf("got %+v, %v", run.Result, err)
	}
}

func TestAResultThatACrashLeftOutIsInTheLog(t *testing.T) {
	dir := stopped(t, nil)
	w := reopen(t, dir)
	if err := w.Finish(1, trajectory.Result{Status: trajectory.Stuck}); err != nil {
		t.Fatal(err)
	}
	result := filepath.Join(dir, "result.json")
	want, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(result); err != nil {
		t.Fatal(err)
	}
	w, run, err := trajectory.Reopen(dir, nil)
	if err != nil || run.Result == nil || run.Result.Status != trajectory.Stuck {
		t.Fatalf("got %+v, %v", run, err)
	}
	if err := w.Complete(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(result); !bytes.Equal(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStateIsForItsOwnerAndGoesWithTheRun(t *testing.T) {
	for resume, stays := range map[string]bool{"": false, "fara resume r1": true} {
		dir := stopped(t, nil)
		w := reopen(t, dir)
		if err := w.Keep([]byte(`{"url":"x"}`)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "state.json")
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("got %v, %v, want a file for its owner alone", info.Mode(), err)
		}
		if err := w.Finish(1, trajectory.Result{Status: trajectory.Stuck, Resume: resume}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("resume %q: got %v, want it to stay: %v", resume, err, stays)
		}
	}
}

func TestWhatIsCleanedReachesNoFileAndNoEvent(t *testing.T) {
	clean := func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("hunter22"), []byte("(hidden)")) }
	dir := stopped(t, clean)
	w, run, err := trajectory.Reopen(dir, clean)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Page("hunter22"); err != nil {
		t.Fatal(err)
	}
	if err := w.Keep([]byte(`["hunter22"]`)); err != nil {
		t.Fatal(err)
	}
	e, err := w.Append(2, trajectory.Fact{Text: "hunter22!"})
	if err != nil || e.Fact.Text != "(hidden)!" {
		t.Errorf("got %+v, %v", e.Fact, err)
	}
	if err := w.Finish(2, trajectory.Result{Answer: "hunter22", Resume: "x"}); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(run.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte("hunter22")) {
			t.Errorf("%s holds it: %s", path, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
