package batch_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fara/batch"
	"fara/trajectory"
)

func TestALedgerCutAnywhereLosesNothingAndDoesNothingTwice(t *testing.T) {
	model, plan := t.TempDir(), batch.Plan{Tasks: tasks(3)}
	stumbles := func(ctx context.Context, r *run) trajectory.Result { // t02 needs three attempts, two of one run
		switch {
		case r.Job.ID != "t02" || r.Resume:
			return succeeds(ctx, r)
		case time.Now().Second() == 0:
			return unreachable(r)
		}
		return r.open().see().do().end(trajectory.BrowserLost, "gone", "it died")
	}
	synctest.Test(t, func(t *testing.T) {
		mustEnd(t, model, plan, batch.Config{Retries: 2}, &world{play: stumbles})
	})
	whole, err := os.ReadFile(filepath.Join(model, "ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(aside(t, model)); n != 1 {
		t.Fatalf("got %d runs aside, want one", n)
	}
	for n := 0; n <= len(whole); n++ {
		cut := whole[:n]
		if err := os.WriteFile(filepath.Join(model, "ledger.jsonl"), cut, 0o644); err != nil {
			t.Fatal(err)
		}
		sum, err := batch.Look(model, plan)
		if want := bytes.Count(cut[:bytes.LastIndexByte(cut, '\n')+1], []byte(`"kind":"ended"`)); err != nil || sum.Ended != want {
			t.Fatalf("cut at byte %d: got %d ended and error %v, want %d", n, sum.Ended, err, want)
		}
		if end := whole[max(n-2, 0):min(n+1, len(whole))]; n != 0 && n != len(whole) && bytes.IndexByte(end, '\n') < 0 {
			continue // what is left of a line makes no difference
		}
		dir := filepath.Join(t.TempDir(), "cut")
		if err := os.CopyFS(dir, os.DirFS(model)); err != nil {
			t.Fatal(err)
		}
		w := &world{play: succeeds}
		mustEnd(t, dir, plan, batch.Config{Retries: 2}, w)
		endedOnce(t, dir, 3)
		for _, tr := range w.tries {
			t.Errorf("%s was done once more, and its run was there", tr.Job.Key())
		}
		if t.Failed() {
			t.Fatalf("the ledger was cut at byte %d of %d", n, len(whole))
		}
	}
}

func TestALedgerWithABrokenLineIsAnErrorThatNamesIt(t *testing.T) {
	for name, line := range map[string]string{
		"no JSON": `{"v":1,"kind":"beg`, "of a later version": `{"v":99,"kind":"began","job":"t01"}`, "of no job": `{"v":1,"kind":"began"}`,
	} {
		dir, plan := t.TempDir(), batch.Plan{Tasks: tasks(3)}
		mustEnd(t, dir, plan, batch.Config{}, &world{play: succeeds})
		path := filepath.Join(dir, "ledger.jsonl")
		data, _ := os.ReadFile(path)
		all := strings.SplitAfter(string(data), "\n")
		all[2] = line + "\n"
		broken := strings.Join(all, "")
		os.WriteFile(path, []byte(broken), 0o644)
		_, openErr := batch.Open(dir, plan)
		_, lookErr := batch.Look(dir, plan)
		for _, err := range []error{openErr, lookErr} {
			if err == nil || !strings.Contains(err.Error(), "ledger.jsonl:3: ") {
				t.Errorf("%s: got error %v, want one that names ledger.jsonl:3", name, err)
			}
		}
		if now, _ := os.ReadFile(path); string(now) != broken {
			t.Errorf("%s: the ledger was changed", name)
		}
	}
}
