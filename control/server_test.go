package control_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"fara/control"
	"fara/trajectory"
)

func TestOnlyTheOwnerSteers(t *testing.T) {
	s := steer(t)
	header := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[http.CanonicalHeaderKey(name)] = values }
	}
	for name, c := range map[string]struct {
		with func(*http.Request)
		code int
	}{
		"no token":              {header("Authorization"), http.StatusUnauthorized},
		"an empty token":        {header("Authorization", "Bearer "), http.StatusUnauthorized},
		"another token":         {header("Authorization", "Bearer "+strings.Repeat("A", len(s.Token))), http.StatusUnauthorized},
		"half the token":        {header("Authorization", "Bearer "+s.Token[:10]), http.StatusUnauthorized},
		"another scheme":        {header("Authorization", "Basic "+s.Token), http.StatusUnauthorized},
		"two tokens":            {header("Authorization", "Bearer x", "Bearer "+s.Token), http.StatusUnauthorized},
		"a page elsewhere":      {header("Origin", "https://evil.example"), http.StatusForbidden},
		"a page of no origin":   {header("Origin", "null"), http.StatusForbidden},
		"a page here":           {header("Origin", "http://"+s.Address), http.StatusForbidden},
		"a link from a page":    {header("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		"a page of this server": {header("Sec-Fetch-Site", "same-origin"), http.StatusForbidden},
		"a name lead here":      {func(r *http.Request) { r.Host = "evil.example:80" }, http.StatusForbidden},
		"localhost":             {func(r *http.Request) { r.Host = "localhost:1" }, http.StatusOK},
		"another scheme's case": {header("Authorization", "bearer "+s.Token), http.StatusOK},
	} {
		for _, method := range []string{"GET /status", "POST /pause"} {
			verb, path, _ := strings.Cut(method, " ")
			s.hold.Resume()
			code, _ := s.do(t, verb, path, "", c.with)
			if code != c.code {
				t.Errorf("%s, %s: got %d, want %d", name, method, code, c.code)
			}
			if s.hold.Paused() != (c.code == http.StatusOK && verb == "POST") {
				t.Errorf("%s, %s: the run is held: %v", name, method, s.hold.Paused())
			}
		}
	}
	for _, r := range [][2]string{{"GET", "/pause"}, {"POST", "/status"}, {"GET", "/"}, {"POST", "/stop"}} {
		if code, _ := s.do(t, r[0], r[1], ""); code != http.StatusNotFound && code != http.StatusMethodNotAllowed {
			t.Errorf("%v: got %d, want it not to be there", r, code)
		}
	}
}

func TestServerIsThisMachinesOwnUnlessAnotherHostIsNamed(t *testing.T) {
	c := control.New("r1", &switchboard{})
	var tokens []string
	for _, address := range []string{"0", ":0", "127.0.0.1:0", "localhost:0"} {
		s, err := control.Serve(address, c)
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		host, _, _ := net.SplitHostPort(s.Address)
		if !net.ParseIP(host).IsLoopback() || len(s.Token) < 26 {
			t.Errorf("%s: got %s with a token of %d characters", address, s.Address, len(s.Token))
		}
		tokens = append(tokens, s.Token)
		s.Close()
	}
	if tokens[0] == tokens[1] {
		t.Error("two servers have one token")
	}
	for _, address := range []string{"", "nine", "127.0.0.1", "1.2.3.4:99999"} {
		if s, err := control.Serve(address, c); err == nil {
			s.Close()
			t.Errorf("%q was taken for an address", address)
		}
	}
}

func TestNothingIsLeftWhenTheRunEnds(t *testing.T) {
	c := control.New("r1", &switchboard{})
	control.Signals(c.Pause, c.Resume)() // the first begins what the language keeps for signals
	before := runtime.NumGoroutine()
	s, err := control.Serve("0", c)
	if err != nil {
		t.Fatal(err)
	}
	stop := control.Signals(c.Pause, c.Resume)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Ask(ctx, trajectory.Asked{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's end", err)
	}
	stop()
	s.Close()
	http.DefaultClient.CloseIdleConnections()
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
		}
	}
}
