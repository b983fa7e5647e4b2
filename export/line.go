package export

import (
	"context"
	"sync"
)

// line is workers that make units, in order: what the first unit came to is given
// first. It holds no more than what the workers are at and just finished.
type line struct {
	ctx    context.Context
	cancel context.CancelFunc
	queue  chan chan made
	done   sync.WaitGroup
}

// start begins; stop ends it, whether or not all was made.
func (c *Config) start(ctx context.Context, units []unit) *line {
	l := &line{queue: make(chan chan made, c.Workers)}
	l.ctx, l.cancel = context.WithCancel(ctx)
	jobs := make(chan func())
	for range c.Workers {
		l.done.Go(func() {
			for job := range jobs {
				job()
			}
		})
	}
	l.done.Go(func() {
		defer close(jobs)
		for _, u := range units {
			made := make(chan made, 1)
			select {
			case l.queue <- made:
			case <-l.ctx.Done():
				return
			}
			select {
			case jobs <- func() { made <- c.make(u) }:
			case <-l.ctx.Done():
				return
			}
		}
	})
	return l
}

// next gives what the next unit came to, or why it never will.
func (l *line) next() (made, error) {
	select {
	case next := <-l.queue:
		select {
		case m := <-next:
			return m, nil
		case <-l.ctx.Done():
		}
	case <-l.ctx.Done():
	}
	return made{}, context.Cause(l.ctx)
}

func (l *line) stop() {
	l.cancel()
	l.done.Wait()
}
