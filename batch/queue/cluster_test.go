package queue_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"fara/batch/queue"
	"fara/batch/queue/natsd"
)

// cluster starts three servers that keep everything three times.
func cluster(t *testing.T) (servers []*server.Server, urls string) {
	t.Helper()
	var routes []*url.URL
	var addresses []string
	for range 3 {
		addresses = append(addresses, free(t))
		routes = append(routes, &url.URL{Scheme: "nats", Host: addresses[len(addresses)-1]})
	}
	var clients []string
	for i, address := range addresses {
		o := &server.Options{ServerName: fmt.Sprintf("n%d", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
			JetStream: true, StoreDir: t.TempDir(), Routes: routes}
		host, port, _ := strings.Cut(address, ":")
		o.Cluster.Name, o.Cluster.Host = "c", host
		if _, err := fmt.Sscan(port, &o.Cluster.Port); err != nil {
			t.Fatal(err)
		}
		s, err := server.NewServer(o)
		if err != nil {
			t.Fatal(err)
		}
		go s.Start()
		t.Cleanup(func() {
			s.Shutdown()
			s.WaitForShutdown()
		})
		if !s.ReadyForConnections(10 * time.Second) {
			t.Fatal("a server does not start")
		}
		servers = append(servers, s)
		clients = append(clients, s.ClientURL())
	}
	return servers, strings.Join(clients, ",")
}

// TestQueueOfAClusterOutlivesOneServer ends the server that leads the jobs while they
// are done.
func TestQueueOfAClusterOutlivesOneServer(t *testing.T) {
	t.Parallel()
	servers, urls := cluster(t)
	cfg := config(urls)
	cfg.Replicas, cfg.Connect, cfg.AckWait = 3, 20*time.Second, 5*time.Second
	h := open(t, cfg, "b1")
	var keys []string
	for i := range 9 {
		keys = append(keys, fmt.Sprint("t", i))
	}
	publish(t, h, keys...)
	b := join(t, cfg, "ann")
	files := folder(t, map[string]string{"x": "y"})
	for i := range keys {
		j := next(t, b)
		if i == 4 {
			for _, s := range servers {
				if s.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, "fara-jobs") {
					s.Shutdown()
					break
				}
			}
		}
		if err := j.Done(within(t, 30*time.Second), []byte("said"), files); err != nil {
			t.Fatalf("%s: %v", j.Key, err)
		}
	}
	seen := map[string]bool{}
	collect(t, h, len(keys), func(_ context.Context, r queue.Result) error {
		seen[r.Key] = true
		return nil
	})
	if len(seen) != len(keys) {
		t.Errorf("got results of %v, want all of %v", seen, keys)
	}
}

func TestServerThatRefusesLaterIsSaid(t *testing.T) {
	t.Parallel()
	address, dir := free(t), t.TempDir()
	s, err := natsd.Start(t.Context(), natsd.Config{Listen: address, Dir: dir, Token: "old"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := open(t, config("nats://old@"+address), "b1")
	s.Close()
	if s, err = natsd.Start(t.Context(), natsd.Config{Listen: address, Dir: dir, Token: "new"}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := h.Publish(within(t, 20*time.Second), "a", nil); !errors.Is(err, queue.ErrDenied) {
		t.Errorf("got %v, want ErrDenied", err)
	}
}

func TestStoreThatIsGoneIsNoQueue(t *testing.T) {
	t.Parallel()
	address := free(t)
	s, err := natsd.Start(t.Context(), natsd.Config{Listen: address, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := open(t, config("nats://"+address), "b1")
	b := join(t, config("nats://"+address), "ann")
	s.Close()
	if s, err = natsd.Start(t.Context(), natsd.Config{Listen: address, Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := within(t, 20*time.Second)
	if err := h.Publish(ctx, "a", nil); !errors.Is(err, queue.ErrNoQueue) {
		t.Errorf("publish: got %v, want ErrNoQueue", err)
	}
	if err := h.Collect(ctx, nil); !errors.Is(err, queue.ErrNoQueue) {
		t.Errorf("collect: got %v, want ErrNoQueue", err)
	}
	if _, err := b.Next(ctx); !errors.Is(err, queue.ErrNoQueue) {
		t.Errorf("next: got %v, want ErrNoQueue", err)
	}
}

func TestNothingIsLeftRunning(t *testing.T) {
	url := serve(t).URL()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	before := runtime.NumGoroutine()
	for i := range 5 {
		cfg := config(url)
		h := open(t, cfg, "b1")
		publish(t, h, fmt.Sprint(i))
		b := join(t, cfg, "ann")
		if err := next(t, b).Done(t.Context(), nil, folder(t, map[string]string{"x": "y"})); err != nil {
			t.Fatal(err)
		}
		publish(t, h, fmt.Sprint("held", i))
		next(t, b)
		b.Close()
		h.Close()
		if err := queue.Drop(t.Context(), cfg, "b1"); err != nil {
			t.Fatal(err)
		}
	}
	ctx := within(t, 10*time.Second)
	for runtime.NumGoroutine() > before+2 && nap(ctx, 20*time.Millisecond) { // the server may have begun something
	}
	if now := runtime.NumGoroutine(); now > before+2 {
		all := make([]byte, 1<<20)
		t.Errorf("%d goroutines, %d before:\n%s", now, before, all[:runtime.Stack(all, true)])
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the folder of temporary files: %v, %v", left, err)
	}
}
