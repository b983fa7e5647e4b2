package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"fara/trajectory"
)

// Runner does single runs.
type Runner interface {
	// Do makes one attempt and gives how the run ended, as it is in its folder, whose
	// task names its place in the batch: so a run that the ledger lost is found. An
	// attempt that never came to a run is a Result without one. The error says that
	// runs can be done or recorded no more, and stops the batch; when ctx ended it is
	// ctx's cause, if the run could not even write that down.
	Do(ctx context.Context, a Attempt) (trajectory.Result, error)
	// Await returns nil as soon as some model server is of use, and an error when none
	// is within a limit.
	Await(ctx context.Context) error
}

// Attempt is one try at a job.
type Attempt struct {
	Job Job
	// Dir is the folder that holds the run's, Run the run's id. Resume goes on with the
	// run that is there; else there is none yet.
	Dir, Run string
	Resume   bool
	// Event is to be called with each of the run's events as it is written.
	Event func(trajectory.Event)
}

// HalfDone says what becomes of a run that was under way when its program ended.
type HalfDone string

// What becomes of it.
const (
	// Resume goes on with it.
	Resume HalfDone = "resume"
	// Anew begins a new run, unless it did, or may have done, something in the world
	// that a new run would do once more.
	Anew HalfDone = "anew"
)

// Config says how a batch is done. The zero values work.
type Config struct {
	// Workers is the number of runs at a time; 0 means 1.
	Workers int
	// Retries is how often a job is tried again after an attempt of a class that
	// passes.
	Retries int
	// PerSite bounds the runs on a site at a time, SitePause is the least time between
	// the beginnings of two; 0 is no bound.
	PerSite   int
	SitePause time.Duration
	// Sites are shared with other batches in the place of PerSite and SitePause; nil
	// shares nothing.
	Sites *Sites
	// HalfDone is Resume when it is empty.
	HalfDone HalfDone
	// Takes is how often the program may end while a run is at the same step before the
	// job is given up; 0 means 5.
	Takes int
	// Drain, once closed, lets what is under way end and begins nothing more; nil never
	// is.
	Drain <-chan struct{}
	// Notify is called with what happens, one call after the other; nil is none.
	Notify func(Notice)
	// Logger is nil for silence.
	Logger *slog.Logger
}

// Notice is something that happened. What does not apply is empty.
type Notice struct {
	// Ending is set when a job ended.
	Ending *Ending
	// Job and Text say what else happened, to a person: an attempt that is made again,
	// a site that is left alone, servers that are gone or back.
	Job  *Job
	Text string
}

// ErrStopped wraps why a batch could not go on.
var ErrStopped = errors.New("the batch stopped")

// Batch does the jobs of a Store.
type Batch struct {
	cfg    Config
	store  *Store
	runner Runner

	mu      sync.Mutex
	changed chan struct{} // closed at every change, and replaced
	states  []*state
	byKey   map[string]*state
	left    int   // those that are not over
	waiting lanes // those that wait for a worker
	sites   *Sites
	meter   meter
	outage  string // why no server is of use; empty while one is
	stopped error
	drained bool
	cancel  context.CancelCauseFunc
	// aside is for what goes on beside the workers.
	aside   sync.WaitGroup
	notices []Notice // to be given once mu is free
	telling bool     // somebody gives them
}

// New gives a batch of the store's jobs. It begins nothing.
func New(cfg Config, store *Store, runner Runner) *Batch {
	cfg.Workers, cfg.Takes = max(cfg.Workers, 1), cmp.Or(cfg.Takes, 5)
	cfg.HalfDone = cmp.Or(cfg.HalfDone, Resume)
	if cfg.Notify == nil {
		cfg.Notify = func(Notice) {}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	b := &Batch{
		cfg: cfg, store: store, runner: runner, changed: make(chan struct{}),
		sites: cmp.Or(cfg.Sites, NewSites(cfg.PerSite, cfg.SitePause)),
	}
	b.states, b.byKey = recall(store.Jobs(), store.entries)
	for _, s := range b.states {
		if s.phase != over {
			b.left++
		}
	}
	b.meter.began = time.Now()
	return b
}

// Again has jobs that ended in one of the classes done once more: those of a class
// that goes on with its run, from there. It gives how many. Call it before Run.
func (b *Batch) Again(classes ...Class) (int, error) {
	var jobs []*state
	var entries []entry
	for _, s := range b.states {
		if s.ending != nil && slices.Contains(classes, s.ending.Class) {
			jobs = append(jobs, s)
			entries = append(entries, entry{Kind: reopened, Job: s.Key(), Run: s.ending.Run, Fresh: !s.ending.Class.goesOn()})
		}
	}
	if len(jobs) == 0 {
		return 0, nil
	}
	if err := b.store.ledger.append(entries...); err != nil {
		return 0, err
	}
	b.mu.Lock()
	defer b.unlock()
	for i, s := range jobs {
		if entries[i].Fresh {
			b.store.setAside(entries[i].Run)
		}
		s.take(entries[i])
	}
	b.left += len(jobs)
	return len(jobs), nil
}

// Run does what is left until every job has its ending, and gives what the batch came
// to. The error wraps ErrStopped when it cannot go on; cancelling ctx ends the
// runs under way as interrupted, to go on the next time.
func (b *Batch) Run(ctx context.Context) (Summary, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b.cancel = cancel
	b.mu.Lock()
	b.drained = closed(b.cfg.Drain)
	if err := b.takeUp(ctx); err != nil {
		b.stop(err)
	}
	b.unlock()
	b.aside.Go(func() { b.listen(ctx) })
	var workers sync.WaitGroup
	for range b.cfg.Workers {
		workers.Go(func() {
			for s := b.next(ctx); s != nil; s = b.next(ctx) {
				b.attempt(ctx, s)
			}
		})
	}
	workers.Wait()
	cancelled := ctx.Err() != nil
	cancel(nil)
	b.aside.Wait()
	sum, err := b.Conclude()
	b.mu.Lock()
	defer b.unlock()
	switch {
	case b.stopped != nil:
		return sum, errors.Join(b.stopped, err)
	case cancelled && sum.Remaining > 0:
		return sum, errors.Join(context.Cause(ctx), err)
	}
	return sum, err
}

// listen passes on that the batch is to be drained, or cancelled.
func (b *Batch) listen(ctx context.Context) {
	select {
	case <-b.cfg.Drain:
	case <-ctx.Done():
	}
	b.mu.Lock()
	b.drained = true
	b.change()
	b.unlock()
}

// stop ends the batch, and with it what is under way.
func (b *Batch) stop(err error) {
	if b.stopped == nil {
		b.stopped = fmt.Errorf("%w: %w", ErrStopped, err)
		b.cancel(b.stopped)
	}
	b.change()
}

// notify has something told as soon as nothing is held.
func (b *Batch) notify(n Notice) { b.notices = append(b.notices, n) }

// unlock frees the batch and tells what happened meanwhile, in its order. Who is told may
// ask the batch.
func (b *Batch) unlock() {
	defer b.mu.Unlock()
	if b.telling {
		return // whoever does goes on with these
	}
	b.telling = true
	for len(b.notices) > 0 {
		notices := b.notices
		b.notices = nil
		b.mu.Unlock()
		for _, n := range notices {
			b.cfg.Notify(n)
		}
		b.mu.Lock()
	}
	b.telling = false
}

// change wakes everyone who waits for one.
func (b *Batch) change() {
	close(b.changed)
	b.changed = make(chan struct{})
}

var spaces = regexp.MustCompile(`\s+`)

// line is a text in one line.
func line(text string) string { return spaces.ReplaceAllString(strings.TrimSpace(text), " ") }

// closed reports whether a channel is; nil never is.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
