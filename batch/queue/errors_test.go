package queue_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"fara/batch/queue"
)

// plainServer is a server that is not as a queue needs it.
func plainServer(t *testing.T, o *server.Options) string {
	t.Helper()
	o.Host, o.Port, o.NoLog, o.NoSigs, o.StoreDir = "127.0.0.1", server.RANDOM_PORT, true, true, t.TempDir()
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s.ClientURL()
}

func TestServerThatCannotBeUsedIsSaidWithinTheLimit(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	narrow := &server.Permissions{Publish: &server.SubjectPermission{Allow: []string{"else"}}}
	token := plainServer(t, &server.Options{JetStream: true, Authorization: "s3cret"})
	cases := map[string]struct {
		url  string
		want error
	}{
		"refused":      {"nats://ann:hunter2@" + closed.Addr().String(), queue.ErrUnreachable},
		"silent":       {"nats://hunter2@" + silent.Addr().String(), queue.ErrUnreachable},
		"no such host": {"nats://ann:hunter2@nowhere.invalid:4222", queue.ErrUnreachable},
		"no JetStream": {plainServer(t, &server.Options{}), queue.ErrNoJetStream},
		"no token":     {token, queue.ErrDenied},
		"wrong token":  {strings.Replace(token, "//", "//hunter2@", 1), queue.ErrDenied},
		"wrong password": {strings.Replace(plainServer(t, &server.Options{JetStream: true, Username: "ann", Password: "x"}), "//", "//ann:hunter2@", 1),
			queue.ErrDenied},
		"no permission": {strings.Replace(plainServer(t, &server.Options{JetStream: true,
			Users: []*server.User{{Username: "ann", Password: "hunter2", Permissions: narrow}}}), "//", "//ann:hunter2@", 1), queue.ErrDenied},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := queue.Config{URL: c.url, Connect: time.Second}
			began := time.Now()
			_, err := queue.Open(t.Context(), cfg, queue.Batch{ID: "b1"})
			if !errors.Is(err, c.want) {
				t.Errorf("open: got %v, want %v", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows the password: %v", err)
			}
			if took := time.Since(began); took > 4*time.Second {
				t.Errorf("said after %v, want about a second", took)
			}
		})
	}
}

func TestCertificateOfAnUnknownAuthorityIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	web := httptest.NewTLSServer(nil) // whose certificate nobody knows
	defer web.Close()
	address := plainServer(t, &server.Options{JetStream: true, TLSTimeout: 2, TLSConfig: &tls.Config{Certificates: web.TLS.Certificates}})
	_, err := queue.Open(t.Context(), queue.Config{URL: strings.Replace(address, "nats:", "tls:", 1), Connect: time.Minute}, queue.Batch{ID: "b1"})
	if !errors.Is(err, queue.ErrUnreachable) || !strings.Contains(err.Error(), "SSL_CERT_FILE") {
		t.Errorf("got %v, want ErrUnreachable with what to do", err)
	}
}

func TestEndOfTheContextEndsConnecting(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	why := errors.New("the person has had enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
	began := time.Now()
	_, err = queue.Join(ctx, queue.Config{URL: "nats://" + silent.Addr().String()}, "ann")
	if !errors.Is(err, why) || time.Since(began) > time.Second {
		t.Errorf("got %v after %v, want the cause at once", err, time.Since(began))
	}
}

func TestSettingsThatCannotWorkAreRefused(t *testing.T) {
	t.Parallel()
	bogus := filepath.Join(t.TempDir(), "x.creds")
	if err := os.WriteFile(bogus, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]queue.Config{
		"no address":      {},
		"a web address":   {URL: "http://ann:hunter2@localhost:4222"},
		"no host":         {URL: "nats://"},
		"one bad of two":  {URL: "nats://localhost,foo"},
		"a name with dot": {URL: "nats://localhost", Name: "a.b"},
		"no such file":    {URL: "nats://localhost", Credentials: "/nowhere.creds"},
		"no credentials":  {URL: "nats://localhost", Credentials: bogus},
		"replicas":        {URL: "nats://localhost", Replicas: 7},
		"time":            {URL: "nats://localhost", AckWait: -1},
	} {
		if _, err := queue.Open(t.Context(), cfg, queue.Batch{ID: "b1"}); !errors.Is(err, queue.ErrConfig) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, want ErrConfig", name, err)
		}
	}
}

func TestWhatIsTooLargeIsSaid(t *testing.T) {
	t.Parallel()
	cfg := config(plainServer(t, &server.Options{JetStream: true, MaxPayload: 1 << 20}))
	h := open(t, cfg, "b1")
	big := make([]byte, 2<<20)
	if err := h.Publish(t.Context(), "big", big); !errors.Is(err, queue.ErrTooLarge) {
		t.Errorf("publish: got %v, want ErrTooLarge", err)
	}
	publish(t, h, "a")
	j := next(t, join(t, cfg, "ann"))
	if err := j.Done(t.Context(), big, ""); !errors.Is(err, queue.ErrTooLarge) {
		t.Errorf("done: got %v, want ErrTooLarge", err)
	}
	if err := j.Done(t.Context(), nil, filepath.Join(t.TempDir(), "none")); !errors.Is(err, queue.ErrFolder) {
		t.Errorf("done with a folder that is not there: got %v, want ErrFolder", err)
	}
	if err := j.Done(t.Context(), []byte("smaller"), ""); err != nil {
		t.Error(err)
	}
}
