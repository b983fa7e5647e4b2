package batch

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"fara/trajectory"
)

// errBusy is the cause of an attempt's end whose site asked to be left alone.
var errBusy = errors.New("the site asks to be left alone")

// next gives a worker its next job; nil when there is none any more.
func (b *Batch) next(ctx context.Context) *state {
	for {
		if ctx.Err() != nil {
			return nil
		}
		b.mu.Lock()
		changed, freed := b.changed, b.sites.changed() // before it is looked at
		s, at, more := b.pick(time.Now())
		if s != nil {
			if err := b.begin(s); err != nil {
				b.leave(s, Stopped, "")
				b.stop(err)
				s, more = nil, false
			}
		}
		b.unlock()
		if s != nil || !more {
			return s
		}
		if !sleep(ctx, at, changed, freed) {
			return nil
		}
	}
}

// sleep waits for a change, or until a time that is not zero. It reports false when
// ctx ended first.
func sleep(ctx context.Context, at time.Time, changed, freed <-chan struct{}) bool {
	var due <-chan time.Time
	if !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-changed:
	case <-freed:
	case <-due:
	case <-ctx.Done():
		return false
	}
	return true
}

// pick takes the first job that may begin now, or says when the next may, zero being
// when something changes. more is false when nothing is left to begin.
func (b *Batch) pick(now time.Time) (s *state, at time.Time, more bool) {
	if b.drained || b.stopped != nil {
		return nil, at, false
	}
	at = b.waiting.due(now)
	if err := b.giveUp(); err != nil {
		b.stop(err)
		return nil, at, false
	}
	if b.left == 0 || b.outage != "" {
		return nil, time.Time{}, b.left > 0
	}
	for {
		next, free := b.firstLane(now)
		if next == nil {
			return nil, earlier(at, free), true
		}
		if _, ok := b.sites.enter(next.site, now); ok { // else another batch was quicker
			s = b.waiting.first(next)
			s.entered = true
			return s, at, true
		}
	}
}

// firstLane is the lane with the first of the jobs that may begin now; nil when none
// may, and free is then when one may, as far as that is known.
func (b *Batch) firstLane(now time.Time) (first *lane, free time.Time) {
	for _, l := range b.waiting.all {
		at, ok := b.sites.open(l.site, now)
		if ok {
			return l, free
		}
		free = earlier(free, at)
	}
	return nil, free
}

// together is how many endings are written at once.
const together = 1000

// giveUp ends the jobs whose sites cannot be reached, without trying once more.
func (b *Batch) giveUp() error {
	for _, site := range b.sites.gone() {
		for jobs := range slices.Chunk(b.waiting.drop(site), together) {
			if err := b.giveUpOn(jobs); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Batch) giveUpOn(jobs []*state) error {
	entries := make([]entry, len(jobs))
	for i, s := range jobs {
		result, err := b.finish(s, unreached(s, b.sites.why(s.site)))
		if err != nil {
			return err
		}
		entries[i] = s.ends(Site, result)
	}
	return b.end(jobs, entries)
}

// unreached is the ending of a job whose site is given up.
func unreached(s *state, why string) trajectory.Result {
	tried := "this task was not tried"
	if s.failed+s.busy > 0 || s.run != "" {
		tried = "this task was not tried again"
	}
	return trajectory.Result{
		Version: trajectory.Version, Status: trajectory.Error, Reason: reasonSite, Verified: []string{},
		Message: fmt.Sprintf("%s is given up: %s; %s. Do it later with --again site", s.site, why, tried),
	}
}

// begin writes down that an attempt is about to be made.
func (b *Batch) begin(s *state) error {
	if s.run == "" {
		s.run, s.step = newRun(s.Job, time.Now()), 0
		s.fresh = true
	}
	e := entry{Kind: began, Job: s.Key(), Run: s.run, Attempt: s.failed + s.busy + 1, Step: s.step}
	if err := b.store.ledger.append(e); err != nil {
		return err
	}
	s.phase = running
	return nil
}

var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// newRun makes the id of a job's run: its task's id as far as it makes a file's name,
// and what makes it unlike all others.
func newRun(j Job, now time.Time) string {
	name := strings.Trim(unsafe.ReplaceAllString(j.ID, "-"), ".-")
	if len(name) > 60 {
		name = name[:60]
	}
	if j.Sample > 1 {
		name += fmt.Sprintf("-s%d", j.Sample)
	}
	return strings.TrimPrefix(name+"-"+trajectory.NewID(now), "-")
}

// attempt makes one.
func (b *Batch) attempt(ctx context.Context, s *state) {
	once, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &watch{batch: b, cancel: cancel, url: s.URL, step: s.step, asked: !s.fresh && s.step > 0}
	var o outcome
	o.result, o.err = b.runner.Do(once, Attempt{Job: s.Job, Dir: b.store.Dir, Run: s.run, Resume: !s.fresh, Event: w.event})
	o.start, o.step, o.busy = w.start, w.step, w.busy
	if o.err != nil && once.Err() != nil { // it could not even write down that it was cancelled
		o.err = nil
		o.result = trajectory.Result{Run: s.run, Status: trajectory.Cancelled, Reason: "interrupted", Message: "the run was interrupted"}
	}
	o.unasked = once.Err() == nil
	b.mu.Lock()
	defer b.unlock()
	if err := b.settle(ctx, s, o); err != nil {
		b.stop(err)
	}
}
