package batch_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fara/batch"
	"fara/trajectory"
)

// crashed does a batch until the job of that key plays crash: then everything that the
// batch writes after it is lost, as if the program had been killed there.
func crashed(t *testing.T, dir string, plan batch.Plan, cfg batch.Config, key string, crash func(ctx context.Context, r *run)) *world {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy")
	w := &world{}
	w.play = func(ctx context.Context, r *run) trajectory.Result {
		if r.Job.Key() != key {
			return succeeds(ctx, r)
		}
		crash(ctx, r)
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		if r.w != nil {
			r.w.Close()
		}
		r.err = context.Canceled
		return trajectory.Result{}
	}
	if _, err := done(t.Context(), t, dir, plan, cfg, w); err == nil {
		t.Fatalf("the batch never came to %s", key)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(copied, dir); err != nil {
		t.Fatal(err)
	}
	w.play = succeeds
	return w
}

func TestARunThatEndedAndWhoseEndingWasLostIsNotDoneAgain(t *testing.T) {
	for _, c := range []struct {
		name  string
		crash func(ctx context.Context, r *run)
	}{
		{"with its result", func(ctx context.Context, r *run) { succeeds(ctx, r) }},
		{"before its result was written", func(ctx context.Context, r *run) {
			succeeds(ctx, r)
			os.Remove(filepath.Join(r.Dir, r.Run, "result.json"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, plan := t.TempDir(), batch.Plan{Tasks: tasks(3)}
			w := crashed(t, dir, plan, batch.Config{}, "t02", c.crash)
			sum := mustEnd(t, dir, plan, batch.Config{}, w)
			if tries := w.of("t02"); len(tries) != 1 {
				t.Errorf("t02: got %d tries, want 1", len(tries))
			}
			if sum.Statuses[trajectory.Success] != 3 || sum.Steps != 3 {
				t.Errorf("got %v and %d steps, want 3 successes of a step each", sum.Statuses, sum.Steps)
			}
			endedOnce(t, dir, 3)
		})
	}
}

func TestARunThatWasCutOffGoesOn(t *testing.T) {
	dir, plan := t.TempDir(), batch.Plan{Tasks: tasks(3)}
	w := crashed(t, dir, plan, batch.Config{}, "t02", func(_ context.Context, r *run) { r.open().visit(nil).see().do().see() })
	mustEnd(t, dir, plan, batch.Config{}, w)
	tries := w.of("t02")
	if len(tries) != 2 || !tries[1].Resume || tries[1].Run != tries[0].Run {
		t.Errorf("t02: got %+v, want two tries, the second going on with the first's run", tries)
	}
	if got := w.keys()[2:]; !slices.Equal(got, []string{"t02", "t03"}) {
		t.Errorf("the second start: got %v, want what was under way and then the rest", got)
	}
	endedOnce(t, dir, 3)
}

func TestAFolderThatHoldsNoRunYetIsRemoved(t *testing.T) {
	for name, leave := range map[string]func(dir string){
		"only the folder": func(string) {},
		"no log": func(dir string) {
			os.Mkdir(filepath.Join(dir, "frames"), 0o755)
			os.WriteFile(filepath.Join(dir, "task.json"), []byte(`{"version":1}`), 0o644)
		},
		"an empty log": func(dir string) {
			os.WriteFile(filepath.Join(dir, "task.json"), []byte(`{"version":1}`), 0o644)
			os.WriteFile(filepath.Join(dir, "events.jsonl"), nil, 0o644)
		},
		"half of a first event": func(dir string) {
			os.WriteFile(filepath.Join(dir, "task.json"), []byte(`{"version":1}`), 0o644)
			os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(`{"v":1,"seq":0,"ki`), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, plan := t.TempDir(), batch.Plan{Tasks: tasks(2)}
			var left string
			w := crashed(t, dir, plan, batch.Config{}, "t01", func(_ context.Context, r *run) {
				left = r.Run
				if err := os.Mkdir(filepath.Join(r.Dir, r.Run), 0o755); err != nil {
					t.Fatal(err)
				}
				leave(filepath.Join(r.Dir, r.Run))
			})
			mustEnd(t, dir, plan, batch.Config{}, w)
			if slices.Contains(folders(t, dir), left) || len(aside(t, dir)) > 0 {
				t.Errorf("got the folders %v and aside %v, want %s gone", folders(t, dir), aside(t, dir), left)
			}
			if tries := w.of("t01"); len(tries) != 2 || tries[1].Resume {
				t.Errorf("got %d tries, want a second that begins anew", len(tries))
			}
			endedOnce(t, dir, 2)
		})
	}
}

func TestARunThatCannotBeReadIsSetAsideWithAWarning(t *testing.T) {
	for name, harm := range map[string]func(dir string){
		"a broken event": func(dir string) {
			path := filepath.Join(dir, "events.jsonl")
			data, _ := os.ReadFile(path)
			os.WriteFile(path, bytes.Replace(data, []byte(`"seq":1`), []byte(`"seq"1`), 1), 0o644)
		},
		"no task":                  func(dir string) { os.Remove(filepath.Join(dir, "task.json")) },
		"a result and no log":      func(dir string) { os.Rename(filepath.Join(dir, "events.jsonl"), filepath.Join(dir, "result.json")) },
		"a result that is no JSON": func(dir string) { os.WriteFile(filepath.Join(dir, "result.json"), []byte("{"), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, plan := t.TempDir(), batch.Plan{Tasks: tasks(2)}
			var hurt string
			w := crashed(t, dir, plan, batch.Config{}, "t01", func(_ context.Context, r *run) {
				hurt = r.Run
				r.open().visit(nil).see().do()
				harm(filepath.Join(r.Dir, r.Run))
			})
			var log bytes.Buffer
			mustEnd(t, dir, plan, batch.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, w)
			if got := aside(t, dir); !slices.Equal(got, []string{hurt}) {
				t.Errorf(".attempts/: got %v, want %s", got, hurt)
			}
			if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), hurt) {
				t.Errorf("the log: got %q, want a warning that names %s", log.String(), hurt)
			}
			endedOnce(t, dir, 2)
		})
	}
}

func TestHalfDoneRunsAreBegunAnewOnlyWhenTheyTouchedNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(_ context.Context, r *run)
		anew bool
	}{
		{"it read", func(_ context.Context, r *run) { r.open().visit(nil).see().do().see().do().see() }, true},
		{"it bought", func(_ context.Context, r *run) { r.open().visit(nil).see().do("buy").see() }, false},
		{"it may have bought", func(_ context.Context, r *run) {
			r.open().visit(nil).see().tell(1, trajectory.Decided{Allowed: true, Code: "ok", Classes: []string{"buy"}})
			r.tell(1, trajectory.Acting{})
		}, false},
		{"it was not allowed to buy", func(_ context.Context, r *run) {
			r.open().visit(nil).see().tell(1, trajectory.Decided{Code: "declined", Classes: []string{"buy"}})
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, plan := t.TempDir(), batch.Plan{Tasks: tasks(1)}
			w := crashed(t, dir, plan, batch.Config{}, "t01", c.play)
			mustEnd(t, dir, plan, batch.Config{HalfDone: batch.Anew}, w)
			old, now := w.tries[0], w.tries[1]
			if now.Resume == c.anew || (now.Run == old.Run) == c.anew {
				t.Errorf("got resume %v, the same run %v; want anew: %v", now.Resume, now.Run == old.Run, c.anew)
			}
			if got := slices.Equal(aside(t, dir), []string{old.Run}); got != c.anew {
				t.Errorf(".attempts/: got %v, want the old run there: %v", aside(t, dir), c.anew)
			}
			if _, err := os.Stat(filepath.Join(dir, ".attempts")); (err == nil) != c.anew {
				t.Errorf("the folder attempts: got %v, want it only where something is in it", err)
			}
			endedOnce(t, dir, 1)
		})
	}
}

func TestWhatACrashLeftOfARunMadeAnewIsMovedAside(t *testing.T) {
	for _, cause := range []string{"again", "reopened"} {
		t.Run(cause, func(t *testing.T) {
			dir, plan := t.TempDir(), batch.Plan{Tasks: tasks(2)}
			w := &world{play: succeeds}
			mustEnd(t, dir, plan, batch.Config{}, w)
			old := w.of("t01")[0].Run
			// The line is written, and the folder was not moved yet.
			appendLine(t, dir, fmt.Sprintf(`{"v":1,"at":"2026-01-01T00:00:00Z","kind":%q,"job":"t01","run":%q,"class":"site","fresh":true}`, cause, old))
			if cause == "again" { // which comes before an ending
				cutEnding(t, dir, "t01")
			}
			mustEnd(t, dir, plan, batch.Config{}, w)
			if got := aside(t, dir); !slices.Equal(got, []string{old}) {
				t.Errorf(".attempts/: got %v, want %s", got, old)
			}
			if n := len(w.of("t01")); n != 2 || len(folders(t, dir)) != 2 {
				t.Errorf("got %d tries and the folders %v, want 2 and one for each job", n, folders(t, dir))
			}
		})
	}
}

func appendLine(t *testing.T, dir, line string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "ledger.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintln(f, line); err != nil {
		t.Fatal(err)
	}
}

// cutEnding takes a job's ending out of the ledger.
func cutEnding(t *testing.T, dir, job string) {
	t.Helper()
	path := filepath.Join(dir, "ledger.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	kept := slices.DeleteFunc(strings.SplitAfter(string(data), "\n"), func(l string) bool {
		return strings.Contains(l, `"kind":"ended","job":"`+job+`"`)
	})
	if err := os.WriteFile(path, []byte(strings.Join(kept, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAKillBeforeAnAttemptCameToAnythingIsNoFailedAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, plan := t.TempDir(), batch.Plan{Tasks: tasks(1)}
		w := &world{play: func(_ context.Context, r *run) trajectory.Result {
			return r.open().see().end(trajectory.BrowserLost, "gone", "it died")
		}}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel) // while it waits for its second attempt
		done(ctx, t, dir, plan, batch.Config{Retries: 1}, w)
		run := w.tries[0].Run
		for range 3 { // the second attempt begins, and the program is killed before its first event
			pause(t.Context(), time.Second)
			appendLine(t, dir, fmt.Sprintf(`{"v":1,"at":%q,"kind":"began","job":"t01","run":%q,"attempt":2,"step":1}`, time.Now().UTC().Format(time.RFC3339Nano), run))
		}
		w.play = succeeds
		sum := mustEnd(t, dir, plan, batch.Config{Retries: 1}, w)
		if sum.Attempts != 1 || sum.Statuses[trajectory.Success] != 1 || len(w.tries) != 2 || !w.tries[1].Resume {
			t.Errorf("got %d failed attempts, %v, %d tries; want 1, a success, 2", sum.Attempts, sum.Statuses, len(w.tries))
		}
	})
}
