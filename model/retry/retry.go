// Package retry repeats failed calls to a model with growing pauses. Which errors
// are worth it is package model's Temporary; a refusal is passed on at once.
package retry

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v4"

	"fara/model"
)

// Config says how patient to be. The zero value works.
type Config struct {
	// Attempts is the most calls made for one request; 0 is 5, 1 repeats nothing.
	Attempts int
	// First is the pause after the first failure, doubled after each further one
	// and varied by up to half; 0 is 1 second.
	First time.Duration
	// Longest bounds every pause, also one that the server asks for; 0 is 1 minute.
	Longest time.Duration
	// Notify hears of each failure that will be repeated, and the pause before; nil
	// tells nobody.
	Notify func(err error, pause time.Duration)
}

// Chatter repeats the calls of the one it embeds.
type Chatter struct {
	model.Chatter
	cfg Config
}

// Wrap gives a Chatter that repeats inner's temporary failures.
func Wrap(inner model.Chatter, cfg Config) *Chatter {
	cfg.Attempts = cmp.Or(cfg.Attempts, 5)
	cfg.First = cmp.Or(cfg.First, time.Second)
	cfg.Longest = cmp.Or(cfg.Longest, time.Minute)
	return &Chatter{Chatter: inner, cfg: cfg}
}

// Chat asks until a reply is complete, the error is not temporary, the attempts
// are used up or ctx ends. Every attempt starts from the beginning, so until may
// see a text begin anew. The reply's usage counts the failed attempts. The error
// is the last attempt's, or the context's cause.
func (c *Chatter) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	pauses := c.pauses()
	for failed := 0; ; failed++ {
		reply, err := c.Chatter.Chat(ctx, req, until)
		if err == nil {
			reply.Usage.Retries += failed
			return reply, nil
		}
		if failed+1 >= c.cfg.Attempts || !model.Temporary(err) || ctx.Err() != nil {
			return model.Reply{}, err
		}
		if err := c.pause(ctx, pauses.NextBackOff(), err); err != nil {
			return model.Reply{}, err
		}
	}
}

func (c *Chatter) pauses() *backoff.ExponentialBackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(c.cfg.First),
		backoff.WithMultiplier(2),
		backoff.WithMaxInterval(c.cfg.Longest),
		backoff.WithMaxElapsedTime(0),
	)
}

// pause waits for the longer of the planned pause and what the server asked for.
func (c *Chatter) pause(ctx context.Context, planned time.Duration, err error) error {
	var asked *model.Error
	if errors.As(err, &asked) {
		planned = max(planned, asked.RetryAfter)
	}
	planned = min(planned, c.cfg.Longest)
	if c.cfg.Notify != nil {
		c.cfg.Notify(err, planned)
	}
	timer := time.NewTimer(planned)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
