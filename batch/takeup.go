package batch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"fara/trajectory"
)

// takeUp deals with the attempts that nobody saw end, and has all that is left wait
// for a worker.
func (b *Batch) takeUp(ctx context.Context) error {
	b.adopt()
	for _, s := range b.states {
		if s.phase == over || !s.open && s.run == "" {
			continue
		}
		if err := b.pickUp(ctx, s); err != nil {
			return err
		}
	}
	for _, s := range b.states {
		if s.phase == waiting && !s.queued {
			b.waiting.add(s)
		}
	}
	return nil
}

// pickUp sees what an attempt came to that nobody saw end.
func (b *Batch) pickUp(ctx context.Context, s *state) error {
	run, err := find(b.store.Dir, s.run)
	var path *fs.PathError
	switch {
	case errors.As(err, &path) && !errors.Is(err, fs.ErrNotExist): // which says nothing about the run
		return fmt.Errorf("the run %s cannot be taken up: %w", s.run, err)
	case err != nil:
		b.cfg.Logger.Warn("a run cannot be read and is set aside", "run", s.run, "err", err)
		b.store.setAside(s.run)
	}
	if run == nil {
		s.run = ""
		return b.poisoned(s)
	}
	step := stepOf(run.Events)
	if run.Result != nil && !s.counted(run) {
		if err := complete(run); err != nil {
			return err
		}
		s.phase = running // as it was
		return b.settle(ctx, s, outcome{result: *run.Result, start: startCode(run.Events), step: step})
	}
	anew := run.Result == nil && b.cfg.HalfDone == Anew && !touched(run.Events)
	if anew && s.takes < b.cfg.Takes {
		return b.repeat(s, entry{Run: s.run, Class: Stopped, Why: "it was half done and is begun anew", Fresh: true, Unseen: true})
	}
	if !anew && step > s.step { // it got further
		s.takes = 0
	}
	s.step = step
	return b.poisoned(s)
}

// complete writes the result of a run that ended, where a crash left it out.
func complete(run *trajectory.Run) error {
	if run.HasResult {
		return nil
	}
	w, _, err := trajectory.Reopen(run.Dir, nil)
	if err != nil {
		return err
	}
	return w.Complete()
}

// poisoned gives up a job whose run got no further however often it was taken up.
func (b *Batch) poisoned(s *state) error {
	if s.takes < b.cfg.Takes {
		return nil
	}
	result, err := b.finish(s, trajectory.Result{
		Version: trajectory.Version, Status: trajectory.Error, Reason: reasonPoisoned, Verified: []string{}, Steps: s.step,
		Message: fmt.Sprintf("the program ended %d times while this run was at step %d; it is given up", s.takes, s.step),
	})
	if err != nil {
		return err
	}
	return b.ended(s, Poisoned, result)
}

// finish writes an ending that the batch gives a job into the run that the job would
// have gone on with, and gives it with what the run came to.
func (b *Batch) finish(s *state, r trajectory.Result) (trajectory.Result, error) {
	if s.run == "" {
		return r, nil
	}
	w, run, err := trajectory.Reopen(b.store.folder(s.run), nil)
	if err != nil {
		b.cfg.Logger.Warn("a run is given up and cannot be ended", "run", s.run, "err", err)
		return r, nil
	}
	r.Run, r.Dir, r.Steps = s.run, w.Dir(), stepOf(run.Events)
	if was := run.Result; was != nil {
		r.Steps, r.Usage, r.Timings, r.Effects = was.Steps, was.Usage, was.Timings, was.Effects
	}
	return r, w.Finish(stepOf(run.Events), r)
}

// adopt gives runs in the batch's folder that the ledger does not know to their jobs,
// where these have none: the ledger was cut, or its disk lost what it had promised.
// What is left of runs that were made anew is moved aside.
func (b *Batch) adopt() {
	known := map[string]bool{AsideDir: true}
	for _, id := range b.store.superseded() {
		b.store.setAside(id)
		known[id] = true
	}
	for _, s := range b.states {
		known[s.run] = true
		if s.ending != nil {
			known[s.ending.Run] = true
		}
	}
	entries, err := os.ReadDir(b.store.Dir)
	if err != nil {
		return // what cannot be read is seen by whoever needs it
	}
	for _, e := range entries {
		if e.IsDir() && !known[e.Name()] && e.Name()[0] != '.' {
			b.adoptRun(e.Name())
		}
	}
}

func (b *Batch) adoptRun(id string) {
	run, err := trajectory.Read(b.store.folder(id))
	if err != nil || run.Task.Sample == nil || run.Task.Sample.Batch != b.store.ID {
		return
	}
	s := b.byKey[Job{Task: Task{ID: run.Task.Sample.Task}, Sample: run.Task.Sample.Number}.Key()]
	if s != nil && s.phase != over && (s.run == "" || !exists(b.store.folder(s.run))) {
		b.cfg.Logger.Warn("a run that the ledger does not know is taken up", "run", id)
		s.run, s.open = id, true
		return
	}
	b.cfg.Logger.Warn("a run that the ledger does not know is set aside", "run", id)
	b.store.setAside(id)
}

// superseded are the runs in whose place others were begun.
func (s *Store) superseded() (runs []string) {
	for _, e := range s.entries {
		if e.Fresh && e.Run != "" {
			runs = append(runs, e.Run)
		}
	}
	return runs
}

// AsideDir holds the runs of attempts that came to nothing and were made anew. It is
// hidden: whoever looks for runs below a batch's folder finds those that count.
const AsideDir = ".attempts"

// setAside moves the folder of an attempt that does not count out of the way of those
// that do. It stays where it is when it cannot be moved.
func (s *Store) setAside(run string) {
	if run == "" || !exists(s.folder(run)) {
		return
	}
	aside := filepath.Join(s.Dir, AsideDir)
	if os.MkdirAll(aside, 0o755) == nil {
		_ = os.Rename(s.folder(run), filepath.Join(aside, run)) // the next start tries again
	}
}

// folder is a run's.
func (s *Store) folder(run string) string { return filepath.Join(s.Dir, run) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
