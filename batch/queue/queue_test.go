package queue_test

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fara/batch/queue"
)

func TestJobGoesOutAndItsResultComesBackWithItsFolder(t *testing.T) {
	cfg := config(serve(t).URL())
	h := open(t, cfg, "b1")
	publish(t, h, "tea #2/ü")
	b := join(t, cfg, "ann")
	if got := b.Batch; got.ID != "b1" || got.Text != "tasks of b1" || string(got.Data) != "settings of b1" {
		t.Errorf("the worker's batch is %+v", got)
	}
	j := next(t, b)
	if j.Key != "tea #2/ü" || string(j.Data) != "job tea #2/ü" || j.Delivery != 1 || j.Notes != nil || j.Poisoned() != nil {
		t.Errorf("got %+v", j)
	}
	if s, err := h.Pending(t.Context()); err != nil || s.Running != 1 || s.Waiting != 0 || len(s.Workers) != 1 || s.Workers[0].Key != j.Key || s.Workers[0].Name != "ann" {
		t.Errorf("while one works the queue stands at %+v, %v", s, err)
	}
	from := folder(t, map[string]string{"result.json": "{}", "frames/1.png": strings.Repeat("pixels", 100_000), "frames/deep/2": ""})
	if err := j.Done(t.Context(), []byte("said"), from); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "run")
	collect(t, h, 1, func(ctx context.Context, r queue.Result) error {
		if r.Key != j.Key || string(r.Data) != "said" || r.Worker != "ann" || !r.HasFolder() {
			t.Errorf("got %+v", r)
		}
		return r.Fetch(ctx, to)
	})
	if got, want := sums(t, to), sums(t, from); !maps.Equal(got, want) {
		t.Errorf("the folder came as %v, want %v", got, want)
	}
	if err := h.Remove(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Next(within(t, 10*time.Second)); !errors.Is(err, queue.ErrNoQueue) {
		t.Errorf("next after the queue was removed: got %v, want ErrNoQueue", err)
	}
}
