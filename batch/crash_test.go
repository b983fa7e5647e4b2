package batch_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fara/batch"
	"fara/trajectory"
)

// TestMain lets this binary also be a process that does a batch, so that it can be killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("BATCH_CHILD"); dir != "" {
		os.Exit(child(dir))
	}
	os.Exit(m.Run())
}

// childPlan is the batch that child processes do.
func childPlan() batch.Plan {
	return batch.Plan{Source: "tasks.jsonl", Tasks: tasks(20), Samples: 2}
}

// child does the batch in a folder, slowly, and is killed after BATCH_KILL: since it
// started, or with a "+" in front since it began its first run.
func child(dir string) int {
	after, fromRun := strings.CutPrefix(os.Getenv("BATCH_KILL"), "+")
	kill := func() {}
	if d, err := time.ParseDuration(after); err == nil {
		kill = sync.OnceFunc(func() {
			time.AfterFunc(d, func() {
				self, _ := os.FindProcess(os.Getpid())
				self.Kill()
			})
		})
	}
	if !fromRun {
		kill()
	}
	s, err := batch.Open(filepath.Join(dir, "batch"), childPlan())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer s.Close()
	w := &world{id: s.ID, play: func(ctx context.Context, r *run) trajectory.Result {
		kill()
		return r.slow(ctx, dir)
	}}
	if _, err := batch.New(batch.Config{Workers: 3, Takes: 100}, s, w).Run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// slow is a run of six steps that tells what it does in the notes.
func (r *run) slow(ctx context.Context, dir string) trajectory.Result {
	if was, err := trajectory.Read(filepath.Join(r.Dir, r.Run)); r.Resume && (err != nil || was.Result != nil) {
		note(dir, "twice", r.Job.Key())
	}
	note(dir, "begin", r.Job.Key(), r.Run, fmt.Sprint(r.Resume))
	r.open()
	if r.step() == 0 {
		r.visit(nil)
	}
	for r.step() < 6 {
		pause(ctx, 5*time.Millisecond)
		r.see().do()
	}
	result := r.end(trajectory.Success, "terminate", "done")
	note(dir, "end", r.Job.Key())
	return result
}

// note writes down what a child does, beside the batch.
func note(dir string, what ...string) {
	f, err := os.OpenFile(filepath.Join(dir, "notes"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, strings.Join(what, " "))
	f.Close()
}

// notes are the attempts that children made, as job, run and whether it went on.
func notes(t *testing.T, dir string) (attempts [][]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "notes"))
	if err != nil {
		t.Fatal(err)
	}
	ended := map[string]bool{}
	for _, l := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		f := strings.Fields(l)
		switch {
		case f[0] == "twice", f[0] == "begin" && ended[f[1]], f[0] == "end" && ended[f[1]]:
			t.Errorf("%s was done once more after it had ended: %q", f[1], l)
		case f[0] == "begin":
			attempts = append(attempts, f[1:])
		}
		ended[f[1]] = ended[f[1]] || f[0] == "end"
	}
	return attempts
}

func startChild(t *testing.T, dir, kill string) error {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "BATCH_CHILD="+dir, "BATCH_KILL="+kill)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

func TestFifteenKillsLoseNothingAndDoNothingTwice(t *testing.T) {
	dir, chance := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	for n := range 15 {
		after := fmt.Sprintf("+%dms", chance.IntN(30))
		if n%4 == 3 { // while it starts
			after = fmt.Sprintf("%dus", chance.IntN(8000))
		}
		var killed *exec.ExitError
		if err := startChild(t, dir, after); !errors.As(err, &killed) || killed.Exited() {
			t.Fatalf("the start to be killed after %s: got %v, want it killed", after, err)
		}
	}
	if err := startChild(t, dir, ""); err != nil {
		t.Fatalf("the last start: %v", err)
	}
	endedOnce(t, filepath.Join(dir, "batch"), 40)
	runs, resumed := map[string]string{}, 0
	for _, a := range notes(t, dir) {
		key, id, resume := a[0], a[1], a[2] == "true"
		if resume {
			resumed++
		}
		if resume && runs[key] != "" && runs[key] != id {
			t.Errorf("%s goes on with the run %s, want %s", key, id, runs[key])
		}
		runs[key] = id
	}
	if resumed < 10 {
		t.Errorf("after 15 kills: got %d runs that went on, want 10 or more", resumed)
	}
	if got := aside(t, filepath.Join(dir, "batch")); len(got) > 0 {
		t.Errorf("made anew: got %v, want nothing: each can go on", got)
	}
}
