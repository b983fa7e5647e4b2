package batch_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"fara/batch"
	"fara/trajectory"
)

func TestAgainReopensTheClassesThatItIsGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		ends := map[string]batch.Class{"t01": batch.Done, "t02": batch.Browser, "t03": batch.Site, "t04": batch.Person}
		w := &world{play: func(_ context.Context, r *run) trajectory.Result { return endsAs[ends[r.Job.ID]](r) }}
		plan := batch.Plan{Tasks: tasks(4)}
		mustEnd(t, dir, plan, batch.Config{}, w)
		first := map[string]string{}
		for _, tr := range w.tries {
			first[tr.Job.ID] = tr.Run
		}

		s := opened(t, dir, plan)
		w.play = succeeds
		b := batch.New(batch.Config{}, s, w)
		n, err := b.Again(batch.Browser, batch.Site)
		if err != nil || n != 2 || b.Remaining() != 2 {
			t.Fatalf("Again: got %d, %d remaining, error %v; want 2, 2 and none", n, b.Remaining(), err)
		}
		sum, err := b.Run(t.Context())
		s.Close()
		if err != nil || sum.Remaining != 0 || len(w.tries) != 6 {
			t.Fatalf("got %d remaining, %d tries, error %v; want 0, 6 and none", sum.Remaining, len(w.tries), err)
		}
		if b := w.of("t02")[1]; !b.Resume || b.Run != first["t02"] {
			t.Errorf("t02, whose browser died: got resume %v of %s, want it to go on with %s", b.Resume, b.Run, first["t02"])
		}
		if s := w.of("t03")[1]; s.Resume || s.Run == first["t03"] {
			t.Errorf("t03, whose site was not reached: got resume %v, want a new run", s.Resume)
		}
		if got, want := aside(t, dir), []string{first["t03"]}; !slices.Equal(got, want) {
			t.Errorf(".attempts/: got %v, want %v", got, want)
		}
		if sum.Classes[batch.Done] != 3 || sum.Classes[batch.Person] != 1 || len(sum.Classes) != 2 {
			t.Errorf("got %v, want 3 done and one that waits for a person", sum.Classes)
		}
		mustEnd(t, dir, plan, batch.Config{}, w)
		if len(w.tries) != 6 {
			t.Errorf("the next start: got %d tries, want none more", len(w.tries)-6)
		}
	})
}

func TestASecondAgainAsksOnlyWhatEndedSoSince(t *testing.T) {
	dir, plan := t.TempDir(), batch.Plan{Tasks: tasks(2)}
	w := &world{play: succeeds}
	mustEnd(t, dir, plan, batch.Config{}, w)
	for want := 4; want <= 6; want += 2 {
		s := opened(t, dir, plan)
		b := batch.New(batch.Config{}, s, w)
		if n, err := b.Again(batch.Done); n != 2 || err != nil {
			t.Fatalf("Again: got %d and error %v, want 2", n, err)
		}
		if _, err := b.Run(t.Context()); err != nil || len(w.tries) != want {
			t.Errorf("got %d tries, error %v; want %d", len(w.tries), err, want)
		}
		s.Close()
	}
	if got := len(folders(t, dir)); got != 2 {
		t.Errorf("got %d runs in the folder, want 2", got)
	}
}

func TestGatherEndsAJobOnceAndRefusesWhatIsNone(t *testing.T) {
	dir, plan := t.TempDir(), batch.Plan{Tasks: tasks(3), Samples: 2}
	s := opened(t, dir, plan)
	b := batch.New(batch.Config{}, s, nil)
	good := batch.Report{Class: batch.Done, Attempts: 1, Result: trajectory.Result{Version: 1, Run: "r1", Status: trajectory.Success, Verified: []string{}, Steps: 4}}
	if err := b.Gather("t02#2", "gpu-2", good); err != nil {
		t.Fatal(err)
	}
	if err := b.Gather("t02#2", "gpu-3", good); !errors.Is(err, batch.ErrAlready) {
		t.Errorf("once more: got error %v, want %v", err, batch.ErrAlready)
	}
	bad := func(change func(r *batch.Report)) batch.Report {
		r := good
		change(&r)
		return r
	}
	for name, c := range map[string]struct {
		key string
		r   batch.Report
	}{
		"no such job":        {"t09", good},
		"no such sample":     {"t02#3", good},
		"no class":           {"t01", bad(func(r *batch.Report) { r.Class = "" })},
		"no ending":          {"t01", bad(func(r *batch.Report) { r.Class = batch.Stopped })},
		"no status":          {"t01", bad(func(r *batch.Report) { r.Result.Status = "" })},
		"a run out of place": {"t01", bad(func(r *batch.Report) { r.Result.Run = "../r1" })},
		"a run that is none": {"t01", bad(func(r *batch.Report) { r.Result.Run = ".." })},
	} {
		if err := b.Gather(c.key, "gpu-2", c.r); err == nil || errors.Is(err, batch.ErrAlready) {
			t.Errorf("%s: got error %v, want one that says so", name, err)
		}
	}
	if left := b.Left(); len(left) != 5 || b.Remaining() != 5 || !b.Knows("t01") || b.Knows("t02#2") || b.Knows("t09") {
		t.Errorf("got %d left, %d remaining, knows t01 %v, t02#2 %v, t09 %v; want 5, 5, true, false, false", len(left), b.Remaining(), b.Knows("t01"), b.Knows("t02#2"), b.Knows("t09"))
	}
	sum, err := b.Conclude()
	if err != nil || sum.Workers["gpu-2"] != 1 || sum.Attempts != 1 || sum.Steps != 4 || b.Progress().Steps != 4 {
		t.Errorf("got %v, %d failed attempts, %d steps, error %v; want one by gpu-2, 1, 4", sum.Workers, sum.Attempts, sum.Steps, err)
	}
	s.Close()
	if sum, err := batch.Look(dir, plan); err != nil || sum.Ended != 1 || sum.Workers["gpu-2"] != 1 {
		t.Errorf("the next start: got %d ended, %v, error %v; want 1 by gpu-2", sum.Ended, sum.Workers, err)
	}
}

func TestReportOfIsTheEndingOfABatchOfOne(t *testing.T) {
	dir, plan := t.TempDir(), batch.Plan{Tasks: tasks(1)}
	s := opened(t, dir, plan)
	b := batch.New(batch.Config{}, s, &world{play: succeeds})
	if r, ok := b.ReportOf(); ok {
		t.Errorf("before: got %v, want none", r)
	}
	if _, err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, ok := b.ReportOf(); !ok || r.Class != batch.Done || r.Result.Status != trajectory.Success {
		t.Errorf("got %v %s %s, want done with success", ok, r.Class, r.Result.Status)
	}
}
