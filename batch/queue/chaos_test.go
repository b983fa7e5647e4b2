package queue_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fara/batch/queue"
)

// machines are three workers and a server, each a process, and the dice that kill them.
type machines struct {
	t       *testing.T
	listen  string
	dir     string
	scratch string
	server  *exec.Cmd
	workers []*exec.Cmd
	started int
}

func (m *machines) startServer() {
	var out io.Reader
	m.server, out = child(m.t, "QUEUE_TEST_ROLE=server", "QUEUE_TEST_LISTEN="+m.listen, "QUEUE_TEST_DIR="+m.dir)
	if !bufio.NewScanner(out).Scan() {
		m.t.Fatal("the server has not started")
	}
}

func (m *machines) startWorker() *exec.Cmd {
	m.started++
	cmd, _ := child(m.t, "QUEUE_TEST_ROLE=worker", "QUEUE_TEST_URL=nats://"+m.listen,
		"QUEUE_TEST_SCRATCH="+m.scratch, fmt.Sprintf("QUEUE_TEST_NAME=w%d", m.started))
	return cmd
}

// free is an address that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestEachJobHasOneResultWhateverIsKilled kills workers at random and the server in
// between, and collects the while.
func TestEachJobHasOneResultWhateverIsKilled(t *testing.T) {
	m := &machines{t: t, listen: free(t), dir: t.TempDir(), scratch: t.TempDir()}
	m.startServer()
	cfg := config("nats://" + m.listen)
	cfg.AckWait, cfg.MaxDeliveries = time.Second, 50
	h := open(t, cfg, "b1")
	var keys []string
	for i := range 36 {
		keys = append(keys, fmt.Sprintf("task %d", i))
	}
	publish(t, h, keys...)
	for range 3 {
		m.workers = append(m.workers, m.startWorker())
	}
	got := &gathered{dir: t.TempDir(), by: map[string]string{}}
	ctx, cancel := context.WithCancelCause(within(t, 60*time.Second))
	ended := make(chan error, 1)
	go func() { ended <- h.Collect(ctx, got.take) }()
	m.havoc(got, len(keys))
	for got.count() < len(keys) && nap(ctx, 20*time.Millisecond) {
	}
	nap(ctx, time.Second) // for whatever might come twice
	cancel(errEnough)
	if err := <-ended; !errors.Is(err, errEnough) {
		t.Fatalf("collect ended with %v after %d results", err, got.count())
	}
	got.check(t, keys)
	if err := h.Remove(within(t, 10*time.Second)); err != nil {
		t.Error(err)
	}
}

// havoc kills a worker eight times and the server once, the dice say when and which.
func (m *machines) havoc(got *gathered, jobs int) {
	dice := rand.New(rand.NewPCG(7, 7))
	for i := range 8 {
		nap(m.t.Context(), time.Duration(50+dice.IntN(300))*time.Millisecond)
		n := dice.IntN(len(m.workers))
		kill(m.workers[n])
		if i == 3 {
			if done := got.count(); done == jobs {
				m.t.Error("the server is restarted when all is done; give the workers more to do")
			}
			kill(m.server)
			nap(m.t.Context(), 300*time.Millisecond)
			m.startServer()
		}
		m.workers[n] = m.startWorker()
	}
}

func nap(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// gathered are the results of a batch, as a batch would store them.
type gathered struct {
	dir string

	mu    sync.Mutex
	by    map[string]string
	twice []string
}

func (g *gathered) take(ctx context.Context, r queue.Result) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.by[r.Key]; ok {
		g.twice = append(g.twice, r.Key)
		return queue.ErrAlready
	}
	temp := filepath.Join(g.dir, ".part")
	if err := r.Fetch(ctx, temp); err != nil {
		return err
	}
	if err := os.Rename(temp, filepath.Join(g.dir, r.Key)); err != nil {
		return err
	}
	g.by[r.Key] = string(r.Data)
	return nil
}

func (g *gathered) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.by)
}

func (g *gathered) check(t *testing.T, keys []string) {
	t.Helper()
	if len(g.by) != len(keys) {
		t.Errorf("got %d results, want %d", len(g.by), len(keys))
	}
	if len(g.twice) > 0 {
		t.Errorf("these came twice: %q", g.twice)
	}
	names := map[string]bool{}
	for _, key := range keys {
		want := t.TempDir()
		if err := fill(want, key); err != nil {
			t.Fatal(err)
		}
		if a, b := sums(t, filepath.Join(g.dir, key)), sums(t, want); !maps.Equal(a, b) {
			t.Errorf("the folder of %s came as %v, want %v", key, a, b)
		}
		names[strings.TrimPrefix(g.by[key], "by ")] = true
	}
	if len(names) < 4 {
		t.Errorf("only %d workers had a result: nobody was killed in time", len(names))
	}
}
