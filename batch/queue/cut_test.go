package queue_test

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"fara/batch/queue"
)

// stored names what is in the bucket of folders.
func stored(t *testing.T, server string) []string {
	t.Helper()
	nc, err := nats.Connect(server)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := js.ObjectStore(t.Context(), "fara-folders")
	if err != nil {
		t.Fatal(err)
	}
	objects, err := bucket.List(t.Context())
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		t.Fatal(err)
	}
	var names []string
	for _, o := range objects {
		names = append(names, o.Name)
	}
	return names
}

// TestFirstResultOfTwoWorkersWins cuts a worker off until another has its job, and lets
// either of them be the first to finish.
func TestFirstResultOfTwoWorkersWins(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"the one cut off", "the other"} {
		t.Run(first, func(t *testing.T) {
			server := serve(t).URL()
			cfg := config(server)
			h := open(t, cfg, "b1")
			publish(t, h, "a")
			wire, address := lay(t, server)
			apart := cfg
			apart.URL = address
			ann := next(t, join(t, apart, "ann"))
			wire.Cut()
			bob := next(t, join(t, cfg, "bob"))
			if bob.Delivery != 2 || len(bob.Takes) != 1 || bob.Takes[0].Worker != "ann" {
				t.Errorf("bob got %+v, want the second delivery, after ann's", bob)
			}
			wire.Mend()
			if err := ann.Note(within(t, 10*time.Second), []byte("an order")); !errors.Is(err, queue.ErrTaken) {
				t.Errorf("ann's note: got %v, want ErrTaken", err)
			}
			winner, loser := bob, ann
			if first == "the one cut off" {
				winner, loser = ann, bob
			}
			finishBoth(t, winner, loser)
			if got := stored(t, server); len(got) != 1 {
				t.Errorf("stored are the folders %q, want the winner's alone", got)
			}
			collect(t, h, 1, func(_ context.Context, r queue.Result) error {
				if string(r.Data) != "winner" {
					t.Errorf("got the result %q, want the winner's", r.Data)
				}
				return nil
			})
			if err := h.Remove(within(t, 10*time.Second)); err != nil {
				t.Error(err)
			}
		})
	}
}

func finishBoth(t *testing.T, winner, loser *queue.Job) {
	t.Helper()
	files := folder(t, map[string]string{"x": "y"})
	if err := winner.Done(within(t, 10*time.Second), []byte("winner"), files); err != nil {
		t.Fatalf("the first: %v", err)
	}
	select {
	case <-loser.Lost():
	case <-time.After(10 * time.Second):
		t.Error("the second never learns that it lost the job")
	}
	if err := loser.Done(within(t, 10*time.Second), []byte("loser"), files); !errors.Is(err, queue.ErrTaken) {
		t.Errorf("the second: got %v, want ErrTaken", err)
	}
}

func TestDoneGoesOnAfterTheConnectionIsBack(t *testing.T) {
	t.Parallel()
	server := serve(t).URL()
	cfg := config(server)
	cfg.AckWait = 30 * time.Second
	h := open(t, cfg, "b1")
	publish(t, h, "a")
	wire, address := lay(t, server)
	apart := cfg
	apart.URL = address
	told := make(chan bool, 100)
	apart.Notify = func(connected bool, _ error) { told <- connected }
	j := next(t, join(t, apart, "ann"))
	wire.Cut()
	for connected := range told {
		if !connected {
			break
		}
	}
	done := make(chan error, 1)
	go func() {
		done <- j.Done(within(t, 20*time.Second), []byte("said"), folder(t, map[string]string{"x": "y"}))
	}()
	select {
	case err := <-done:
		t.Fatalf("done without a connection: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	wire.Mend()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	collect(t, h, 1, func(context.Context, queue.Result) error { return nil })
	if got := stored(t, server); len(got) != 0 {
		t.Errorf("stored after it was collected: %q", got)
	}
}

func TestJobThatAnotherHasIsNotGivenBack(t *testing.T) {
	t.Parallel()
	server := serve(t).URL()
	cfg := config(server)
	publish(t, open(t, cfg, "b1"), "a")
	wire, address := lay(t, server)
	apart := cfg
	apart.URL = address
	ann := next(t, join(t, apart, "ann"))
	wire.Cut()
	bob := next(t, join(t, cfg, "bob"))
	wire.Mend()
	if err := ann.Release(within(t, 10*time.Second), 0); !errors.Is(err, queue.ErrTaken) {
		t.Errorf("ann's release: got %v, want ErrTaken", err)
	}
	if err := ann.Done(t.Context(), nil, ""); !errors.Is(err, queue.ErrTaken) {
		t.Errorf("ann's done after that: got %v, want ErrTaken", err)
	}
	nothing(t, join(t, cfg, "cy"))
	if err := bob.Done(t.Context(), nil, ""); err != nil {
		t.Error(err)
	}
}

// TestTransferCutInTheMiddleIsDoneAgain breaks the cable within a folder, on its way to
// the queue and on its way out.
func TestTransferCutInTheMiddleIsDoneAgain(t *testing.T) {
	t.Parallel()
	server := serve(t).URL()
	cfg := config(server)
	cfg.AckWait = 30 * time.Second
	publish(t, open(t, cfg, "b1"), "a")
	wire, address := lay(t, server)
	cfg.URL = address
	ctx := within(t, 20*time.Second)

	wire.up.Store(1 << 20)
	j := next(t, join(t, cfg, "ann"))
	big := folder(t, map[string]string{"big": strings.Repeat("0123456789", 400_000)})
	done := make(chan error, 1)
	go func() { done <- j.Done(ctx, nil, big) }()
	if err := wire.mendOnceBroken(ctx); err != nil {
		t.Fatal("the folder came through in spite of the cable")
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}

	h := open(t, cfg, "b1")
	wire.Cut()
	wire.down.Store(1 << 20)
	wire.Mend()
	to := filepath.Join(t.TempDir(), "run")
	mended := make(chan error, 1)
	go func() { mended <- wire.mendOnceBroken(ctx) }()
	collect(t, h, 1, func(ctx context.Context, r queue.Result) error { return r.Fetch(ctx, to) })
	if err := <-mended; err != nil {
		t.Fatal("the folder came back in spite of the cable")
	}
	if got, want := sums(t, to), sums(t, big); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
