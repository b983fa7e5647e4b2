package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"fara/batch"
	"fara/batch/queue"
	"fara/batch/taskfile"
)

// report is a result as it comes from a worker.
type report struct {
	batch.Report
	// Folder is the run's below the shared folder; empty when it comes through the
	// queue, or there is none.
	Folder string `json:"folder,omitempty"`
}

// hub is the machine that has the tasks and gathers the runs.
type hub struct {
	program *program
	flags   *batchFlags
	store   *batch.Store
	jobs    *batch.Batch
	show    *board
	queue   *queue.Hub
}

// distribute puts a batch's jobs into a queue, and gathers what workers make of them.
func (p *program) distribute(ctx context.Context, b *batchFlags, file taskfile.File) error {
	if err := b.queue.check(); err != nil {
		return err
	}
	show := p.board(b.lines(p.stdout))
	log := slog.New(slog.NewTextHandler(show, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if b.queue.own() {
		own := p.quiet()
		own.fleet = newFleet(show, &watchers{})
		servers, err := own.findServers(ctx, b, file.Tasks)
		if err != nil {
			return err
		}
		b.workers = b.workerCount(servers)
	}
	store, err := batch.Open(b.out, b.plan(file))
	if err != nil {
		return storeError(err)
	}
	defer store.Close()
	server, err := b.queue.raise(ctx, filepath.Join(store.Dir, natsDir), log)
	if err != nil {
		return err
	}
	if server != nil {
		defer server.Close()
		show.say("the queue is at %s; others join with: fara worker --nats %s", server.URL(), server.URL())
	}
	h := &hub{program: p, flags: b, store: store, show: show}
	if h.queue, err = h.open(ctx, log); err != nil {
		return queueError(err)
	}
	defer h.queue.Close()
	h.jobs = batch.New(batch.Config{Notify: show.notice, Logger: log}, store, nil)
	if _, err := h.jobs.Again(classes(b.repeat)...); err != nil {
		return err
	}
	show.begin(store, h.jobs, h.counts)
	err = h.run(ctx, server != nil)
	sum, concludeErr := h.jobs.Conclude()
	show.end(sum)
	if !b.json {
		textBatch(p.stdout, sum)
	}
	return ending(sum, errors.Join(err, concludeErr), false)
}

// natsDir holds the store of the server inside the program, below the batch's folder.
const natsDir = ".nats"

// open finds or makes the queue.
func (h *hub) open(ctx context.Context, log *slog.Logger) (*queue.Hub, error) {
	b := h.flags
	data, err := json.Marshal(terms{
		Batch: h.store.ID, Retries: b.retries, PerSite: b.perSite, SitePause: b.sitePause, Takes: b.takes,
		HalfDone: batch.HalfDone(b.halfDone),
	})
	if err != nil {
		return nil, err
	}
	cfg := b.queue.config(log)
	cfg.MaxDeliveries = b.takes
	return queue.Open(ctx, cfg, queue.Batch{ID: h.store.ID, Text: fmt.Sprintf("%s, in %s", b.source, h.store.Dir), Data: data})
}

// run publishes what is left, and gathers until nothing is.
func (h *hub) run(ctx context.Context, here bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	left := h.jobs.Left()
	if here && len(left) > 0 {
		workers := h.own()
		stopped := make(chan struct{})
		defer func() { cancel(nil); <-stopped }()
		go func() {
			defer close(stopped)
			if err := h.program.quiet().work(ctx, workers, h.show); err != nil && ctx.Err() == nil {
				cancel(err)
			}
		}()
	}
	go func() {
		for _, j := range left {
			data, err := h.flags.pack(h.program, j)
			if err == nil {
				err = queueError(h.queue.Publish(ctx, j.Key(), data))
			}
			if err != nil {
				cancel(fmt.Errorf("task %s: %w", j.ID, err))
				return
			}
		}
	}()
	if len(left) > 0 {
		err := h.queue.Collect(ctx, h.take)
		if !errors.Is(err, errGathered) {
			return queueError(cause(ctx, err))
		}
	}
	cancel(nil)
	h.drop()
	return nil
}

// drop takes the queue off its server: every job has its ending, so what is still
// there is nothing new.
func (h *hub) drop() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := queue.Drop(ctx, h.flags.queue.config(nil), h.store.ID); err != nil {
		h.show.say("the queue is left on its server: %v", err)
	}
}

// own are the flags of the worker that this machine is itself, beside the server inside
// the program.
func (h *hub) own() *workerFlags {
	w := &workerFlags{flags: h.flags.flags, queue: h.flags.queue, workers: h.flags.workers, outage: h.flags.outage, name: "this machine", ofBatch: true}
	w.out, w.watch, w.json = filepath.Join(h.store.Dir, ".worker"), h.flags.watch, h.flags.json
	return w
}

// errGathered ends the gathering when every job has its ending.
var errGathered = errors.New("all is gathered")

func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// take stores a result. Whatever a worker sends, it ends one job of this batch or
// none.
func (h *hub) take(ctx context.Context, r queue.Result) error {
	err := h.keep(ctx, r)
	if err == nil && h.jobs.Remaining() == 0 {
		return errGathered
	}
	return err
}

func (h *hub) keep(ctx context.Context, r queue.Result) error {
	if !h.jobs.Knows(r.Key) {
		return queue.ErrAlready
	}
	var rep report
	if err := json.Unmarshal(r.Data, &rep); err != nil {
		rep = damaged(fmt.Errorf("what worker %s sent is no result: %w", r.Worker, err))
	}
	if rep.Result.Run != "" {
		if err := h.fetch(ctx, r, &rep); err != nil {
			if ctx.Err() != nil || !errors.Is(err, errDamaged) && !errors.Is(err, queue.ErrFolder) {
				return err
			}
			rep = damaged(err)
		}
	}
	return h.jobs.Gather(r.Key, r.Worker, rep.Report)
}

// counts says who is at the queue.
func (h *hub) counts() (lines []string) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	status, err := h.queue.Pending(ctx)
	if err != nil {
		return []string{"  the queue does not answer: " + line(err.Error())}
	}
	lines = append(lines, fmt.Sprintf("  queue: %d waiting, %d with %d workers", status.Waiting, status.Running, len(status.Workers)))
	for _, w := range status.Workers {
		what := "waits for a task"
		if w.Key != "" {
			what = fmt.Sprintf("%s for %v", w.Key, time.Since(w.Since).Round(time.Second))
		}
		lines = append(lines, fmt.Sprintf("  %s: %s", plain(w.Name), plain(what)))
	}
	return lines
}
