package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Result is what a worker made of a job.
type Result struct {
	// Key is the job's, Data what the worker said, Worker its name.
	Key    string
	Data   []byte
	Worker string

	line   *line
	folder string
	take   string
	job    string
}

// HasFolder reports whether a folder came with the result.
func (r Result) HasFolder() bool { return r.folder != "" }

// Collect gives each result to take, which stores it for good, and takes it off the
// queue only after that returned nil or ErrAlready. A result comes again if the process
// ended in between, so take must first look whether it has it. Any other error of take
// ends Collect with that error; the result stays for the next Collect.
//
// Lost connections are waited for. Collect ends with the cause of ctx's end, or with
// ErrNoQueue, ErrDenied or ErrClosed.
func (h *Hub) Collect(ctx context.Context, take func(context.Context, Result) error) error {
	consumer, err := h.consume(ctx)
	if err != nil {
		return err
	}
	for {
		msg, err := h.next(ctx, consumer, 2*time.Second)
		if err != nil {
			return err
		}
		if msg == nil {
			continue
		}
		if err := h.handle(ctx, msg, take); err != nil {
			return err
		}
	}
}

// collected reads what the last Collect left, which may be marks only: ErrUnfinished
// if there is a result or a job.
func (h *Hub) collected(ctx context.Context) error {
	var info *jetstream.StreamInfo
	err := h.try(ctx, func(ctx context.Context) (err error) {
		info, err = h.jobs.Info(ctx, jetstream.WithSubjectFilter(h.subject("job", "*")))
		return err
	})
	if err != nil {
		return h.explain(err)
	}
	for subject := range info.State.Subjects {
		open, err := h.undone(ctx, subject)
		if err != nil {
			return err
		}
		if open {
			return fmt.Errorf("%w: jobs of %s are not done", ErrUnfinished, h.queue)
		}
	}
	consumer, err := h.consume(ctx)
	if err != nil {
		return err
	}
	for left := consumer.CachedInfo().NumPending; left > 0; left-- {
		msg, err := h.next(ctx, consumer, requestLimit)
		if err != nil || msg == nil {
			return err
		}
		err = h.handle(ctx, msg, func(_ context.Context, r Result) error {
			return fmt.Errorf("%w: the result of %s in %s was not collected", ErrUnfinished, r.Key, h.queue)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// consume makes the collector's consumer anew, so that it begins with everything that
// is there: a result that an earlier collector had in its hands comes at once.
func (h *Hub) consume(ctx context.Context) (c jetstream.Consumer, err error) {
	err = h.try(ctx, func(ctx context.Context) error {
		if err := h.results.DeleteConsumer(ctx, h.collector()); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return err
		}
		c, err = h.results.CreateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: h.collector(), AckPolicy: jetstream.AckExplicitPolicy, AckWait: 30 * time.Second, MaxAckPending: -1})
		return err
	})
	return c, h.explain(err)
}

// next waits up to limit for a message; nil is none.
func (l *line) next(ctx context.Context, c jetstream.Consumer, limit time.Duration) (msg jetstream.Msg, err error) {
	err = l.try(ctx, func(context.Context) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		asking, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		msg, err = c.Next(jetstream.FetchContext(asking))
		if ctx.Err() == nil && (asking.Err() != nil || errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrInvalidOption)) {
			err = nil // nothing came, or the time is up in this moment
		}
		if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrConsumerDeleted) {
			return l.missing(ctx, c, err)
		}
		return err
	})
	return msg, l.explain(err)
}

// missing finds out why nobody answered for a consumer: it is gone, or, what err says,
// cannot answer now.
func (l *line) missing(ctx context.Context, c jetstream.Consumer, err error) error {
	limited, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	if _, asked := c.Info(limited); gone(asked) {
		return asked
	}
	return err
}

// handle does one message of the results' stream to its end.
func (h *Hub) handle(ctx context.Context, msg jetstream.Msg, take func(context.Context, Result) error) error {
	meta, err := msg.Metadata()
	if err != nil {
		return err
	}
	head := msg.Headers()
	r := Result{Key: unescape(head.Get(headKey)), Data: msg.Data(), Worker: unescape(head.Get(headWorker)),
		line: &h.line, folder: head.Get(headFolder), take: head.Get(headTake), job: head.Get(headJob)}
	if head.Get(headCollected) != "" {
		if err := h.clear(ctx, r); err != nil {
			return err
		}
		return h.acknowledge(ctx, msg)
	}
	stop := every(10*time.Second, func(context.Context) { _ = msg.InProgress() })
	err = take(ctx, r)
	stop()
	if err != nil && !errors.Is(err, ErrAlready) {
		return err
	}
	if err := h.mark(ctx, r, meta.Sequence.Stream); err != nil {
		return err
	}
	return h.acknowledge(ctx, msg)
}

// mark puts the mark of a collected result in the result's place. The mark comes to the
// collector like a result, and only then the folder is deleted, so nothing is left
// behind if the process ends in between.
func (h *Hub) mark(ctx context.Context, r Result, seq uint64) error {
	m := nats.NewMsg(h.result(r.Key))
	m.Header.Set(headKey, escape(r.Key))
	m.Header.Set(headCollected, "1")
	m.Header.Set(headTake, r.take)
	m.Header.Set(headJob, r.job)
	if r.folder != "" {
		m.Header.Set(headFolder, r.folder)
	}
	if _, err := h.post(ctx, m, seq); err != nil && !overtaken(err) {
		return fmt.Errorf("result of %s: %w", r.Key, err)
	}
	return nil
}

// acknowledge is done once: a message that comes again does no harm.
func (h *Hub) acknowledge(ctx context.Context, msg jetstream.Msg) error {
	limited, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	if err := msg.DoubleAck(limited); err != nil {
		h.cfg.Logger.Debug("acknowledgement lost", "err", err)
	}
	return nil
}

// every calls f again and again until stop, which ends f's context and waits for it.
func every(d time.Duration, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for nap(ctx, d) {
			f(ctx)
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
