package control_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fara/control"
	"fara/trajectory"
)

// switchboard is a run's hold that remembers.
type switchboard struct{ held atomic.Bool }

func (s *switchboard) Pause()       { s.held.Store(true) }
func (s *switchboard) Resume()      { s.held.Store(false) }
func (s *switchboard) Paused() bool { return s.held.Load() }

// steered is a run that can be steered over HTTP.
type steered struct {
	*control.Control
	*control.Server
	hold *switchboard
}

func steer(t *testing.T) *steered {
	t.Helper()
	hold := &switchboard{}
	c := control.New("r1", hold)
	s, err := control.Serve("0", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &steered{c, s, hold}
}

// do sends a request as its owner would, changed by with, and gives the answer.
func (s *steered) do(t *testing.T, method, path, body string, with ...func(*http.Request)) (int, map[string]any) {
	t.Helper()
	req, err := http.NewRequest(method, "http://"+s.Address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Token)
	for _, f := range with {
		f(req)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]any{}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(raw, &said); err != nil {
			t.Fatalf("%s %s: got %q: %v", method, path, raw, err)
		}
	}
	return resp.StatusCode, said
}

func (s *steered) state(t *testing.T) string {
	t.Helper()
	code, said := s.do(t, "GET", "/status", "")
	if code != http.StatusOK {
		t.Fatalf("status: got %d %v", code, said)
	}
	return said["state"].(string)
}

// asks puts a question and waits until it can be answered; the answer comes later.
func (s *steered) asks(t *testing.T, ctx context.Context, asked trajectory.Asked) (answer func() (trajectory.Replied, error), question map[string]any) {
	t.Helper()
	type result struct {
		reply trajectory.Replied
		err   error
	}
	got := make(chan result, 1)
	go func() {
		reply, err := s.Ask(ctx, asked)
		got <- result{reply, err}
	}()
	for end := time.Now().Add(5 * time.Second); question == nil; runtime.Gosched() {
		_, said := s.do(t, "GET", "/status", "")
		question, _ = said["question"].(map[string]any)
		if time.Now().After(end) {
			t.Fatal("the question does not show")
		}
	}
	return func() (trajectory.Replied, error) {
		select {
		case r := <-got:
			return r.reply, r.err
		case <-time.After(5 * time.Second):
			t.Fatal("no answer arrived")
			panic("unreachable")
		}
	}, question
}
