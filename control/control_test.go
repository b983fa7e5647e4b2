package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fara/control"
	"fara/env"
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

func TestPauseAndResumeOverHTTP(t *testing.T) {
	s := steer(t)
	event := func(e trajectory.Event) { s.Event(e) }
	want := func(state string) {
		t.Helper()
		if got := s.state(t); got != state {
			t.Errorf("got state %q, want %q", got, state)
		}
	}
	want("starting")
	event(trajectory.Event{Kind: trajectory.KindObserved, Step: 3, Observed: &trajectory.Observed{URL: "https://shop.example/"}})
	want("running")
	if code, said := s.do(t, "POST", "/pause", ""); code != http.StatusOK || said["state"] != "pausing" || !s.hold.Paused() {
		t.Errorf("pause: got %d %v, held %v", code, said, s.hold.Paused())
	}
	event(trajectory.Event{Kind: trajectory.KindPaused, Step: 3, Paused: &trajectory.Paused{Why: "asked"}})
	want("paused")
	if code, _ := s.do(t, "POST", "/resume", ""); code != http.StatusOK || s.hold.Paused() {
		t.Errorf("resume: got %d, held %v", code, s.hold.Paused())
	}
	s.Pause() // again, before the run took notice
	want("pausing")
	s.Resume()
	event(trajectory.Event{Kind: trajectory.KindResumed, Step: 3, Resumed: &trajectory.Resumed{Why: "asked"}})
	want("running")
	event(trajectory.Event{Kind: trajectory.KindEnded, Step: 3, Ended: &trajectory.Result{Status: trajectory.Stuck, Reason: "cycle"}})
	_, said := s.do(t, "GET", "/status", "")
	if result, _ := said["result"].(map[string]any); said["state"] != "ended" || result["status"] != "stuck" || result["reason"] != "cycle" || said["run"] != "r1" || said["step"] != 3.0 || said["url"] != "https://shop.example/" {
		t.Errorf("got %v", said)
	}
}

func TestQuestionIsAnsweredOnceAndOnlyWithItsID(t *testing.T) {
	s := steer(t)
	answer, q := s.asks(t, t.Context(), trajectory.Asked{Question: "Which colour?"})
	if q["question"] != "Which colour?" || q["for"] != "answer" || q["id"] != 1.0 || s.state(t) != "waiting" {
		t.Errorf("got question %v", q)
	}
	for body, code := range map[string]int{
		`{"id":2,"text":"green"}`:          http.StatusConflict,
		`{"id":1,"text":" "}`:              http.StatusBadRequest,
		`{"id":1}`:                         http.StatusBadRequest,
		`{"text":"green"}`:                 http.StatusBadRequest,
		`{"id":1,"txt":"green"}`:           http.StatusBadRequest,
		`{"id":"1","text":"green"}`:        http.StatusBadRequest,
		`{"id":1,"text":"green"} more`:     http.StatusBadRequest,
		`{"id":1,"text":"` + "\xff" + `"}`: http.StatusBadRequest,
		`green`:                            http.StatusBadRequest,
		``:                                 http.StatusBadRequest,
		`{"id":1,"text":"` + strings.Repeat("x", 70<<10) + `"}`: http.StatusBadRequest,
	} {
		if got, said := s.do(t, "POST", "/answer", body); got != code || said["error"] == nil {
			t.Errorf("%.40q: got %d %v, want %d and why", body, got, said, code)
		}
	}
	if got, _ := s.do(t, "POST", "/approve", `{"id":1,"choice":"yes"}`); got != http.StatusConflict {
		t.Errorf("an approval for a question: got %d, want a conflict", got)
	}
	if got, said := s.do(t, "POST", "/answer", `{"id":1,"text":"grün"}`); got != http.StatusOK || said["question"] != nil {
		t.Errorf("the answer: got %d %v", got, said)
	}
	if reply, err := answer(); err != nil || reply.Text != "grün" || reply.By != trajectory.Person || reply.Choice != "" {
		t.Errorf("got %+v, %v", reply, err)
	}
	if got, _ := s.do(t, "POST", "/answer", `{"id":1,"text":"red"}`); got != http.StatusConflict {
		t.Errorf("a second answer: got %d, want a conflict", got)
	}
}

func TestApprovalIsOfTheActionThatWasShown(t *testing.T) {
	buy := trajectory.Asked{Question: "buys", Approval: &trajectory.Approval{
		Action: env.Action{Kind: env.LeftClick, Point: &env.Point{X: 7, Y: 8}}, Classes: []string{"buy"}, URL: "https://shop.example/", Frame: "frames/3.png",
		Hit: &env.Element{Tag: "button", Name: "Buy now"},
	}}
	for _, choice := range []trajectory.Choice{trajectory.Yes, trajectory.No, trajectory.AlwaysHere} {
		s := steer(t)
		ctx, leave := context.WithCancelCause(t.Context())
		gone := errors.New("nobody answered")
		old, q := s.asks(t, ctx, buy)
		approval, _ := q["approval"].(map[string]any)
		if hit, _ := approval["hit"].(map[string]any); q["for"] != "approval" || hit["name"] != "Buy now" || approval["url"] != "https://shop.example/" {
			t.Errorf("got question %v; want all of what would be done", q)
		}
		leave(gone)
		if _, err := old(); !errors.Is(err, gone) {
			t.Errorf("an approval that expired: got %v, want the cause", err)
		}
		answer, q := s.asks(t, t.Context(), buy)
		if code, _ := s.do(t, "POST", "/approve", `{"id":1,"choice":"yes"}`); code != http.StatusConflict {
			t.Errorf("a yes to the one before: got %d, want a conflict", code)
		}
		for _, body := range []string{`{"id":2,"choice":"maybe"}`, `{"id":2,"choice":"expired"}`, `{"id":2,"choice":""}`, `{"id":2}`, `{"choice":"yes"}`} {
			if code, _ := s.do(t, "POST", "/approve", body); code != http.StatusBadRequest {
				t.Errorf("%s: got %d, want it refused", body, code)
			}
		}
		if code, _ := s.do(t, "POST", "/answer", `{"id":2,"text":"yes"}`); code != http.StatusConflict {
			t.Errorf("words in place of a decision: got %d, want a conflict", code)
		}
		s.Resume()
		if q["id"] != 2.0 || s.state(t) != "waiting" {
			t.Errorf("letting the run go on decided about an approval")
		}
		if code, said := s.do(t, "POST", "/approve", `{"id":2,"choice":"`+string(choice)+`"}`); code != http.StatusOK {
			t.Errorf("%s: got %d %v", choice, code, said)
		}
		if reply, err := answer(); err != nil || reply.Choice != choice || reply.By != trajectory.Person {
			t.Errorf("%s: got %+v, %v", choice, reply, err)
		}
	}
}

func TestResumeSaysThatACaptchaIsDealtWith(t *testing.T) {
	s := steer(t)
	answer, q := s.asks(t, t.Context(), trajectory.Asked{Captcha: "hCaptcha"})
	if q["for"] != "captcha" || q["captcha"] != "hCaptcha" {
		t.Errorf("got question %v", q)
	}
	if code, _ := s.do(t, "POST", "/approve", `{"id":1,"choice":"site"}`); code != http.StatusConflict {
		t.Errorf("site for a captcha: got %d, want a conflict", code)
	}
	if code, _ := s.do(t, "POST", "/resume", ""); code != http.StatusOK {
		t.Errorf("resume: got %d", code)
	}
	if reply, err := answer(); err != nil || reply.Choice != trajectory.Yes {
		t.Errorf("got %+v, %v, want a yes", reply, err)
	}
	answer, _ = s.asks(t, t.Context(), trajectory.Asked{Captcha: "hCaptcha"})
	s.do(t, "POST", "/approve", `{"id":2,"choice":"no"}`)
	if reply, err := answer(); err != nil || reply.Choice != trajectory.No {
		t.Errorf("got %+v, %v, want a no", reply, err)
	}
}

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
