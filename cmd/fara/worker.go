package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fara/batch"
	"fara/batch/queue"
	"fara/trajectory"
)

// workerFlags say what a machine does of other machines' batches.
type workerFlags struct {
	runFlags
	queue   queueFlags
	out     string
	workers int
	outage  time.Duration
	wait    time.Duration
	name    string
	flags   *pflag.FlagSet
}

func (p *program) workerCmd() *cobra.Command {
	var w workerFlags
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Do tasks of a batch that another machine has",
		Long: "Take tasks from the queue that fara batch --nats filled, do them with this machine's\n" +
			"browser and model servers, and send the runs back. A task is off the queue only when\n" +
			"its run is stored; one whose worker is lost comes to another. What shapes a run comes\n" +
			"with the batch; flags here are about this machine. The first Ctrl-C lets what is under\n" +
			"way end, the second gives it back.",
		Example: `  fara worker --nats nats://queue.lan:4222 --endpoint http://127.0.0.1:11434 --workers 2`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := w.check(); err != nil {
				return err
			}
			return p.worker(cmd.Context(), &w)
		},
	}
	w.flags = cmd.Flags()
	w.register(cmd.Flags())
	return cmd
}

func (w *workerFlags) register(f *pflag.FlagSet) {
	var all pflag.FlagSet
	all.SetNormalizeFunc(spelling)
	w.runFlags.register(&all)
	for _, name := range append([]string{"json"}, ofMachine...) {
		if one := all.Lookup(name); one != nil {
			f.AddFlag(one)
		}
	}
	w.queue.register(f, "the `address` of the NATS server with the queue, such as nats://host:4222")
	f.StringVar(&w.out, "out", "fara_worker", "the `folder` for runs under way")
	f.IntVar(&w.workers, "workers", 1, "the most runs at a time")
	f.DurationVar(&w.outage, "outage-limit", 10*time.Minute, "the longest wait for a model server when all are gone")
	f.DurationVar(&w.wait, "wait", time.Minute, "the longest wait for a queue that is not there yet")
	host, _ := os.Hostname() // empty is a name too
	f.StringVar(&w.name, "name", cmp.Or(host, "worker"), "what this worker is called in results")
	f.Lookup("name").DefValue = "this machine's name"
}

func (w *workerFlags) check() error {
	switch {
	case w.queue.url == "":
		return usage("--nats is missing; give the address that fara batch --nats has, such as nats://host:4222")
	case strings.HasPrefix(w.queue.url, embedded):
		return usage("--nats needs the address of the batch's queue, such as nats://host:4222")
	case w.workers < 1:
		return usage("--workers %d is too small; it takes 1 or more", w.workers)
	case w.outage < 0 || w.wait < 0:
		return usage("--outage-limit and --wait cannot be negative")
	}
	return w.queue.check()
}

// worker does tasks until the batch's queue is gone.
func (p *program) worker(ctx context.Context, w *workerFlags) error {
	show := p.board(&batchFlags{runFlags: runFlags{json: w.json}})
	return p.quiet().work(ctx, w, show, w.watch)
}

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

// work sits down at the queue and does its tasks.
func (p *program) work(ctx context.Context, w *workerFlags, show *board, telemetry telemetryFlags) error {
	log := slog.New(slog.NewTextHandler(show, &slog.HandlerOptions{Level: slog.LevelWarn}))
	watch, err := telemetry.open(show, log, p.getenv)
	if err != nil {
		return err
	}
	defer watch.close()
	p.fleet = newFleet(show, watch)
	cfg := w.queue.config(p.fleet.log)
	cfg.Wait = w.wait
	cfg.Notify = func(_ bool, err error) {
		if errors.Is(err, queue.ErrNoQueue) {
			show.say("waiting for a batch at %s", w.queue.name)
		}
	}
	c := &crew{program: p, flags: w, show: show, drain: make(chan struct{})}
	if c.bench, err = queue.Join(ctx, cfg, w.name); err != nil {
		return queueError(err)
	}
	defer c.bench.Close()
	if err := c.agree(); err != nil {
		return err
	}
	p.stops.first(func() {
		show.say("fara: what is under way is finished, and nothing more taken; once more gives it back")
		close(c.drain)
	})
	defer p.stops.first(nil)
	show.say("%s works for batch %s (%s)", w.name, c.terms.Batch, c.bench.Batch.Text)
	return c.run(ctx)
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
	rep, dir, err := c.do(ctx, job)
	if err != nil {
		back, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if errors.Is(err, queue.ErrTaken) {
			return nil
		}
		return errors.Join(err, ignoring(job.Release(back, 0), queue.ErrTaken))
	}
	return c.deliver(ctx, job, rep, dir)
}

func ignoring(err, what error) error {
	if errors.Is(err, what) {
		return nil
	}
	return err
}

// deliver sends what came of a job, and clears up behind it.
func (c *crew) deliver(ctx context.Context, job *queue.Job, rep report, dir string) error {
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
	c.show.say("%s: %s (%s) after %d steps", cut(plain(job.Key), 60), rep.Result.Status, rep.Result.Reason, rep.Result.Steps)
	if rep.Folder != "" { // the batch's to take away
		return nil
	}
	return tidy(dir, rep.Result.Run)
}

// tidy removes what a job left here but the runs of attempts that came to nothing.
func tidy(dir, run string) error {
	if _, err := os.Stat(filepath.Join(dir, "attempts")); err != nil {
		return os.RemoveAll(dir)
	}
	if run == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(dir, run))
}

// do does a job in a folder of its own, which is a batch of one: so what a worker was
// doing when it ended goes on when the same machine gets the job again.
func (c *crew) do(ctx context.Context, job *queue.Job) (report, string, error) {
	var raw payload
	if err := json.Unmarshal(job.Data, &raw); err != nil || raw.Job.Key() != job.Key {
		return damaged(fmt.Errorf("what the queue holds for %s is no job", job.Key)), "", nil
	}
	dir := c.place(job.Key)
	if err := job.Poisoned(); err != nil {
		return report{Report: batch.PoisonedReport(err)}, "", nil
	}
	if _, err := os.Stat(dir); job.Notes != nil && err != nil {
		return report{Report: batch.UncertainReport(string(job.Notes))}, "", nil
	}
	store, err := batch.Open(dir, batch.Plan{Source: "queue", Tasks: []batch.Task{raw.Job.Task}, Samples: raw.Job.Sample, Only: raw.Job.Sample, Fara: version})
	if err != nil {
		return report{}, dir, err
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
		return report{}, dir, cause(ctx, err)
	}
	rep, ok := one.ReportOf()
	if !ok {
		return report{}, dir, fmt.Errorf("%s has no ending", job.Key)
	}
	return report{Report: rep}, dir, nil
}

// notice shows what happens on the way; endings are shown when they are delivered.
func (c *crew) notice(n batch.Notice) {
	if n.Ending == nil {
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
