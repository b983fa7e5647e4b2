package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fara/env"
	"fara/env/envtest"
	"fara/replay"
	"fara/trajectory"
)

func TestPlayDoesWhatTheRunDid(t *testing.T) {
	plan, page := filled(t), &envtest.Env{Viewport: small, Elements: fields()}
	report := play(t, plan, page, replay.Config{})
	if report.Status != replay.Same || report.Played != 6 || report.Frames != 6 || report.Different != 0 || report.First != nil || report.Total != 6 {
		t.Errorf("got %+v", report)
	}
	want := []env.Action{{Kind: env.VisitURL, URL: home}, typed(120, "Ada"), typed(220, "x=1"), typed(120, "Grace"), click(320), click(320)}
	if got := page.Actions(); !reflect.DeepEqual(got, want) {
		t.Errorf("it did %+v, want %+v", got, want)
	}
	raw, err := os.ReadFile(filepath.Join(report.Dir, "replay.json"))
	if err != nil {
		t.Fatal(err)
	}
	var stored replay.Report
	if err := json.Unmarshal(raw, &stored); err != nil || !reflect.DeepEqual(stored, report) {
		t.Errorf("replay.json holds %+v, %v; want %+v", stored, err, report)
	}
}

func TestFirstDifferenceIsNamedWithItsStep(t *testing.T) {
	moved := fields()
	moved[2].Box.Y = 500
	renamed := fields()
	renamed[2].Name = "Remove"
	for _, c := range []struct {
		what    string
		page    *envtest.Env
		checks  []replay.Check
		step    int
		kind    string
		actions int
		says    []string
	}{
		{"moved", &envtest.Env{Viewport: small, Elements: moved}, nil, 4, "hit", 4, []string{"left_click at (200, 320)", "nothing", `button "Add"`}},
		{"renamed", &envtest.Env{Viewport: small, Elements: renamed}, nil, 4, "hit", 4, []string{`button "Remove"`, `button "Add"`}},
		{"renamed and not compared", &envtest.Env{Viewport: small, Elements: renamed}, []replay.Check{replay.CheckURL}, 0, "", 6, nil},
		{"another size", &envtest.Env{Elements: fields(), Viewport: env.Size{W: 800, H: 600}}, nil, 1, "frame", 1, []string{"800x600", "448x420"}},
		{"it fails", &envtest.Env{Viewport: small, Elements: fields(), FailPerform: map[int]error{3: env.Fail(env.PageFailed, "no such luck")}}, nil, 2, "outcome", 3, []string{"no such luck"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			report := play(t, filled(t), c.page, replay.Config{Checks: c.checks})
			got := 0
			if report.First != nil {
				got = *report.First
			}
			if got != c.step || report.Reason != c.kind || len(c.page.Actions()) != c.actions {
				t.Errorf("%s: got step %d, %s, after %d actions, want step %d, %s, %d; %s", c.what, got, report.Reason, len(c.page.Actions()), c.step, c.kind, c.actions, report.Message)
			}
			for _, part := range c.says {
				if !strings.Contains(report.Message, part) {
					t.Errorf("%s: the message lacks %q: %s", c.what, part, report.Message)
				}
			}
		})
	}
}

func TestPageThatIsElsewhereIsADifferenceOfItsAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := &envtest.Env{Viewport: small, Elements: fields()}
		page.OnPerform = func(_ context.Context, n int, a env.Action) (env.Outcome, error) {
			page.Go("https://shop.example/login", "Log in")
			return env.Outcome{}, nil
		}
		report := play(t, filled(t), page, replay.Config{})
		if report.Reason != "url" || *report.First != 1 || !strings.Contains(report.Message, "https://shop.example/login, was "+home) {
			t.Errorf("got %s: %s", report.Reason, report.Message)
		}
	})
}

func TestKeepGoingListsEveryDifference(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		renamed := fields()
		renamed[2].Name = "Remove"
		page := &envtest.Env{Viewport: small, Elements: renamed}
		report := play(t, filled(t), page, replay.Config{Onward: replay.KeepGoing})
		if report.Status != replay.Different || report.Different != 2 || *report.First != 4 || len(page.Actions()) != 6 || report.Frames != 6 {
			t.Errorf("got %s, %d steps differ, the first %v, %d actions, %d frames", report.Status, report.Different, report.First, len(page.Actions()), report.Frames)
		}
	})
}

func TestPageIsWaitedForUntilItIsWhatItWas(t *testing.T) {
	for late, want := range map[time.Duration]replay.Status{3 * time.Second: replay.Same, 7 * time.Second: replay.Different} {
		synctest.Test(t, func(t *testing.T) {
			plan := filled(t)
			page := &envtest.Env{Viewport: small, Elements: fields(), Still: true} // its clicks change nothing by themselves
			slow := &slowly{Env: page, by: late}
			began := time.Now()
			report := play(t, plan, slow, replay.Config{})
			if report.Status != want {
				t.Errorf("%v late: got %s (%s), want %s", late, report.Status, report.Message, want)
			}
			if took := time.Since(began); want == replay.Different && took > 6*time.Second {
				t.Errorf("it gave up after %v, want about the limit of 5s", took)
			}
			slow.wait()
		})
	}
}

// slowly is an environment in which actions show only some time later.
type slowly struct {
	*envtest.Env
	by   time.Duration
	done []chan struct{}
}

func (s *slowly) Perform(ctx context.Context, act env.Action) (env.Outcome, error) {
	out, err := s.Env.Perform(ctx, act)
	if act.Kind == env.VisitURL {
		return out, err
	}
	done := make(chan struct{})
	s.done = append(s.done, done)
	time.AfterFunc(s.by, func() { s.Change(); close(done) })
	return out, err
}

func (s *slowly) wait() {
	for _, d := range s.done {
		<-d
	}
}

func TestWhatEndsAReplayIsSaid(t *testing.T) {
	broken := errors.New("a fault")
	for _, c := range []struct {
		err    error
		reason string
	}{{env.ErrLost, replay.ReasonBrowser}, {broken, replay.ReasonFault}} {
		page := &envtest.Env{Viewport: small, Elements: fields(), FailObserve: map[int]error{3: c.err}}
		report := play(t, filled(t), page, replay.Config{})
		if report.Status != replay.Stopped || report.Reason != c.reason || !strings.Contains(report.Message, c.err.Error()) || len(report.Steps) != 4 {
			t.Errorf("%v: got %s, %s, %q, %d steps", c.err, report.Status, report.Reason, report.Message, len(report.Steps))
		}
	}
}

func TestCancelStopsAWaitAndLeavesAReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(2*time.Second, func() { cancel(errors.New("enough")) })
		began := time.Now()
		report := playIn(t, ctx, filled(t), &slowly{Env: &envtest.Env{Viewport: small, Elements: fields(), Still: true}, by: time.Hour}, replay.Config{Limit: time.Minute})
		if report.Status != replay.Stopped || report.Reason != replay.ReasonInterrupted || !strings.Contains(report.Message, "enough") {
			t.Errorf("got %s, %s: %s", report.Status, report.Reason, report.Message)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %v, want 2s", took)
		}
		if _, err := os.Stat(filepath.Join(report.Dir, "replay.json")); err != nil {
			t.Error(err)
		}
		cancelled := playIn(t, ctx, filled(t), &envtest.Env{Viewport: small}, replay.Config{})
		if cancelled.Reason != replay.ReasonInterrupted || cancelled.Played != 0 {
			t.Errorf("cancelled before: got %s after %d actions", cancelled.Reason, cancelled.Played)
		}
	})
}

func TestRunThatWasTakenUpAgainIsReloadedWhereItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorded := &envtest.Env{Viewport: small, Elements: fields()}
		r := begin(t, recorded).does(click(320))
		r.add(trajectory.Resumed{Why: "restart"})
		if _, err := recorded.Perform(t.Context(), env.Action{Kind: env.VisitURL, URL: home}); err != nil { // what a resume does
			t.Fatal(err)
		}
		plan := r.does(click(320)).look().plan()
		page := &envtest.Env{Viewport: small, Elements: fields()}
		report := play(t, plan, page, replay.Config{})
		want := []env.Action{{Kind: env.VisitURL, URL: home}, click(320), {Kind: env.VisitURL, URL: home}, click(320)}
		if got := page.Actions(); report.Status != replay.Same || !reflect.DeepEqual(got, want) {
			t.Errorf("got %s (%s) and actions %+v, want %+v", report.Status, report.Message, got, want)
		}
	})
}

func TestBasesPutAnotherOriginInThePlace(t *testing.T) {
	page := &envtest.Env{Viewport: small, Elements: fields()}
	report := play(t, filled(t), page, replay.Config{Bases: []replay.Base{{Old: "https://shop.example", New: "https://new.example:8443"}}})
	if got := page.Actions()[0].URL; report.Status != replay.Same || got != "https://new.example:8443/" {
		t.Errorf("got %s (%s) at %s", report.Status, report.Message, got)
	}
}
