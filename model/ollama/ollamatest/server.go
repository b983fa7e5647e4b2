package ollamatest

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
)

const (
	startLimit = 30 * time.Second
	stopLimit  = 10 * time.Second
	pollPause  = 50 * time.Millisecond
)

// Start runs a server of the test's own until the test ends, and gives its
// address. Loading a model takes seconds, so a test binary should start one and
// run its claims as subtests. Without a server to run, the test is skipped, or
// fails when CI or FARA_REQUIRE_OLLAMA is set.
func Start(t testing.TB) (endpoint string) {
	t.Helper()
	path := binary(t)
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()

	base := &url.URL{Scheme: "http", Host: freeAddress(t)}
	exited := run(t, path, base.Host)
	client := api.NewClient(base, http.DefaultClient)
	await(ctx, t, client, exited)
	create(ctx, t, client, filepath.Dir(path))
	return base.String()
}

// run starts the server in folders of its own and stops it when the test ends.
// The channel is closed when the server has exited.
func run(t testing.TB, path, address string) <-chan struct{} {
	t.Helper()
	home := t.TempDir()
	logPath := filepath.Join(home, "ollama.log")
	log, err := os.Create(logPath)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "serve")
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + home,
		"OLLAMA_HOST=" + address,
		"OLLAMA_MODELS=" + filepath.Join(home, "models"),
		"OLLAMA_KEEP_ALIVE=-1",
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	exited := make(chan struct{})
	go func() { _ = cmd.Wait(); close(exited) }()
	t.Cleanup(func() {
		stop(cmd.Process, exited)
		_ = log.Close()
		if t.Failed() {
			showEnd(t, logPath)
		}
	})
	return exited
}

// stop asks the server to end, so that it ends its model runners too, and kills
// the whole group when it does not.
func stop(server *os.Process, exited <-chan struct{}) {
	_ = server.Signal(os.Interrupt)
	select {
	case <-exited:
	case <-time.After(stopLimit):
	}
	killGroup(server)
	<-exited
}

func showEnd(t testing.TB, logPath string) {
	const most = 4 << 10
	text, err := os.ReadFile(logPath)
	if err != nil {
		t.Logf("the server's log: %v", err)
		return
	}
	t.Logf("the end of the server's log:\n%s", text[max(0, len(text)-most):])
}

func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func await(ctx context.Context, t testing.TB, client *api.Client, exited <-chan struct{}) {
	t.Helper()
	for {
		_, err := client.Version(ctx)
		if err == nil {
			return
		}
		select {
		case <-exited:
			t.Fatalf("the server exited while starting: %v", err)
		case <-ctx.Done():
			t.Fatalf("the server did not answer within %v: %v", startLimit, err)
		case <-time.After(pollPause):
		}
	}
}
