package captcha_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"fara/captcha"
	"fara/env"
)

const (
	start  = "browserbase-solving-started"
	finish = "browserbase-solving-finished"
)

// timed gives how long a wait took on the bubble's clock.
func timed(t *testing.T, g *captcha.Gate) (captcha.Passage, time.Duration, error) {
	t.Helper()
	from := time.Now()
	p, err := g.Wait(t.Context())
	return p, time.Since(from), err
}

func TestLocalBrowserNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := captcha.New(captcha.Config{})
		g.Console("just a page's log line")
		g.Console(finish)
		if p, took, err := timed(t, g); p != captcha.Open || took != 0 || err != nil {
			t.Errorf("got %v after %v, %v, want open at once", p, took, err)
		}
	})
}

func TestGateHoldsUntilSolved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := captcha.New(captcha.Config{})
		g.Console(start)
		time.AfterFunc(20*time.Second, func() { g.Console(finish) })
		if p, took, err := timed(t, g); p != captcha.Solved || took != 20*time.Second || err != nil {
			t.Errorf("got %v after %v, %v, want solved after 20s", p, took, err)
		}
	})
}

func TestSecondCaptchaKeepsTheGateClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := captcha.New(captcha.Config{})
		g.Console(start)
		time.AfterFunc(10*time.Second, func() { g.Console(finish); g.Console(start) })
		time.AfterFunc(25*time.Second, func() { g.Console(finish) })
		if p, took, err := timed(t, g); p != captcha.Solved || took != 25*time.Second || err != nil {
			t.Errorf("got %v after %v, %v, want solved after 25s", p, took, err)
		}
	})
}

func TestFirstTierRaisesAtTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := captcha.New(captcha.Config{})
		g.Console(start)
		if _, took, err := timed(t, g); !errors.Is(err, captcha.ErrUnsolved) || took != time.Minute {
			t.Errorf("got %v after %v, want ErrUnsolved after a minute", err, took)
		}
	})
}

func TestSecondTierCountsAndThirdGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := captcha.New(captcha.Config{Mode: captcha.GoOn, Limit: 5 * time.Second})
		g.Console(start)
		for i := range 2 {
			if p, took, err := timed(t, g); p != captcha.Unsolved || took != 5*time.Second || err != nil {
				t.Errorf("wait %d: got %v after %v, %v, want unsolved after 5s", i, p, took, err)
			}
		}
		g.Console(finish)
		g.Console(start)
		if p, took, err := timed(t, g); p != captcha.Open || took != 0 || err != nil {
			t.Errorf("after giving up: got %v after %v, %v, want open for good", p, took, err)
		}
	})
}

func TestOnlyUnsolvedWaitsInARowGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := captcha.New(captcha.Config{Mode: captcha.GoOn, Limit: 5 * time.Second})
		for range 3 {
			g.Console(start)
			if p, _, err := timed(t, g); p != captcha.Unsolved || err != nil {
				t.Fatalf("got %v, %v, want unsolved: a solved captcha starts the count anew", p, err)
			}
			g.Console(finish)
		}
	})
}

func TestNegativeLimitTurnsTheGateOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := captcha.New(captcha.Config{Limit: -1})
		g.Console(start)
		if p, took, err := timed(t, g); p != captcha.Open || took != 0 || err != nil {
			t.Errorf("got %v after %v, %v, want open at once", p, took, err)
		}
	})
}

func TestCancelEndsTheWaitAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := captcha.New(captcha.Config{})
		g.Console(start)
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		time.AfterFunc(time.Second, func() { cancel(why) })
		from := time.Now()
		if _, err := g.Wait(ctx); !errors.Is(err, why) || time.Since(from) != time.Second {
			t.Errorf("got %v after %v, want the cause after 1s", err, time.Since(from))
		}
	})
}

// blank is an environment that shows nothing and counts how often.
type blank struct {
	looked  int
	widgets func() []env.Widget // nil is none
}

func (b *blank) Observe(context.Context) (env.Observation, error) {
	b.looked++
	obs := env.Observation{Notes: []env.Note{{Text: "first"}}}
	if b.widgets != nil {
		obs.Widgets = b.widgets()
	}
	return obs, nil
}
func (b *blank) Perform(context.Context, env.Action) (env.Outcome, error) {
	return env.Outcome{}, nil
}
func (b *blank) Read(context.Context) (env.Document, error) { return env.Document{}, nil }

func (b *blank) Aim(context.Context, env.Action) (*env.Element, error) { return nil, nil }

func TestGuardTellsHowTheWaitEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &blank{}
		guard := captcha.Guard{Environment: inner, Gate: captcha.New(captcha.Config{})}
		if obs, err := guard.Observe(t.Context()); err != nil || len(obs.Notes) != 1 {
			t.Errorf("open gate: got notes %v, %v, want only the environment's own", obs.Notes, err)
		}
		guard.Gate.Console(start)
		time.AfterFunc(time.Second, func() { guard.Gate.Console(finish) })
		obs, err := guard.Observe(t.Context())
		if err != nil || len(obs.Notes) != 2 || obs.Notes[1].Kind != env.NoteCaptcha {
			t.Errorf("solved: got notes %v, %v, want one about the captcha", obs.Notes, err)
		}
		guard.Gate.Console(start)
		if _, err := guard.Observe(t.Context()); !errors.Is(err, captcha.ErrUnsolved) || inner.looked != 2 {
			t.Errorf("unsolved: got %v after %d looks, want ErrUnsolved and no look", err, inner.looked)
		}
	})
}
