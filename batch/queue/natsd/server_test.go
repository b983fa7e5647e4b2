package natsd_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"fara/batch/queue/natsd"
)

func start(t *testing.T, cfg natsd.Config) *natsd.Server {
	t.Helper()
	s, err := natsd.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func host(t *testing.T, s *natsd.Server) string {
	t.Helper()
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

func TestServerKeepsItsStreamsOverARestart(t *testing.T) {
	dir := t.TempDir()
	for _, first := range []bool{true, false} {
		s := start(t, natsd.Config{Listen: "127.0.0.1:0", Dir: dir})
		nc, err := nats.Connect(s.URL())
		if err != nil {
			t.Fatal(err)
		}
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		if first {
			_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "x"})
		} else {
			_, err = js.Stream(t.Context(), "x")
		}
		if err != nil {
			t.Errorf("first %v: %v", first, err)
		}
		nc.Close()
		s.Close()
		s.Close()
	}
}

func TestBusyAddressAndStoreInUseAreSaid(t *testing.T) {
	dir := t.TempDir()
	s := start(t, natsd.Config{Listen: "127.0.0.1:0", Dir: dir})
	if _, err := natsd.Start(t.Context(), natsd.Config{Listen: host(t, s), Dir: t.TempDir()}); !errors.Is(err, natsd.ErrBusy) {
		t.Errorf("the same address: got %v, want ErrBusy", err)
	}
	if _, err := natsd.Start(t.Context(), natsd.Config{Listen: "127.0.0.1:0", Dir: dir}); !errors.Is(err, natsd.ErrInUse) {
		t.Errorf("the same store: got %v, want ErrInUse", err)
	}
	address := host(t, s)
	s.Close()
	start(t, natsd.Config{Listen: address, Dir: dir}) // both are free again
}

func TestSettingsThatCannotWorkAreRefused(t *testing.T) {
	for name, cfg := range map[string]natsd.Config{
		"no store":        {},
		"no port":         {Dir: t.TempDir(), Listen: "localhost"},
		"no such port":    {Dir: t.TempDir(), Listen: "localhost:70000"},
		"store no folder": {Dir: "/dev/null/x", Listen: "127.0.0.1:0"},
	} {
		if s, err := natsd.Start(t.Context(), cfg); !errors.Is(err, natsd.ErrConfig) {
			t.Errorf("%s: got %v, %v, want ErrConfig", name, s, err)
		}
	}
}

func TestTokenIsAskedFor(t *testing.T) {
	s := start(t, natsd.Config{Listen: "127.0.0.1:0", Dir: t.TempDir(), Token: "s3cret"})
	if _, err := nats.Connect(s.URL(), nats.Timeout(2*time.Second)); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("without it: got %v, want a refusal", err)
	}
	nc, err := nats.Connect(strings.Replace(s.URL(), "//", "//s3cret@", 1))
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
	if strings.Contains(s.URL(), "s3cret") {
		t.Errorf("the address %s shows the token", s.URL())
	}
}
