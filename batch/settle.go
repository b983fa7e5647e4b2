package batch

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fara/env"
	"fara/trajectory"
)

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
	// unasked: nobody here asked it to stop.
	unasked bool
}

// settle decides what an attempt means for its job.
func (b *Batch) settle(ctx context.Context, s *state, o outcome) error {
	class := ClassOf(o.result, o.start)
	if class == Stopped && o.unasked { // else it would be begun again for ever
		class = Internal
	}
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
	return b.ended(s, class, o.result)
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
		return b.ended(s, Site, o.result)
	}
	s.notBefore = o.busy
	return b.repeat(s, e)
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
		pause := time.Now().Add(pauseBefore(s.failed))
		if pause.After(s.notBefore) {
			s.notBefore = pause
		}
		job := s.Job
		b.notify(Notice{Job: &job, Text: fmt.Sprintf("%s: %s; it is tried again", e.Class, line(e.Why))})
	}
	b.waiting.add(s)
	b.change()
	return nil
}

// ends is the line that gives a job its ending.
func (s *state) ends(class Class, r trajectory.Result) entry {
	r.Verdicts = slices.Clone(r.Verdicts)
	for i := range r.Verdicts {
		r.Verdicts[i].Raw = "" // in the run's own log
	}
	return entry{Kind: ended, Job: s.Key(), Run: r.Run, Attempt: s.failed + s.busy + 1, Class: class, Result: &r, Worker: s.worker}
}

// ended gives a job its ending.
func (b *Batch) ended(s *state, class Class, r trajectory.Result) error {
	return b.end([]*state{s}, []entry{s.ends(class, r)})
}

// end gives jobs their endings.
func (b *Batch) end(jobs []*state, entries []entry) error {
	if err := b.store.ledger.append(entries...); err != nil {
		return err
	}
	for i, s := range jobs {
		s.take(entries[i])
		s.ending.At = time.Now().UTC()
		b.meter.ended++
		b.left--
		b.notify(Notice{Ending: s.ending})
	}
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
	b.aside.Go(func() {
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

// pauseBefore is how long a job waits for its n-th further attempt, from 1.
func pauseBefore(n int) time.Duration {
	return min(2*time.Second<<min(n-1, 10), time.Minute)
}
