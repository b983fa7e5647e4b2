package wall_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"fara/wall"
	"fara/wall/walltest"
)

// counting is a server that nobody may reach; it counts who does.
func counting(t *testing.T, address string) (string, *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	n := new(atomic.Int32)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			n.Add(1)
			c.Close()
		}
	}()
	return listener.Addr().String(), n
}

func TestRefusedHostsGetNothing(t *testing.T) {
	where, reached := counting(t, "127.0.0.2:0")
	refusal := errors.New("not this one")
	w, c := open(t, wall.Config{Connect: func(host string, port uint16) error {
		if host == "127.0.0.2" {
			return refusal
		}
		return nil
	}})
	res, err := c.Get("http://" + where + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusForbidden || len(body) != 0 {
		t.Errorf("plain: got %s %q, want 403 without a body", res.Status, body)
	}
	host, port := addressOf(t, "http://"+where)
	if err := w.Failure(host, port); !errors.Is(err, refusal) {
		t.Errorf("Failure: got %v, want the refusal", err)
	}
	if _, err := c.Get("https://" + where + "/"); err == nil || !strings.Contains(err.Error(), "Forbidden") {
		t.Errorf("tunnel: got %v, want 403", err)
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d connections reached it", n)
	}
}

func TestOnlyTheCheckedAddressIsConnectedTo(t *testing.T) {
	where, reached := counting(t, "127.0.0.3:0")
	_, port := addressOf(t, "http://"+where)
	good := server(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "good") })
	_, goodPort := addressOf(t, good.URL)
	refusal := errors.New("a private address")
	w, c := open(t, wall.Config{
		Resolver: walltest.Resolver(t, map[string][]string{"rebind.test.": {"127.0.0.3"}, "both.test.": {"127.0.0.3", "127.0.0.1"}}),
		Address: func(host string, to netip.AddrPort) error {
			if to.Addr() == netip.MustParseAddr("127.0.0.3") {
				return refusal
			}
			return nil
		},
	})
	for _, scheme := range []string{"http", "https"} {
		res, err := c.Get(fmt.Sprintf("%s://rebind.test:%d/", scheme, port))
		if err == nil {
			res.Body.Close()
			err = errors.New(res.Status)
		}
		if !strings.Contains(err.Error(), "Forbidden") {
			t.Errorf("%s: got %v, want 403", scheme, err)
		}
		if err := w.Failure("rebind.test", port); !errors.Is(err, refusal) {
			t.Errorf("%s: Failure: got %v, want the refusal", scheme, err)
		}
	}
	res, err := c.Get(fmt.Sprintf("http://both.test:%d/", goodPort))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); string(body) != "good" {
		t.Errorf("a host with an allowed address: got %s %q", res.Status, body)
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d connections reached the refused address", n)
	}
}

func TestFailuresKeepTheNetworksOwnError(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	where := listener.Addr().String()
	listener.Close()
	w, c := open(t, wall.Config{Resolver: walltest.Resolver(t, nil)})
	for _, scheme := range []string{"http", "https"} {
		res, err := c.Get(scheme + "://" + where)
		if err == nil {
			res.Body.Close()
			err = errors.New(res.Status)
		}
		host, port := addressOf(t, "http://"+where)
		if cause := w.Failure(host, port); !strings.Contains(err.Error(), "Bad Gateway") || !errors.Is(cause, syscall.ECONNREFUSED) {
			t.Errorf("%s: got %v, %v, want a refused connection", scheme, err, cause)
		}
	}
	res, err := c.Get("http://nowhere.test/")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	var dns *net.DNSError
	if err := w.Failure("NOWHERE.test", 80); !errors.As(err, &dns) || !dns.IsNotFound {
		t.Errorf("got %v, want an unknown name", err)
	}
	again := server(t, func(http.ResponseWriter, *http.Request) {})
	if res, err = c.Get(again.URL); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	host, port := addressOf(t, again.URL)
	if err := w.Failure(host, port); err != nil {
		t.Errorf("a host that was reached: got %v", err)
	}
}

func TestServerThatBreaksOffIsSeenSo(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	w, c := open(t, wall.Config{})
	res, err := c.Get(s.URL)
	if err == nil {
		res.Body.Close()
		t.Errorf("got %s, want a connection that ends", res.Status)
	}
	host, port := addressOf(t, s.URL)
	if err := w.Failure(host, port); err != nil {
		t.Errorf("it was connected to, so nothing is to be told: %v", err)
	}
}

func TestSilentHostIsGivenUp(t *testing.T) {
	silent := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	w, c := open(t, wall.Config{Resolver: silent, DialLimit: 50 * time.Millisecond})
	res, err := c.Get("http://slow.test/")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	var network net.Error
	if err := w.Failure("slow.test", 80); !errors.As(err, &network) || !network.Timeout() {
		t.Errorf("got %v, want a timeout", err)
	}
}
