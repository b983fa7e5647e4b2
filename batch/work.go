package batch

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"fara/env"
	"fara/trajectory"
)

// errBusy is the cause of an attempt's end whose site asked to be left alone.
var errBusy = errors.New("the site asks to be left alone")

// next gives a worker its next job; nil when there is none any more.
func (b *Batch) next(ctx context.Context) *state {
	for {
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

// pick finds the first job that may begin now, or when the next may, zero being when
// something changes. more is false when nothing is left to begin.
func (b *Batch) pick(now time.Time) (s *state, at time.Time, more bool) {
	if b.drained || b.stopped != nil {
		return nil, at, false
	}
	b.open = slices.DeleteFunc(b.open, func(s *state) bool { return s.phase == over })
	for _, s := range b.open {
		if why, down := b.sites.down(s.site); down && s.phase == waiting {
			if err := b.giveUp(s, why); err != nil {
				b.stop(err)
				return nil, at, false
			}
			continue
		}
		more = true
		if s.phase == running || b.outage != "" {
			continue
		}
		free, ok := b.sites.enter(s.site, s.notBefore, now)
		if ok {
			s.entered = true
			return s, at, true
		}
		if !free.IsZero() && (at.IsZero() || free.Before(at)) {
			at = free
		}
	}
	return nil, at, more
}

// giveUp ends a job whose site cannot be reached, without trying once more.
func (b *Batch) giveUp(s *state, why string) error {
	return b.end(s, Site, trajectory.Result{
		Version: trajectory.Version, Status: trajectory.Error, Reason: reasonSite, Verified: []string{},
		Message: fmt.Sprintf("%s is given up: %s; this task was not tried. Do it later with --again site", s.site, why),
	})
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

// outcome is what an attempt came to.
type outcome struct {
	result trajectory.Result
	err    error
	// start is why the first page could not be opened; empty when it could.
	start env.Code
	// step is how far the run is.
	step int
	// busy: the site of its first page asked to be left alone until then.
	busy time.Time
}

// attempt makes one.
func (b *Batch) attempt(ctx context.Context, s *state) {
	once, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &watch{batch: b, cancel: cancel, url: s.URL, step: s.step}
	var o outcome
	o.result, o.err = b.runner.Do(once, Attempt{Job: s.Job, Dir: b.store.Dir, Run: s.run, Resume: !s.fresh, Event: w.event})
	o.start, o.step, o.busy = w.start, w.step, w.busy
	if o.err != nil && once.Err() != nil { // it could not even write down that it was cancelled
		o.err = nil
		o.result = trajectory.Result{Run: s.run, Status: trajectory.Cancelled, Reason: "interrupted", Message: "the run was interrupted"}
	}
	b.mu.Lock()
	defer b.unlock()
	if err := b.settle(ctx, s, o); err != nil {
		b.stop(err)
	}
}

// settle decides what an attempt means for its job.
func (b *Batch) settle(ctx context.Context, s *state, o outcome) error {
	class := ClassOf(o.result, o.start)
	s.fresh, s.step = false, o.step
	if !o.busy.IsZero() && (class == Stopped || class == Site) {
		return b.sentAway(s, o)
	}
	b.leave(s, class, o.result.Message)
	switch {
	case o.err != nil:
		s.phase = waiting
		return o.err
	case class == Stopped:
		return b.repeat(s, entry{Run: o.result.Run, Class: class, Why: o.result.Message, Fresh: o.result.Run == ""})
	case class == Internal || class == Browser:
		if err := b.store.writable(); err != nil {
			s.phase = waiting
			return fmt.Errorf("%s cannot be written: %w; make room, and call it again to go on", b.store.Dir, err)
		}
	case class == Model:
		b.lost(ctx, o.result.Message)
	}
	if class.again() && s.failed < b.cfg.Retries {
		return b.repeat(s, entry{Run: o.result.Run, Class: class, Why: o.result.Message, Fresh: !class.goesOn() || o.result.Run == ""})
	}
	return b.end(s, class, o.result)
}

// leave ends a run's turn on its site.
func (b *Batch) leave(s *state, class Class, why string) {
	if s.entered {
		b.sites.end(s.site, class, line(why), time.Now())
	}
	s.entered = false
}

// busyTimes is how often a site may send a job away before that counts.
const busyTimes = 5

// sentAway has a job wait until its site takes it.
func (b *Batch) sentAway(s *state, o outcome) error {
	b.leave(s, Stopped, "")
	e := entry{Run: o.result.Run, Class: Site, Why: "the site gets too many requests", Fresh: true, Busy: s.busy < busyTimes}
	if !e.Busy && s.failed >= b.cfg.Retries {
		o.result.Status, o.result.Reason = trajectory.Error, reasonSite
		o.result.Message = fmt.Sprintf("%s has too many requests and sent this task away %d times; do it later with --again site", s.site, s.busy+1)
		return b.end(s, Site, o.result)
	}
	if err := b.repeat(s, e); err != nil {
		return err
	}
	s.notBefore = o.busy
	return nil
}

// repeat has a job wait for another attempt.
func (b *Batch) repeat(s *state, e entry) error {
	e.Kind, e.Job, e.Attempt = again, s.Key(), s.failed+s.busy+1
	if err := b.store.ledger.append(e); err != nil {
		return err
	}
	if e.Fresh {
		b.store.setAside(e.Run)
	}
	step := s.step
	s.take(e)
	s.phase, s.step = waiting, step
	if e.Class != Stopped && !e.Busy {
		s.notBefore = time.Now().Add(pauseBefore(s.failed))
		job := s.Job
		b.notify(Notice{Job: &job, Text: fmt.Sprintf("%s: %s; it is tried again", e.Class, line(e.Why))})
	}
	b.change()
	return nil
}

// end gives a job its ending.
func (b *Batch) end(s *state, class Class, r trajectory.Result) error {
	for i := range r.Verdicts {
		r.Verdicts[i].Raw = "" // in the run's own log
	}
	e := entry{Kind: ended, Job: s.Key(), Run: r.Run, Attempt: s.failed + s.busy + 1, Class: class, Result: &r, Worker: s.worker}
	if err := b.store.ledger.append(e); err != nil {
		return err
	}
	s.take(e)
	s.ending.At = time.Now().UTC()
	b.meter.ended++
	b.notify(Notice{Ending: s.ending})
	b.change()
	return nil
}

// lost has all workers wait until a model server is of use again.
func (b *Batch) lost(ctx context.Context, why string) {
	if b.outage != "" || b.stopped != nil || b.drained {
		return
	}
	b.outage = why
	b.notify(Notice{Text: "no model server is of use; the batch waits for one: " + line(why)})
	b.awaiting.Go(func() {
		err := b.runner.Await(ctx)
		b.mu.Lock()
		defer b.unlock()
		b.outage = ""
		switch {
		case err == nil:
			b.notify(Notice{Text: "a model server is of use again; the batch goes on"})
			b.change()
		case ctx.Err() == nil:
			b.stop(err)
		}
	})
}

// watch follows an attempt's events.
type watch struct {
	batch  *Batch
	cancel context.CancelCauseFunc
	url    string // where the run begins

	step  int
	asked bool // the model was
	start env.Code
	busy  time.Time
}

// event takes in one.
func (w *watch) event(e trajectory.Event) {
	w.step = max(w.step, e.Step)
	switch {
	case e.Proposed != nil:
		w.asked = true
		w.batch.meter.reply(e.Proposed)
	case e.Acted != nil && e.Acted.Error != nil && !w.asked && w.start == "":
		if w.start = env.Code(e.Acted.Error.Reason); w.start == env.Busy {
			w.sentAway(w.url, e.Acted.Error.Wait)
		}
	case e.Observed != nil:
		for _, n := range e.Observed.Notes {
			if n.Kind == env.NoteBusy {
				w.sentAway(e.Observed.URL, n.Wait)
			}
		}
	}
}

// sentAway leaves a site alone. A run that has not begun yet comes back later.
func (w *watch) sentAway(address string, wait time.Duration) {
	site := SiteOf(address)
	w.batch.mu.Lock()
	until := w.batch.sites.hold(site, wait, time.Now())
	if own := SiteOf(w.url); !w.asked && w.url != "" && own != site { // which leads there
		w.batch.sites.hold(own, time.Until(until), time.Now())
	}
	w.batch.notify(Notice{Text: fmt.Sprintf("%s asks to be left alone until %s", site, until.Format(time.TimeOnly))})
	w.batch.unlock()
	if !w.asked {
		w.busy = until
		w.cancel(errBusy)
	}
}
