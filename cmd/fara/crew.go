package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fara/batch"
	"fara/batch/queue"
	"fara/trajectory"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// crew are the runs that a machine does at a time for a queue.
type crew struct {
	program *program
	flags   *workerFlags
	bench   *queue.Bench
	terms   terms
	sites   *batch.Sites
	drain   chan struct{}
	show    *board
}

// agree reads what the batch wants of its workers.
func (c *crew) agree() error {
	if err := json.Unmarshal(c.bench.Batch.Data, &c.terms); err != nil || c.terms.Batch == "" {
		return usage("the queue %s is not one of fara batch's; give another --queue", c.flags.queue.name)
	}
	c.sites = batch.NewSites(c.terms.PerSite, c.terms.SitePause)
	return nil
}

// run takes jobs until there are none any more.
func (c *crew) run(ctx context.Context) error {
	taking, stop := context.WithCancelCause(ctx) // ends the waiting for jobs
	defer stop(nil)
	go func() {
		select {
		case <-c.drain:
			stop(errDrained)
		case <-taking.Done():
		}
	}()
	var all sync.WaitGroup
	var once sync.Once
	var failed error
	for range c.flags.workers {
		all.Go(func() {
			for {
				err := c.next(ctx, taking)
				if err == nil {
					continue
				}
				once.Do(func() { failed = err })
				stop(err) // one that cannot go on takes the others with it
				return
			}
		})
	}
	all.Wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(failed, errDrained):
		return exit(exitInterrupted)
	case errors.Is(failed, queue.ErrNoQueue): // the batch is done
		c.show.say("the batch has ended")
		return nil
	}
	return queueError(failed)
}

var errDrained = errors.New("nothing more is taken")

// next takes a job and does it.
func (c *crew) next(ctx, taking context.Context) error {
	job, err := c.bench.Next(taking)
	if err != nil {
		return cause(taking, err)
	}
	dir := c.place(job.Key)
	raw := payload{Job: batch.Job{Task: batch.Task{ID: job.Key}}}
	if err := json.Unmarshal(job.Data, &raw); err != nil || raw.Job.Key() != job.Key {
		return c.deliver(ctx, job, raw.Job, damaged(fmt.Errorf("what the queue holds for %s is no job", job.Key)), dir)
	}
	rep, err := c.do(ctx, job, raw, dir)
	if err != nil {
		return c.giveBack(ctx, job, err)
	}
	return c.deliver(ctx, job, raw.Job, rep, dir)
}

// giveBackLimit bounds telling the queue that a job is not done here.
const giveBackLimit = 10 * time.Second

// giveBack leaves a job to others, and gives why this worker cannot do it; nil when
// another one has it already.
func (c *crew) giveBack(ctx context.Context, job *queue.Job, why error) error {
	if errors.Is(why, queue.ErrTaken) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackLimit)
	defer cancel()
	if err := job.Release(ctx, 0); err != nil && !errors.Is(err, queue.ErrTaken) {
		return errors.Join(why, err)
	}
	return why
}

// deliver sends what came of a job, and clears up behind it.
func (c *crew) deliver(ctx context.Context, job *queue.Job, one batch.Job, rep report, dir string) error {
	folder := ""
	if rep.Result.Run != "" {
		folder = filepath.Join(dir, rep.Result.Run)
	}
	if shared := c.flags.queue.shared; shared != "" && folder != "" {
		var err error
		if rep.Folder, err = filepath.Rel(shared, folder); err != nil {
			return err
		}
		folder = ""
	}
	data, err := json.Marshal(rep)
	if err != nil {
		return err
	}
	err = job.Done(ctx, data, folder)
	switch {
	case errors.Is(err, queue.ErrTaken):
		c.show.say("%s: another worker had it meanwhile; this run is left in %s", plain(job.Key), dir)
		return nil
	case err != nil:
		return cause(ctx, err)
	}
	c.tell(batch.Notice{Ending: &batch.Ending{Job: one, Class: rep.Class, Run: rep.Result.Run, Attempts: rep.Attempts, Result: rep.Result}})
	if rep.Folder != "" { // the batch's to take away
		return nil
	}
	return tidy(dir, rep.Result.Run)
}

// tidy removes what a job left here but the runs of attempts that came to nothing.
func tidy(dir, run string) error {
	if _, err := os.Stat(filepath.Join(dir, batch.AsideDir)); err != nil {
		return os.RemoveAll(dir)
	}
	if run == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(dir, run))
}

// do does a job in a folder of its own, which is a batch of one: so what a worker was
// doing when it ended goes on when the same machine gets the job again.
func (c *crew) do(ctx context.Context, job *queue.Job, raw payload, dir string) (report, error) {
	if err := job.Poisoned(); err != nil {
		return report{Report: batch.PoisonedReport(err)}, nil
	}
	if _, err := os.Stat(dir); job.Notes != nil && err != nil {
		return report{Report: batch.UncertainReport(string(job.Notes))}, nil
	}
	store, err := batch.Open(dir, batch.Plan{Source: "queue", Tasks: []batch.Task{raw.Job.Task}, Samples: raw.Job.Sample, Only: raw.Job.Sample, Fara: version})
	if err != nil {
		return report{}, err
	}
	defer store.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-job.Lost():
			cancel(queue.ErrTaken)
		case <-ctx.Done():
		}
	}()
	flags := func(p *program, _ batch.Job) (*runFlags, error) { return c.flags.unpack(p, raw, c.flags.files()) }
	r := &noting{runner{c.program, flags, c.terms.Batch, c.flags.outage}, job, cancel}
	one := batch.New(batch.Config{Retries: c.terms.Retries, HalfDone: c.terms.HalfDone, Takes: c.terms.Takes, Sites: c.sites, Notify: c.notice, Logger: c.program.fleet.log}, store, r)
	if _, err = one.Run(ctx); err != nil {
		return report{}, cause(ctx, err)
	}
	rep, ok := one.ReportOf()
	if !ok {
		return report{}, fmt.Errorf("%s has no ending", job.Key)
	}
	return report{Report: rep}, nil
}

// notice shows what happens on the way; endings are told when they are delivered.
func (c *crew) notice(n batch.Notice) {
	if n.Ending == nil {
		c.show.notice(n)
	}
}

// tell shows an ending, unless the batch itself does.
func (c *crew) tell(n batch.Notice) {
	if !c.flags.ofBatch {
		c.show.notice(n)
	}
}

// files holds the files that come with jobs.
func (w *workerFlags) files() string { return filepath.Join(w.base(), "files") }

// base is where runs are under way.
func (w *workerFlags) base() string {
	if w.queue.shared != "" {
		return filepath.Join(w.queue.shared, w.name)
	}
	return w.out
}

// place is a job's folder.
func (c *crew) place(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(c.flags.base(), c.terms.Batch, hex.EncodeToString(sum[:12]))
}

// noting has the queue know of what a run does in the world before it does it, so that
// nobody does it once more when this worker is lost.
type noting struct {
	runner
	job    *queue.Job
	cancel context.CancelCauseFunc
}

// Do implements batch.Runner.
func (n *noting) Do(ctx context.Context, a batch.Attempt) (trajectory.Result, error) {
	tell := a.Event
	a.Event = func(e trajectory.Event) {
		tell(e)
		if d := e.Decided; d != nil && d.Allowed && len(d.Classes) > 0 {
			what := fmt.Sprintf("step %d (%s)", e.Step, strings.Join(d.Classes, ", "))
			if err := n.job.Note(ctx, []byte(what)); err != nil {
				n.cancel(err)
			}
		}
	}
	return n.runner.Do(ctx, a)
}
