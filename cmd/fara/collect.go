package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"fara/batch"
	"fara/batch/taskfile"
	"fara/dialect"
	"fara/trajectory"
)

// runner does the runs of a batch.
type runner struct {
	program *program
	flags   func(*program, batch.Job) (*runFlags, error)
	id      string // the batch's
	outage  time.Duration
}

// Do implements batch.Runner.
func (r *runner) Do(ctx context.Context, a batch.Attempt) (trajectory.Result, error) {
	result, err := r.do(ctx, a)
	var lost *unrecorded
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return result, context.Cause(ctx)
	case errors.As(err, &lost):
		return result, err
	}
	return unbegun(a, err), nil
}

func (r *runner) do(ctx context.Context, a batch.Attempt) (trajectory.Result, error) {
	f, err := r.flags(r.program, a.Job)
	if err != nil {
		return trajectory.Result{}, err
	}
	f.out, f.run, f.seen, f.json = a.Dir, a.Run, a.Event, false
	f.sample = &trajectory.Sample{Batch: r.id, Task: a.Job.ID, Number: a.Job.Sample, Meta: a.Job.Meta}
	if a.Resume {
		return r.program.takeUp(ctx, f, filepath.Join(a.Dir, a.Run))
	}
	if missing := r.program.fleet.missing(ctx, f); missing != "" {
		return nowhere(missing), nil
	}
	return r.program.execute(ctx, f)
}

// unbegun is the ending of an attempt that never came to a run, or to its end.
func unbegun(a batch.Attempt, err error) trajectory.Result {
	r := trajectory.Result{
		Version: trajectory.Version, Status: trajectory.Error, Reason: "internal", Message: line(err.Error()), Verified: []string{},
	}
	if a.Resume {
		r.Run = a.Run
	}
	var coded *exitError
	var path *fs.PathError
	switch errors.As(err, &coded); {
	case errors.As(err, &path), errors.Is(err, trajectory.ErrInUse), coded == nil: // which pass
	case coded.code == exitBrowser:
		r.Status, r.Reason = trajectory.BrowserLost, "launch"
	case coded.code == exitModel:
		r.Status, r.Reason = trajectory.ModelUnavailable, "unreachable"
	case coded.code == exitUsage:
		r.Reason = batch.ReasonSettings
	}
	return r
}

// nowhere is the ending of a run whose first page is on a host that does not exist: no
// browser is started to find that out.
func nowhere(host string) trajectory.Result {
	return trajectory.Result{
		Version: trajectory.Version, Status: trajectory.Failure, Reason: "start_url", Verified: []string{},
		Message: host + " could not be opened: the host does not exist (net::ERR_NAME_NOT_RESOLVED), so no browser was started; check --url",
	}
}

func line(text string) string { return strings.Join(strings.Fields(text), " ") }

// Await implements batch.Runner.
func (r *runner) Await(ctx context.Context) error {
	return r.program.fleet.await(ctx, r.outage)
}

// takeUp goes on with a run of a batch in its folder.
func (p *program) takeUp(ctx context.Context, f *runFlags, dir string) (trajectory.Result, error) {
	writer, run, err := trajectory.Reopen(dir, f.secrets.clean())
	if err != nil {
		return trajectory.Result{}, usage("%w", err)
	}
	defer writer.Close()
	f.secrets.recall(run.Events)
	return p.goOn(ctx, &resumeFlags{runFlags: *f}, run, writer)
}

// quiet is the program for runs that others show.
func (p *program) quiet() *program {
	own := *p
	own.stdout, own.stderr, own.stdin = io.Discard, io.Discard, nil
	return &own
}

// collect does a batch's jobs, and shows what comes of them.
func (p *program) collect(ctx context.Context, b *batchFlags, file taskfile.File) error {
	show := p.board(b.lines(p.stdout))
	watch, err := b.watch.open(p.stderr, slog.New(slog.NewTextHandler(show, nil)), p.getenv)
	if err != nil {
		return err
	}
	defer watch.close()
	own := p.quiet()
	own.fleet = newFleet(show, watch)
	servers, err := own.findServers(ctx, b, file.Tasks)
	if err != nil {
		return err
	}
	store, err := batch.Open(b.out, b.plan(file))
	if err != nil {
		return storeError(err)
	}
	defer store.Close()
	drain := make(chan struct{})
	p.stops.first(func() {
		fmt.Fprintln(show, "fara: what is under way is finished, and nothing more begun; once more ends it")
		close(drain)
	})
	defer p.stops.first(nil)
	jobs := batch.New(batch.Config{
		Workers: b.workerCount(servers), Retries: b.retries, PerSite: b.perSite, SitePause: b.sitePause,
		HalfDone: batch.HalfDone(b.halfDone), Takes: b.takes, Drain: drain, Notify: show.notice, Logger: own.logger(),
	}, store, &runner{own, b.job, store.ID, b.outage})
	if _, err := jobs.Again(classes(b.repeat)...); err != nil {
		return err
	}
	show.begin(store, jobs, own.fleet.counts)
	sum, err := jobs.Run(ctx)
	show.end(sum)
	if !b.json {
		textBatch(p.stdout, sum)
	}
	return ending(sum, err, drained(drain))
}

func drained(drain <-chan struct{}) bool {
	select {
	case <-drain:
		return true
	default:
		return false
	}
}

func classes(names []string) []batch.Class {
	var all []batch.Class
	for _, n := range names {
		all = append(all, batch.Class(n))
	}
	return all
}

// findServers asks the model servers that tasks need about themselves, and finds what
// cannot work with them, before anything begins. It gives how many there are.
func (p *program) findServers(ctx context.Context, b *batchFlags, tasks []batch.Task) (int, error) {
	asked := false
	for _, t := range tasks {
		if asked && len(t.Flags) == 0 { // as the one before
			continue
		}
		asked = asked || len(t.Flags) == 0
		f, err := b.job(p, batch.Job{Task: t, Sample: 1})
		if err != nil {
			return 0, err
		}
		size, err := f.browser.size()
		if err != nil {
			return 0, err
		}
		ready, err := p.ready(ctx, f, func() (dialect.Dialect, error) { return f.model.fitted(size) })
		if err != nil {
			return 0, fmt.Errorf("task %s: %w", t.ID, err)
		}
		ready.server.leave()
	}
	return p.fleet.size(), nil
}

// ending gives a batch its exit code.
func ending(sum batch.Summary, err error, drained bool) error {
	switch {
	case errors.Is(err, batch.ErrStopped):
		var coded *exitError
		if errors.As(err, &coded) {
			return &exitError{coded.code, err}
		}
		return err
	case err != nil && !errors.Is(err, errInterrupted):
		return err
	case err != nil, drained && sum.Remaining > 0:
		return exit(exitInterrupted)
	case sum.Ended < sum.Jobs, !collected(sum):
		return exit(exitNoSuccess)
	}
	return nil
}

// collected reports whether every run came to an ending that the model and its task
// are answerable for.
func collected(sum batch.Summary) bool {
	return sum.Classes[batch.Done]+sum.Classes[batch.Person] == sum.Ended
}
