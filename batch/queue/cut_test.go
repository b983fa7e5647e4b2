package queue_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"fara/batch/queue"
)

// cable is a way to a server that can be cut and mended.
type cable struct {
	mu     sync.Mutex
	cut    bool
	conns  []net.Conn
	listen net.Listener
	to     string
}

// lay gives the address at the near end of a cable to a server.
func lay(t *testing.T, server string) (*cable, string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{listen: l, to: u.Host}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { c.carry(near) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		c.Cut()
		all.Wait()
	})
	return c, "nats://" + l.Addr().String()
}

func (c *cable) carry(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer far.Close()
	c.mu.Lock()
	cut := c.cut
	c.conns = append(c.conns, near, far)
	c.mu.Unlock()
	if cut {
		return
	}
	go func() {
		_, _ = io.Copy(far, near)
		far.Close()
	}()
	_, _ = io.Copy(near, far)
}

func (c *cable) Cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = true
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}

func (c *cable) Mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = false
}

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
