package queue_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
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
	"fara/batch/queue/natsd"
)

// TestMain lets this binary also be a worker or a server of its own, so that they can
// be killed.
func TestMain(m *testing.M) {
	var err error
	switch os.Getenv("QUEUE_TEST_ROLE") {
	case "":
		os.Exit(m.Run())
	case "worker":
		err = work(os.Getenv("QUEUE_TEST_URL"), os.Getenv("QUEUE_TEST_NAME"))
	case "server":
		err = beServer(os.Getenv("QUEUE_TEST_LISTEN"), os.Getenv("QUEUE_TEST_DIR"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child starts this binary in a role and gives its standard output. It ends when the
// test does, at the latest.
func child(t *testing.T, env ...string) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil { // a child ends when its standard input does
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	return cmd, out
}

// kill is kill -9, and waits until the process is gone.
func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// whileParent is a context that ends with the standard input.
func whileParent() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return ctx
}

func beServer(listen, dir string) error {
	ctx := whileParent()
	s, err := natsd.Start(ctx, natsd.Config{Listen: listen, Dir: dir})
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Println(s.URL())
	<-ctx.Done()
	return nil
}

// work is a worker that takes a while for each job, as its key says.
func work(url, name string) error {
	ctx := whileParent()
	b, err := queue.Join(ctx, queue.Config{URL: url, Connect: 20 * time.Second, Wait: 20 * time.Second}, name)
	if err != nil {
		return err
	}
	defer b.Close()
	for {
		j, err := b.Next(ctx)
		if errors.Is(err, queue.ErrNoQueue) || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if err := workOn(ctx, j, name); err != nil && !errors.Is(err, queue.ErrTaken) {
			return err
		}
	}
}

func workOn(ctx context.Context, j *queue.Job, name string) error {
	if err := j.Poisoned(); err != nil {
		return j.Done(ctx, []byte("poisoned"), "")
	}
	dir, err := os.MkdirTemp(os.Getenv("QUEUE_TEST_SCRATCH"), "run")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := fill(dir, j.Key); err != nil {
		return err
	}
	select {
	case <-time.After(time.Duration(seed(j.Key)%150) * time.Millisecond):
	case <-ctx.Done():
	}
	return j.Done(ctx, []byte("by "+name), dir)
}

func seed(key string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(key))
	return h.Sum64()
}

// fill writes the files that every worker would write for a job.
func fill(dir, key string) error {
	r := rand.New(rand.NewPCG(seed(key), 1))
	if err := os.Mkdir(filepath.Join(dir, "frames"), 0o755); err != nil {
		return err
	}
	for i := range 3 {
		data := make([]byte, r.IntN(300_000))
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		if err := os.WriteFile(filepath.Join(dir, "frames", fmt.Sprint(i)), data, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "result.json"), []byte(key), 0o644)
}

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
