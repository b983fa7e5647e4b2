package batch

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"fara/trajectory"
)

// ErrAlready means that a job has its ending.
var ErrAlready = errors.New("the job has ended already")

// Left are the jobs without an ending, in order.
func (b *Batch) Left() []Job {
	b.mu.Lock()
	defer b.unlock()
	var left []Job
	for _, s := range b.states {
		if s.phase != over {
			left = append(left, s.Job)
		}
	}
	return left
}

// Report is how a job ended on another machine.
type Report struct {
	Class    Class             `json:"class"`
	Attempts int               `json:"repeated_attempts,omitempty"`
	Result   trajectory.Result `json:"result"`
}

// ReportOf is the ending of the only job of a batch; false while it has none.
func (b *Batch) ReportOf() (Report, bool) {
	all := b.Endings()
	if len(all) != 1 {
		return Report{}, false
	}
	return Report{all[0].Class, all[0].Attempts, all[0].Result}, true
}

// Gather writes down how the job of that key ended on another machine, whose run's
// folder, if any, is in place. It returns ErrAlready when the job has an ending, and
// an error when there is no such job or the report cannot be one.
func (b *Batch) Gather(key, worker string, r Report) error {
	switch {
	case !slices.Contains(Classes, r.Class):
		return fmt.Errorf("the class %q of %s is unknown", r.Class, key)
	case r.Result.Status == "":
		return fmt.Errorf("the ending of %s has no status", key)
	case r.Result.Run != "" && (r.Result.Run != filepath.Base(r.Result.Run) || r.Result.Run[0] == '.'):
		return fmt.Errorf("the run of %s is called %q, which is no run's name", key, r.Result.Run)
	}
	b.mu.Lock()
	defer b.unlock()
	s := b.byKey[key]
	if s == nil {
		return fmt.Errorf("no job of this batch is called %q", key)
	}
	if s.phase == over {
		return ErrAlready
	}
	s.failed, s.worker = r.Attempts, worker
	if err := b.ended(s, r.Class, r.Result); err != nil {
		return err
	}
	b.meter.result(r.Result)
	return nil
}

// Knows reports whether there is a job of that key that has no ending.
func (b *Batch) Knows(key string) bool {
	b.mu.Lock()
	defer b.unlock()
	s := b.byKey[key]
	return s != nil && s.phase != over
}

// Remaining counts the jobs without an ending.
func (b *Batch) Remaining() int {
	b.mu.Lock()
	defer b.unlock()
	return b.left
}

// Conclude writes what the batch came to so far beside its runs, as Run does at its
// end.
func (b *Batch) Conclude() (Summary, error) {
	sum := b.Summary()
	return sum, b.store.conclude(sum, b.Endings())
}

// UncertainReport is the ending of a job whose worker was lost after it had done
// something in the world: it is not done once more.
func UncertainReport(did string) Report {
	return Report{Class: Poisoned, Result: trajectory.Result{
		Version: trajectory.Version, Status: trajectory.Error, Reason: reasonUncertain, Verified: []string{},
		Message: "a worker was lost after " + line(did) + "; a new run would do it once more, so this one is given up. Look at that worker's own folder, and go on with fara resume there",
	}}
}

// PoisonedReport is the ending of a job that every worker was lost over.
func PoisonedReport(why error) Report {
	return Report{Class: Poisoned, Result: trajectory.Result{
		Version: trajectory.Version, Status: trajectory.Error, Reason: reasonPoisoned, Message: line(why.Error()), Verified: []string{},
	}}
}
