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
	t.Parallel()
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

func TestJobPublishedAgainIsOneJob(t *testing.T) {
	t.Parallel()
	cfg := config(serve(t).URL())
	h := open(t, cfg, "b1")
	publish(t, h, "a", "a")
	publish(t, open(t, cfg, "b1"), "a") // another process, after a restart
	b := join(t, cfg, "ann")
	j := next(t, b)
	publish(t, h, "a")
	nothing(t, b)
	if err := j.Done(t.Context(), []byte("1"), ""); err != nil {
		t.Fatal(err)
	}
	publish(t, h, "a") // its result waits
	nothing(t, b)
	if err := h.Remove(within(t, 5*time.Second)); !errors.Is(err, queue.ErrUnfinished) {
		t.Errorf("remove before the result was collected: got %v, want ErrUnfinished", err)
	}
	collect(t, h, 1, func(context.Context, queue.Result) error { return nil })
	publish(t, h, "a") // a job of its own now
	if err := h.Remove(within(t, 5*time.Second)); !errors.Is(err, queue.ErrUnfinished) {
		t.Errorf("remove with a job waiting: got %v, want ErrUnfinished", err)
	}
	j = next(t, b)
	if j.Delivery != 1 || j.Notes != nil {
		t.Errorf("the second job of the key begins as %+v", j)
	}
	if err := j.Done(t.Context(), []byte("2"), ""); err != nil {
		t.Fatal(err)
	}
	collect(t, h, 1, func(_ context.Context, r queue.Result) error {
		if string(r.Data) != "2" {
			t.Errorf("got the result %q of the second job, want 2", r.Data)
		}
		return queue.ErrAlready
	})
	if err := h.Remove(within(t, 5*time.Second)); err != nil {
		t.Error(err)
	}
}

func TestResultComesAgainUntilItWasTaken(t *testing.T) {
	t.Parallel()
	cfg := config(serve(t).URL())
	h := open(t, cfg, "b1")
	publish(t, h, "a")
	j := next(t, join(t, cfg, "ann"))
	if err := j.Done(t.Context(), []byte("said"), folder(t, map[string]string{"x": "y"})); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	err := h.Collect(within(t, 10*time.Second), func(context.Context, queue.Result) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("collect ended with %v, want take's error", err)
	}
	again := open(t, cfg, "b1") // the process starts anew
	collect(t, again, 1, func(ctx context.Context, r queue.Result) error {
		return r.Fetch(ctx, filepath.Join(t.TempDir(), "run"))
	})
	if err := again.Remove(within(t, 5*time.Second)); err != nil {
		t.Error(err)
	}
}

func TestQueueOfAnotherBatchIsRefused(t *testing.T) {
	t.Parallel()
	cfg := config(serve(t).URL())
	publish(t, open(t, cfg, "b1"), "a")
	_, err := queue.Open(t.Context(), cfg, queue.Batch{ID: "b2"})
	var other *queue.OtherBatchError
	if !errors.Is(err, queue.ErrOtherBatch) || !errors.As(err, &other) || other.ID != "b1" || other.Text != "tasks of b1" {
		t.Fatalf("got %v, want the queue of b1 refused", err)
	}
	if err := queue.Drop(t.Context(), cfg, "b2"); !errors.Is(err, queue.ErrOtherBatch) {
		t.Errorf("drop of another batch's queue: got %v, want ErrOtherBatch", err)
	}
	aside := cfg
	aside.Name = "second"
	open(t, aside, "b2")
	if err := queue.Drop(t.Context(), cfg, "b1"); err != nil {
		t.Fatal(err)
	}
	open(t, cfg, "b2")
	nothing(t, join(t, cfg, "ann"))
}

func TestPoisonedJobIsHandedOutWithWhoWasLost(t *testing.T) {
	t.Parallel()
	cfg := config(serve(t).URL()) // two deliveries
	h := open(t, cfg, "b1")
	publish(t, h, "a")
	for i, name := range []string{"ann", "bob"} {
		b := join(t, cfg, name)
		j := next(t, b)
		if j.Delivery != i+1 || j.Poisoned() != nil {
			t.Errorf("delivery %d, poisoned %v; want %d and no", j.Delivery, j.Poisoned(), i+1)
		}
		if err := j.Note(t.Context(), []byte(name+" was here")); err != nil {
			t.Fatal(err)
		}
		b.Close() // dies, as far as the queue knows
	}
	j := next(t, join(t, cfg, "cy"))
	err := j.Poisoned()
	var poisoned *queue.PoisonedError
	if !errors.Is(err, queue.ErrPoisoned) || !errors.As(err, &poisoned) || len(poisoned.Takes) != 2 ||
		poisoned.Takes[0].Worker != "ann" || poisoned.Takes[1].Worker != "bob" {
		t.Fatalf("got %v, want a poisoned job that ann and bob had", err)
	}
	if string(j.Notes) != "bob was here" {
		t.Errorf("got the note %q, want the newest", j.Notes)
	}
	if err := j.Done(t.Context(), []byte(err.Error()), ""); err != nil {
		t.Fatal(err)
	}
	collect(t, h, 1, func(context.Context, queue.Result) error { return nil })
}

func TestJobGivenBackCountsNobodyAsLost(t *testing.T) {
	t.Parallel()
	cfg := config(serve(t).URL())
	publish(t, open(t, cfg, "b1"), "a")
	b := join(t, cfg, "ann")
	for range 5 {
		j := next(t, b)
		if j.Delivery != 1 || j.Poisoned() != nil || len(j.Takes) != 0 {
			t.Fatalf("got delivery %d after nothing but releases, want 1", j.Delivery)
		}
		if err := j.Note(t.Context(), []byte("n")); err != nil {
			t.Fatal(err)
		}
		if err := j.Release(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
	j := next(t, b)
	if string(j.Notes) != "n" {
		t.Errorf("got the note %q, want n", j.Notes)
	}
	if err := j.Release(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	nothing(t, b)
}

func TestWorkingLongerThanAckWaitKeepsTheJob(t *testing.T) {
	t.Parallel()
	cfg := config(serve(t).URL())
	publish(t, open(t, cfg, "b1"), "a")
	j := next(t, join(t, cfg, "ann"))
	other := join(t, cfg, "bob")
	ctx, cancel := context.WithTimeout(t.Context(), 3*short)
	defer cancel()
	if got, err := other.Next(ctx); err == nil {
		t.Fatalf("bob got %s while ann works on it", got.Key)
	}
	if err := j.Done(t.Context(), nil, ""); err != nil {
		t.Fatal(err)
	}
}

func TestJoinWaitsForTheQueue(t *testing.T) {
	t.Parallel()
	url := serve(t).URL()
	cfg := config(url)
	cfg.Wait = 100 * time.Millisecond
	if _, err := queue.Join(t.Context(), cfg, "ann"); !errors.Is(err, queue.ErrNoQueue) {
		t.Errorf("got %v, want ErrNoQueue", err)
	}
	cfg.Wait = 20 * time.Second
	waits := make(chan error, 10)
	cfg.Notify = func(_ bool, err error) { waits <- err }
	joined := make(chan error, 1)
	go func() {
		b, err := queue.Join(t.Context(), cfg, "ann")
		if err == nil {
			b.Close()
		}
		joined <- err
	}()
	if err := <-waits; !errors.Is(err, queue.ErrNoQueue) {
		t.Errorf("told %v while there is no queue, want ErrNoQueue", err)
	}
	open(t, config(url), "b1")
	if err := <-joined; err != nil {
		t.Error(err)
	}
}
