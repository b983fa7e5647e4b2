package control

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"fara/trajectory"
)

// desk is where a run's question waits for whoever answers it, one at a time.
type desk struct {
	mu      sync.Mutex
	last    int // the id of the last question
	pending *question
}

// question is one that waits. Its id is good for this one only, so that nobody
// answers another than was read.
type question struct {
	id       int
	asked    trajectory.Asked
	answered chan trajectory.Replied // holds one
}

// What an answer can miss.
var (
	errNoQuestion = errors.New("the run does not wait for anything; GET /status tells what it does")
	errOther      = errors.New("that question is not the one that waits")
)

// ask puts a question on the desk and waits until it is answered.
func (d *desk) ask(ctx context.Context, asked trajectory.Asked) (trajectory.Replied, error) {
	d.mu.Lock()
	d.last++
	q := &question{id: d.last, asked: asked, answered: make(chan trajectory.Replied, 1)}
	d.pending = q
	d.mu.Unlock()
	select {
	case reply := <-q.answered:
		return reply, nil
	case <-ctx.Done():
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pending == q {
		d.pending = nil
		return trajectory.Replied{}, context.Cause(ctx)
	}
	return <-q.answered, nil // somebody was told that it counts
}

// waits gives the question on the desk; nil when there is none.
func (d *desk) waits() *question {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pending
}

// answer answers the question of that id, when it is the one that waits and such
// an answer fits it.
func (d *desk) answer(id int, reply trajectory.Replied, fits func(trajectory.Asked) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	q := d.pending
	switch {
	case q == nil:
		return errNoQuestion
	case q.id != id:
		return fmt.Errorf("%w; its id is %d", errOther, q.id)
	}
	if err := fits(q.asked); err != nil {
		return err
	}
	d.pending = nil
	q.answered <- reply
	return nil
}

// release answers a captcha that waits: whoever lets the run go on has dealt with
// it. It reports whether one waited.
func (d *desk) release() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	q := d.pending
	if q == nil || q.asked.Captcha == "" {
		return false
	}
	d.pending = nil
	q.answered <- trajectory.Replied{By: trajectory.Person, Choice: trajectory.Yes}
	return true
}
