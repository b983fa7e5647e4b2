package batch_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"fara/batch"
	"fara/env"
	"fara/trajectory"
)

var update = flag.Bool("update", false, "write the golden files anew")

// varied is a batch with endings of several kinds.
func varied(t *testing.T, dir string) batch.Summary {
	t.Helper()
	w := &world{play: func(ctx context.Context, r *run) trajectory.Result {
		switch r.Job.Key() {
		case "t02":
			return r.open().visit(nil).see().do().see().do().end(trajectory.WaitingForUser, "question", "which?")
		case "t03":
			why := &trajectory.Problem{Reason: string(env.Navigation), Text: "net::ERR_NAME_NOT_RESOLVED"}
			return r.open().visit(why).end(trajectory.Failure, "start_url", "net::ERR_NAME_NOT_RESOLVED")
		case "t01#2":
			if !r.Resume {
				return r.open().see().do().end(trajectory.BrowserLost, "gone", "it died")
			}
		case "t02#2":
			r.open().visit(nil).see().do()
			r.w.Close()
			result := trajectory.Result{Version: 1, Run: r.Run, Status: trajectory.Success, Reason: "terminate", Verified: []string{"judge", "schema"}, Answer: "<b>42</b>", Steps: 1}
			result.Verdicts = []trajectory.Verdict{{By: "judge", Accepted: true, Raw: "long words"}}
			w, _, err := trajectory.Reopen(filepath.Join(r.Dir, r.Run), nil)
			if err != nil {
				t.Fatal(err)
			}
			r.err = w.Finish(1, result)
			return result
		}
		return succeeds(ctx, r)
	}}
	return mustEnd(t, dir, batch.Plan{Tasks: tasks(3), Samples: 2, Fara: "test"}, batch.Config{Retries: 1}, w)
}

func TestSummaryAddsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		sum := varied(t, dir)
		var ended, attempts, steps, calls, tokens int
		for key, r := range endings(t, dir) {
			steps, calls, tokens, ended = steps+r.Steps, calls+r.Usage.Calls, tokens+r.Usage.PromptTokens, ended+1
			if len(r.Verdicts) > 0 && r.Verdicts[0].Raw != "" {
				t.Errorf("%s: the ledger repeats a judge's words: %q", key, r.Verdicts[0].Raw)
			}
		}
		for _, n := range kinds(t, dir, "again") {
			attempts += n
		}
		statuses, classes, reasons, sites, done := 0, 0, 0, 0, 0
		for _, n := range sum.Statuses {
			statuses += n
		}
		for _, n := range sum.Classes {
			classes += n
		}
		for _, n := range sum.Reasons {
			reasons += n
		}
		for _, s := range sum.Sites {
			sites, done = sites+s.Ended, done+s.Success
		}
		if sum.Jobs != 6 || sum.Ended != ended || statuses != ended || classes != ended || reasons != ended || sites != ended {
			t.Errorf("of %d jobs: got %d ended, by status %d, class %d, reason %d, site %d; want %d each", sum.Jobs, sum.Ended, statuses, classes, reasons, sites, ended)
		}
		if sum.Attempts != attempts || sum.Steps != steps || sum.Calls != calls || sum.Usage.PromptTokens != tokens || sum.Servers["http://gpu:1"] != calls {
			t.Errorf("got %d attempts, %d steps, %d calls, %d tokens, servers %v; want %d, %d, %d, %d and all calls", sum.Attempts, sum.Steps, sum.Calls, sum.Usage.PromptTokens, sum.Servers, attempts, steps, calls, tokens)
		}
		if success := sum.Statuses[trajectory.Success]; done != success || sum.Unverified != success-1 || sum.Verified["judge"] != 1 || sum.Verified["schema"] != 1 {
			t.Errorf("of %d successes: got %d by site, %d unverified, %v; want all, all but one, one by judge and schema", success, done, sum.Unverified, sum.Verified)
		}
		look, err := batch.Look(dir, batch.Plan{Source: "tasks.jsonl", Tasks: tasks(3), Samples: 2})
		if err != nil || look.Steps != sum.Steps || look.Attempts != sum.Attempts || look.Ended != sum.Ended {
			t.Errorf("Look: got %d steps, %d attempts, %d ended, error %v; want the same", look.Steps, look.Attempts, look.Ended, err)
		}
	})
}

var (
	runID   = regexp.MustCompile(`\d{8}-\d{6}-[0-9a-f]{8}`)
	batchID = regexp.MustCompile(`"batch": "[0-9a-f]{8}"`)
)

func TestSummaryAndResultsAreWrittenAsTheyAlwaysWere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		varied(t, dir)
		for _, name := range []string{"results.jsonl", "summary.json"} {
			got, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(string(got), dir, "DIR")
			text = batchID.ReplaceAllString(runID.ReplaceAllString(text, "ID"), `"batch": "ID"`)
			golden := filepath.Join("testdata", name)
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || !bytes.Equal([]byte(text), want) {
				t.Errorf("%s: error %v, got\n%s\nwant\n%s\nrun the test with -update if this is meant", name, err, text, want)
			}
		}
	})
}

func TestProgressTellsWhereTheBatchIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, t.TempDir(), batch.Plan{Tasks: tasks(5)})
		b := batch.New(batch.Config{Workers: 2}, s, &world{play: patient})
		over := make(chan error)
		go func() {
			_, err := b.Run(t.Context())
			over <- err
		}()
		pause(t.Context(), 15e9)
		if p := b.Progress(); p.Jobs != 5 || p.Ended != 2 || p.Now != 2 || p.Running != 2 || p.Steps != 2 || p.Tokens != 24 || p.Servers["http://gpu:1"] != 2 || p.Statuses[trajectory.Success] != 2 {
			t.Errorf("after the first two: got %+v", p)
		}
		if err := <-over; err != nil {
			t.Error(err)
		}
		if p := b.Progress(); p.Ended != 5 || p.Running != 0 {
			t.Errorf("at the end: got %d ended, %d running; want 5 and none", p.Ended, p.Running)
		}
	})
}
