// Package retry repeats failed calls to a model with growing pauses. Which errors
// are worth it is package model's Temporary; a refusal is passed on at once, and a
// failure that comes back each time for a request with pictures becomes one.
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
	// Attempts is the most calls made for one request; 0 is 5, 1 repeats nothing. A
	// busy server's answers do not count.
	Attempts int
	// Random is the most calls when the server fails in words that it got over
	// before: some fail at random under load, a third of the time and more. 0 is 12,
	// and it is never less than Attempts.
	Random int
	// Busy is how long a busy server is waited for; 0 is 10 minutes.
	Busy time.Duration
	// First is the pause after the first failure, doubled after each further one
	// and varied by up to half; 0 is 1 second.
	First time.Duration
	// Longest bounds every pause, also one that the server asks for; 0 is 1 minute.
	Longest time.Duration
	// Notify hears of each failure that will be repeated, and the pause before; nil
	// tells nobody.
	Notify func(err error, pause time.Duration)
}

// busyPause bounds the pauses for a server that is there, but busy or failing, and
// does not say when to come back: the next moment may be a better one.
const busyPause = 15 * time.Second

// Chatter repeats the calls of the one it embeds.
type Chatter struct {
	model.Chatter
	cfg    Config
	random memory
}

// Wrap gives a Chatter that repeats inner's temporary failures.
func Wrap(inner model.Chatter, cfg Config) *Chatter {
	cfg.Attempts = cmp.Or(cfg.Attempts, 5)
	cfg.Random = max(cmp.Or(cfg.Random, 12), cfg.Attempts)
	if cfg.Attempts == 1 {
		cfg.Random = 1
	}
	cfg.Busy = cmp.Or(cfg.Busy, 10*time.Minute)
	cfg.First = cmp.Or(cfg.First, time.Second)
	cfg.Longest = cmp.Or(cfg.Longest, time.Minute)
	return &Chatter{Chatter: inner, cfg: cfg}
}

// Chat asks until a reply is complete, the error is not temporary, the attempts
// are used up or ctx ends. Every attempt starts from the beginning, so until may
// see a text begin anew. The reply's usage counts the failed attempts. The error
// is the last attempt's, or the context's cause.
//
// When the server itself fails in the same words each time and the request has
// pictures, the error is of kind model.ErrPicture: after three times when the
// words are those of a crash, after all attempts else.
func (c *Chatter) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	pauses := c.pauses()
	so := streak{began: time.Now()}
	for {
		reply, err := c.Chatter.Chat(ctx, req, until)
		if err == nil {
			c.random.learn(so.words)
			reply.Usage.Retries += so.failed + so.busy
			return reply, nil
		}
		if !model.Temporary(err) || ctx.Err() != nil {
			return model.Reply{}, err
		}
		so.add(err)
		if c.enough(so, req, err) {
			return model.Reply{}, so.judge(req, err)
		}
		if err := c.pause(ctx, pauses.NextBackOff(), err); err != nil {
			return model.Reply{}, err
		}
	}
}

// enough reports whether the last failure was the last attempt.
func (c *Chatter) enough(so streak, req model.Request, err error) bool {
	switch {
	case c.cfg.Attempts == 1:
		return true
	case errors.Is(err, model.ErrBusy):
		return time.Since(so.began) >= c.cfg.Busy
	case c.random.knows(so.last):
		return so.failed >= c.cfg.Random
	case so.crashes >= crashes && hasImages(req):
		return true
	}
	return so.failed >= c.cfg.Attempts
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
	if (errors.Is(err, model.ErrBusy) || errors.Is(err, model.ErrServer)) && (asked == nil || asked.RetryAfter == 0) {
		planned = min(planned, busyPause)
	}
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
