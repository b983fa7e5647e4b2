package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fara/batch/queue"
)

// workerFlags say what a machine does of other machines' batches.
type workerFlags struct {
	runFlags
	queue   queueFlags
	workers int
	outage  time.Duration
	wait    time.Duration
	name    string
	ofBatch bool // the batch is this program's own, and shows the endings
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
	return p.quiet().work(ctx, w, p.board(w.lines(p.stdout)))
}

// work sits down at the queue and does its tasks.
func (p *program) work(ctx context.Context, w *workerFlags, show *board) error {
	log := slog.New(slog.NewTextHandler(show, &slog.HandlerOptions{Level: slog.LevelWarn}))
	watch, err := w.watch.open(show, log, p.getenv)
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
