package captcha

import (
	"context"
	"time"

	"fara/env"
)

// Environment is what a Guard stands before.
type Environment interface {
	Observe(ctx context.Context) (env.Observation, error)
	Perform(ctx context.Context, act env.Action) (env.Outcome, error)
	Read(ctx context.Context) (env.Document, error)
	Aim(ctx context.Context, act env.Action) (*env.Element, error)
}

// Guard is an environment that looks only through an open gate: no frame shows
// a captcha that is just being solved. It also gives a page that only checks the
// browser time to let it pass.
type Guard struct {
	Environment
	Gate *Gate
	// Patience bounds the wait for such a page; 0 means 10 s.
	Patience time.Duration
}

// How long a page that checks the browser is given by default, and how often it is
// looked at meanwhile.
const (
	patience = 10 * time.Second
	pause    = 500 * time.Millisecond
)

// Observe waits for the gate and observes. When it had to wait, the observation
// has a note that says how that ended. Its errors are the gate's and the
// environment's.
func (g Guard) Observe(ctx context.Context) (env.Observation, error) {
	passage, err := g.Gate.Wait(ctx)
	if err != nil {
		return env.Observation{}, err
	}
	obs, err := g.passed(ctx)
	if err != nil {
		return obs, err
	}
	switch passage {
	case Solved:
		obs.Notes = append(obs.Notes, env.Note{Kind: env.NoteCaptcha, Text: "A captcha was solved; the page may have changed."})
	case Unsolved:
		obs.Notes = append(obs.Notes, env.Note{Kind: env.NoteCaptcha, Text: "A captcha could not be solved in time."})
	}
	return obs, nil
}

// passed observes until the page in front is not one that just checks the browser,
// or its time is over: what is seen then is for a person to deal with.
func (g Guard) passed(ctx context.Context) (env.Observation, error) {
	limit := g.Patience
	if limit == 0 {
		limit = patience
	}
	over := time.NewTimer(limit)
	defer over.Stop()
	var before []env.Note
	for {
		obs, err := g.Environment.Observe(ctx)
		obs.Notes = append(before, obs.Notes...)
		if err != nil {
			return obs, err
		}
		if w := blocking(obs); w == nil || kindOf(w.Name) != Check {
			return obs, nil
		}
		before = obs.Notes
		select {
		case <-time.After(pause):
		case <-over.C:
			return obs, nil
		case <-ctx.Done():
			return obs, context.Cause(ctx)
		}
	}
}
