package captcha

import (
	"context"

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
// a captcha that is just being solved.
type Guard struct {
	Environment
	Gate *Gate
}

// Observe waits for the gate and observes. When it had to wait, the observation
// has a note that says how that ended. Its errors are the gate's and the
// environment's.
func (g Guard) Observe(ctx context.Context) (env.Observation, error) {
	passage, err := g.Gate.Wait(ctx)
	if err != nil {
		return env.Observation{}, err
	}
	obs, err := g.Environment.Observe(ctx)
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
