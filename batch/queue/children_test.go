package queue_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
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
