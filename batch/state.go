package batch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"fara/trajectory"
)

// Ending is how a job ended, once and for all.
type Ending struct {
	Job   Job
	Class Class
	// Run is the run's id; empty when none was begun.
	Run string
	// Attempts counts those before this ending that came to nothing.
	Attempts int
	Result   trajectory.Result
	At       time.Time
	// Worker is who did it, when it was another machine.
	Worker string
}

// phase is where a job is.
type phase int

const (
	waiting phase = iota
	running
	over
)

// state is a job with what became of it so far.
type state struct {
	Job
	site  string
	phase phase
	// run is the run to go on with; empty begins a new one.
	run string
	// failed counts the attempts that came to nothing, busy those that a site sent
	// away.
	failed, busy int
	// takes counts the attempts in a row in which the program ended and the run got no
	// further than step.
	takes, step int
	open        bool      // an attempt began, and nothing is known of its end
	began       time.Time // when it did
	index       int       // its place among all jobs
	queued      bool      // it is in the line of its site
	entered     bool      // it has its turn on its site
	fresh       bool      // the attempt under way begins its run
	notBefore   time.Time
	worker      string // who did it, on another machine
	ending      *Ending
}

// recall puts the jobs where the ledger says they are.
func recall(jobs []Job, entries []entry) (all []*state, byKey map[string]*state) {
	all, byKey = make([]*state, len(jobs)), make(map[string]*state, len(jobs))
	for i, j := range jobs {
		all[i] = &state{Job: j, site: SiteOf(j.URL), index: i}
		byKey[j.Key()] = all[i]
	}
	for _, e := range entries {
		if s := byKey[e.Job]; s != nil {
			s.take(e)
		}
	}
	return all, byKey
}

// take takes in one line of the ledger.
func (s *state) take(e entry) {
	switch e.Kind {
	case began:
		if s.open && e.Step <= s.step {
			s.takes++
		} else {
			s.takes = 1
		}
		s.open, s.run, s.step, s.began = true, e.Run, e.Step, e.At
	case again:
		if !e.Unseen {
			s.open, s.takes = false, 0
		}
		if s.run = e.Run; e.Fresh {
			s.run = ""
		}
		switch {
		case e.Busy:
			s.busy++
		case e.Class != Stopped:
			s.failed++
		}
	case ended:
		s.open, s.phase = false, over
		s.ending = &Ending{Job: s.Job, Class: e.Class, Run: e.Run, Attempts: s.failed, At: e.At, Worker: e.Worker}
		if e.Result != nil {
			s.ending.Result = *e.Result
		}
	case reopened:
		*s = state{Job: s.Job, site: s.site, index: s.index}
		if !e.Fresh {
			s.run = e.Run
		}
	}
}

// counted reports whether a run's ending is that of an attempt which is written down
// already, so that the run goes on: the one that began last did not come to an event.
func (s *state) counted(run *trajectory.Run) bool {
	if !ClassOf(*run.Result, startCode(run.Events)).goesOn() {
		return false
	}
	n := len(run.Events)
	return !s.open || n > 0 && run.Events[n-1].At.Before(s.began)
}

// find looks at the folder of such an attempt: the run to go on with, nil when there
// is none. What never came to an event is removed.
func find(dir, id string) (*trajectory.Run, error) {
	dir = filepath.Join(dir, id)
	if _, err := os.Stat(dir); id == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	run, err := trajectory.Read(dir)
	switch {
	case err == nil && len(run.Events) > 0 && run.Events[0].Started != nil:
		return run, nil
	case err == nil, hollow(dir):
		return nil, os.RemoveAll(dir)
	}
	return nil, err
}

// hollow reports whether a run's folder was left before it had a log.
func hollow(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "result.json")); err == nil {
		return false
	}
	log, err := os.Stat(filepath.Join(dir, "events.jsonl"))
	return errors.Is(err, fs.ErrNotExist) || err == nil && log.Size() == 0
}
