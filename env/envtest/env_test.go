package envtest_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"fara/env"
	"fara/env/envtest"
)

func TestFakeConforms(t *testing.T) {
	envtest.Conform(t, func(*testing.T) envtest.Subject { return &envtest.Env{} })
}

func TestFramesDifferExactlyWhenThePageChanged(t *testing.T) {
	e := &envtest.Env{Viewport: env.Size{W: 320, H: 200}}
	shot := func() []byte {
		t.Helper()
		obs, err := e.Observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return obs.Image
	}
	click := env.Action{Kind: env.LeftClick, Point: &env.Point{X: 1, Y: 1}}
	first := shot()
	if !bytes.Equal(first, shot()) {
		t.Error("two looks at one page differ")
	}
	if _, err := e.Perform(t.Context(), click); err != nil {
		t.Fatal(err)
	}
	second := shot()
	if bytes.Equal(first, second) {
		t.Error("a click left the frame as it was")
	}
	e.Still = true
	if _, err := e.Perform(t.Context(), click); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(second, shot()) {
		t.Error("a click on a still page changed the frame")
	}
	e.Change()
	if bytes.Equal(second, shot()) {
		t.Error("Change left the frame as it was")
	}
}

func TestNthCallFails(t *testing.T) {
	boom := errors.New("boom")
	e := &envtest.Env{
		FailObserve: map[int]error{2: boom}, FailPerform: map[int]error{1: boom}, FailRead: map[int]error{1: boom},
	}
	observe := func() error { _, err := e.Observe(t.Context()); return err }
	wait := func() error { _, err := e.Perform(t.Context(), env.Action{Kind: env.Wait}); return err }
	read := func() error { _, err := e.Read(t.Context()); return err }
	for i, step := range []struct {
		call func() error
		want error
	}{{observe, nil}, {observe, boom}, {observe, nil}, {wait, boom}, {wait, nil}, {read, boom}, {read, nil}} {
		if err := step.call(); !errors.Is(err, step.want) {
			t.Errorf("call %d: got %v, want %v", i, err, step.want)
		}
	}
	if got := len(e.Actions()); got != 2 {
		t.Errorf("%d actions remembered, want the failed one too: 2", got)
	}
}

func TestOnPerformDecides(t *testing.T) {
	want := env.Outcome{Text: "nothing moved", Tell: true}
	e := &envtest.Env{OnPerform: func(_ context.Context, n int, a env.Action) (env.Outcome, error) {
		if n == 1 && a.Kind == env.Scroll {
			return want, nil
		}
		return env.Outcome{}, env.ErrLost
	}}
	if got, err := e.Perform(t.Context(), env.Action{Kind: env.Scroll, DY: 1}); got != want || err != nil {
		t.Errorf("first: got %+v, %v, want %+v", got, err, want)
	}
	if _, err := e.Perform(t.Context(), env.Action{Kind: env.Wait}); !errors.Is(err, env.ErrLost) {
		t.Errorf("second: got %v, want %v", err, env.ErrLost)
	}
}
