package control_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"fara/env"
	"fara/trajectory"
)

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
