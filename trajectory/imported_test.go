package trajectory_test

import (
	"testing"
	"time"

	"fara/trajectory"
)

func TestImportedRunKeepsItsOriginAndItsTimes(t *testing.T) {
	out := t.TempDir()
	origin := trajectory.Imported{Format: "datapoint", Source: "a1", Files: 2, SHA256: "ff", At: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), Notes: []string{"times are taken for UTC"}}
	w, err := trajectory.Create(out, trajectory.Task{Run: "r1", Imported: &origin}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2025, 3, 4, 5, 6, 7, 8000, time.UTC)
	w.Clock(func() time.Time { return at })
	if _, err := w.Append(0, trajectory.Started{Task: "buy tea"}); err != nil {
		t.Fatal(err)
	}
	origin.Notes = append(origin.Notes, "the last line was torn")
	if err := w.Restate(trajectory.Task{Run: "r1", Imported: &origin}); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(0, trajectory.Result{Run: "r1", Status: trajectory.Cancelled, Verified: []string{}}); err != nil {
		t.Fatal(err)
	}
	run, err := trajectory.Read(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	got := run.Task.Imported
	if got == nil || got.Format != origin.Format || got.Source != origin.Source || got.SHA256 != origin.SHA256 || got.Files != 2 || len(got.Notes) != 2 {
		t.Errorf("the origin: got %+v, want %+v", got, origin)
	}
	for _, e := range run.Events {
		if !e.At.Equal(at) {
			t.Errorf("event %d is at %v, want %v", e.Seq, e.At, at)
		}
	}
}
