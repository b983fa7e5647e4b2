package queue

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"fara/batch/queue/natsd"
)

// pair is a hub with one job and a worker who has taken it.
func pair(t *testing.T) (*Hub, *Bench, *Job) {
	t.Helper()
	s, err := natsd.Start(t.Context(), natsd.Config{Listen: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	cfg := Config{URL: s.URL(), AckWait: 300 * time.Millisecond}
	h, err := Open(t.Context(), cfg, Batch{ID: "b1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	if err := h.Publish(t.Context(), "a", nil); err != nil {
		t.Fatal(err)
	}
	b, err := Join(t.Context(), cfg, "ann")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	j, err := b.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h, b, j
}

func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte("y"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestPartsOfAFolderThatNobodyFinishedAreSwept(t *testing.T) {
	t.Parallel()
	h, _, j := pair(t)
	ctx := t.Context()
	if err := j.Done(ctx, nil, small(t)); err != nil {
		t.Fatal(err)
	}
	lost := h.partsOf("LOST")
	for range 2 {
		if _, err := h.js.Publish(ctx, lost, []byte("part")); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		quiet time.Duration
		want  int
	}{{time.Hour, 2}, {0, 1}} {
		if err := h.sweep(ctx, c.quiet); err != nil {
			t.Fatal(err)
		}
		if _, info, err := h.parts(ctx); err != nil || len(info.State.Subjects) != c.want {
			t.Errorf("after a sweep of what is quiet for %v there are %v (%v), want %d", c.quiet, info.State.Subjects, err, c.want)
		}
	}
	enough := errors.New("enough")
	err := h.Collect(ctx, func(ctx context.Context, r Result) error {
		return errors.Join(enough, r.Fetch(ctx, filepath.Join(t.TempDir(), "run")))
	})
	if !errors.Is(err, enough) || errors.Is(err, ErrFolder) {
		t.Errorf("the whole folder after the sweep: %v", err)
	}
}

func TestFolderOfALostWorkerGoesWithTheResult(t *testing.T) {
	t.Parallel()
	h, b, j := pair(t)
	ctx := t.Context()
	if err := b.upload(ctx, b.folder(j.Key, j.id), small(t)); err != nil {
		t.Fatal(err)
	}
	j.stop() // ann is lost with her folder stored and nothing said
	other, err := Join(ctx, h.cfg, "bob")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	again, err := other.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Done(ctx, nil, small(t)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	taken, ended := gather(ctx, h)
	<-taken
	for left := 2; left > 0 && nap(ctx, 20*time.Millisecond); {
		_, info, err := h.parts(ctx)
		if err != nil {
			t.Fatal(err)
		}
		left = len(info.State.Subjects)
	}
	if ctx.Err() != nil {
		t.Error("the folders are still there")
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("collect ended with %v", err)
	}
}

// gather collects until ctx ends, and tells of each result.
func gather(ctx context.Context, h *Hub) (taken chan string, ended chan error) {
	taken, ended = make(chan string, 10), make(chan error, 1)
	go func() {
		ended <- h.Collect(ctx, func(_ context.Context, r Result) error {
			taken <- string(r.Data)
			return nil
		})
	}()
	return taken, ended
}

// TestWorkerLostBeforeItsAcknowledgement leaves a job in the queue whose result is
// there.
func TestWorkerLostBeforeItsAcknowledgement(t *testing.T) {
	for name, then := range map[string]func(ctx context.Context, t *testing.T, h *Hub, b *Bench){
		"the queue can be removed": func(ctx context.Context, t *testing.T, h *Hub, _ *Bench) {
			if err := h.Remove(ctx); err != nil {
				t.Error(err)
			}
		},
		"the key can be published again": func(ctx context.Context, t *testing.T, h *Hub, b *Bench) {
			if err := h.Publish(ctx, "a", []byte("again")); err != nil {
				t.Fatal(err)
			}
			j, err := b.Next(ctx)
			if err != nil || string(j.Data) != "again" || j.Delivery != 1 {
				t.Fatalf("got %+v, %v, want the new job", j, err)
			}
			if err := j.Done(ctx, nil, ""); err != nil {
				t.Error(err)
			}
		},
		"the next worker does not get it": func(ctx context.Context, t *testing.T, h *Hub, b *Bench) {
			if err := h.Publish(ctx, "b", nil); err != nil {
				t.Fatal(err)
			}
			for ctx.Err() == nil {
				j, err := b.Next(ctx)
				if err != nil || j.Key != "b" {
					t.Fatalf("got %+v, %v, want b alone", j, err)
				}
				if info, err := h.jobs.Info(ctx); err != nil || info.State.Msgs == 1 {
					return // the other one is gone
				}
				if err := j.Release(ctx, pause); err != nil {
					t.Fatal(err)
				}
			}
			t.Error("the job that was done stays in the queue")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, b, j := pair(t)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if err := j.publish(ctx, []byte("said"), ""); err != nil {
				t.Fatal(err)
			}
			j.stop() // lost here
			collecting, stop := context.WithCancel(ctx)
			taken, ended := gather(collecting, h)
			if got := <-taken; got != "said" {
				t.Errorf("got the result %q", got)
			}
			for marked := false; !marked && nap(ctx, 10*time.Millisecond); {
				m, err := h.last(ctx, h.results, h.result("a"))
				marked = err == nil && m.Header.Get(headCollected) != ""
			}
			stop()
			<-ended
			then(ctx, t, h, b)
		})
	}
}

// TestFolderThatWasChangedInTheQueueIsRefused puts other parts in the place of a folder's.
func TestFolderThatWasChangedInTheQueueIsRefused(t *testing.T) {
	t.Parallel()
	h, _, j := pair(t)
	ctx := t.Context()
	if err := j.Done(ctx, nil, small(t)); err != nil {
		t.Fatal(err)
	}
	bucket, info, err := h.parts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "x"), []byte("z"), 0o600); err != nil {
		t.Fatal(err)
	}
	var changed bytes.Buffer
	if err := pack(&changed, other, 100); err != nil {
		t.Fatal(err)
	}
	for subject := range info.State.Subjects {
		if err := bucket.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
			t.Fatal(err)
		}
		if _, err := h.js.Publish(ctx, subject, changed.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "run")
	err = h.Collect(ctx, func(ctx context.Context, r Result) error { return r.Fetch(ctx, dir) })
	if !errors.Is(err, ErrFolder) {
		t.Errorf("got %v, want ErrFolder", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a folder: %v", err)
	}
}
