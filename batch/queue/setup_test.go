package queue_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fara/batch/queue"
	"fara/batch/queue/natsd"
)

// short is the AckWait of these tests.
const short = 600 * time.Millisecond

// serve starts a server for one test.
func serve(t *testing.T) *natsd.Server {
	t.Helper()
	s, err := natsd.Start(t.Context(), natsd.Config{Listen: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func config(url string) queue.Config {
	return queue.Config{URL: url, AckWait: short, MaxDeliveries: 2, Connect: 3 * time.Second, Wait: 3 * time.Second}
}

func open(t *testing.T, cfg queue.Config, id string) *queue.Hub {
	t.Helper()
	h, err := queue.Open(t.Context(), cfg, queue.Batch{ID: id, Text: "tasks of " + id, Data: []byte("settings of " + id)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

func join(t *testing.T, cfg queue.Config, worker string) *queue.Bench {
	t.Helper()
	b, err := queue.Join(t.Context(), cfg, worker)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// within is a context for what must not take long.
func within(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

func publish(t *testing.T, h *queue.Hub, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if err := h.Publish(within(t, 10*time.Second), key, []byte("job "+key)); err != nil {
			t.Fatalf("publish %s: %v", key, err)
		}
	}
}

func next(t *testing.T, b *queue.Bench) *queue.Job {
	t.Helper()
	j, err := b.Next(within(t, 10*time.Second))
	if err != nil {
		t.Fatalf("next: %v", err)
	}
	return j
}

// nothing asserts that the queue has no job for b.
func nothing(t *testing.T, b *queue.Bench) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	j, err := b.Next(ctx)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("next of an empty queue: got %+v, %v, want the end of the time", j, err)
	}
}

// errEnough ends a Collect.
var errEnough = errors.New("enough collected")

// collect takes n results and fails when they do not come.
func collect(t *testing.T, h *queue.Hub, n int, take func(context.Context, queue.Result) error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(within(t, 30*time.Second))
	defer cancel(nil)
	got := 0
	err := h.Collect(ctx, func(ctx context.Context, r queue.Result) error {
		if got == n {
			return fmt.Errorf("a result too many, of %s", r.Key)
		}
		err := take(ctx, r)
		if err != nil && !errors.Is(err, queue.ErrAlready) {
			return err
		}
		if got++; got == n {
			time.AfterFunc(100*time.Millisecond, func() { cancel(errEnough) }) // for one too many
		}
		return err
	})
	if !errors.Is(err, errEnough) || got != n {
		t.Fatalf("collected %d results, then %v; want %d", got, err, n)
	}
}

// sums gives the checksum of each file under dir by its name; folders are "".
func sums(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() {
			all[name] = ""
			return err
		}
		data, err := os.ReadFile(path)
		sum := sha256.Sum256(data)
		all[name] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// folder writes files, given as name and content.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
