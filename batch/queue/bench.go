package queue

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Bench is a worker's place at a queue. A worker with several browsers may call Next
// from several goroutines, or sit at several benches.
type Bench struct {
	// Batch is what the queue says of the batch it serves.
	Batch Batch

	line
	worker        string
	id            string
	ackWait       time.Duration
	maxDeliveries int
	consumer      jetstream.Consumer
	stopSigns     func()

	mu    sync.Mutex
	hands map[*Job]bool
}

// Join connects to the server and finds the queue, waiting up to Config.Wait for one,
// of which Config.Notify hears as ErrNoQueue. The worker is called by name in the
// reasons of jobs that fail; give each its own.
//
// Errors: ErrConfig, ErrUnreachable, ErrDenied, ErrNoJetStream, ErrNoQueue.
func Join(ctx context.Context, cfg Config, worker string) (*Bench, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	c, err := connect(ctx, cfg, "worker "+worker)
	if err != nil {
		return nil, err
	}
	b := &Bench{line: line{conn: c}, worker: worker, id: rand.Text(), hands: map[*Job]bool{}}
	if err := b.find(ctx); err != nil {
		c.close()
		return nil, err
	}
	b.sign()
	b.stopSigns = every(max(b.ackWait/3, pause), func(context.Context) { b.sign() })
	return b, nil
}

// find waits for the queue and reads what it says.
func (b *Bench) find(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, b.cfg.Wait)
	defer cancel()
	for said := false; ; said = true {
		err := b.sit(limited)
		if err == nil {
			b.cfg.Notify(true, nil)
			return nil
		}
		if !errors.Is(err, ErrNoQueue) {
			return orCause(ctx, err)
		}
		if !said {
			b.cfg.Logger.Info("waiting for the queue of a batch", "err", err)
			b.cfg.Notify(true, err)
		}
		if !nap(limited, max(pause, min(time.Second, b.cfg.Wait/10))) {
			return orCause(ctx, fmt.Errorf("%w; start the batch with this address first", err))
		}
	}
}

// sit tries once to read all that the bench needs.
func (b *Bench) sit(ctx context.Context) error {
	b.names.queue = b.cfg.Name
	var jobs jetstream.Stream
	err := b.try(ctx, func(ctx context.Context) (err error) {
		jobs, err = b.js.Stream(ctx, b.names.jobs())
		return err
	})
	if err != nil {
		return b.explain(err)
	}
	b.names = namesOf(b.cfg.Name, jobs.CachedInfo().Config.Metadata[metaID])
	if err := b.open(ctx); err != nil {
		return err
	}
	a, err := b.about(ctx)
	if err != nil {
		return err
	}
	b.Batch, b.maxDeliveries = Batch{ID: a.ID, Text: a.Text, Data: a.Data}, a.MaxDeliveries
	err = b.try(ctx, func(ctx context.Context) (err error) {
		b.consumer, err = b.jobs.Consumer(ctx, b.workers())
		return err
	})
	if err != nil {
		return b.explain(err)
	}
	b.ackWait = b.consumer.CachedInfo().Config.AckWait
	return nil
}

// Next waits for a job and takes it. From then on it is this worker's until Done or
// Release, as long as the worker can be heard of: see Config.AckWait. Look at
// Job.Poisoned before it is begun.
//
// Next ends with ErrNoQueue once the batch has removed its queue, with ErrDenied or
// ErrClosed, or with the cause of ctx's end; lost connections are waited for.
func (b *Bench) Next(ctx context.Context) (*Job, error) {
	for {
		msg, err := b.next(ctx, b.consumer, 2*time.Second)
		if err != nil {
			return nil, err
		}
		if msg == nil {
			continue
		}
		j, err := b.take(ctx, msg)
		if err != nil {
			_ = msg.Nak()
			return nil, err
		}
		if j != nil {
			b.keep(j)
			return j, nil
		}
	}
}

// take makes a job of a message and notes who has it. A job that is done already is
// taken off the queue: no job and no error.
func (b *Bench) take(ctx context.Context, msg jetstream.Msg) (*Job, error) {
	meta, err := msg.Metadata()
	if err != nil {
		return nil, err
	}
	j := &Job{Data: msg.Data(), Key: unescape(msg.Headers().Get(headKey)), bench: b, msg: msg, number: meta.Sequence.Stream}
	j.after, _ = strconv.ParseUint(msg.Headers().Get(headAfter), 10, 64)
	done, err := b.last(ctx, b.results, b.result(j.Key))
	if err != nil {
		return nil, err
	}
	if seqOf(done) != j.after {
		return nil, j.acknowledge(ctx)
	}
	for {
		r, seq, err := b.readRecord(ctx, j.Key, j.number)
		if err != nil {
			return nil, err
		}
		j.Notes, j.Takes, j.Delivery = r.Note, r.Takes, len(r.Takes)+1
		j.id = rand.Text()
		r.Takes = append(r.Takes[:len(r.Takes):len(r.Takes)], Take{ID: j.id, Worker: b.worker, At: time.Now().UTC()})
		if j.seq, err = b.writeRecord(ctx, j.Key, r, seq); err == nil {
			j.record = r
			return j, nil
		}
		if !overtaken(err) {
			return nil, err
		}
	}
}

// keep sees that the job stays this worker's.
func (b *Bench) keep(j *Job) {
	j.lost = make(chan struct{})
	j.since = time.Now().UTC()
	j.stop = every(max(b.ackWait/3, pause), j.extend)
	b.mu.Lock()
	b.hands[j] = true
	b.mu.Unlock()
	b.sign()
}

func (b *Bench) letGo(j *Job) {
	j.stop()
	b.mu.Lock()
	delete(b.hands, j)
	b.mu.Unlock()
	b.sign()
}

// sign tells that the worker is there and what it holds, once and without waiting for
// an answer.
func (b *Bench) sign() { b.say(sign{Worker: b.worker}) }

func (b *Bench) say(s sign) {
	b.mu.Lock()
	var keys []string
	for j := range b.hands {
		keys = append(keys, j.Key)
		if s.Since.IsZero() || j.since.Before(s.Since) {
			s.Since = j.since
		}
	}
	b.mu.Unlock()
	s.Key = strings.Join(keys, " ")
	if data, err := json.Marshal(s); err == nil {
		_ = b.nc.Publish(b.names.worker(b.id), data)
	}
}

// Close leaves the queue. A job still held comes to another worker after AckWait; give
// it back with Release to spare the wait.
func (b *Bench) Close() {
	b.stopSigns()
	b.mu.Lock()
	held := b.hands
	b.hands = map[*Job]bool{}
	b.mu.Unlock()
	for j := range held {
		j.stop()
	}
	b.say(sign{Worker: b.worker, Left: true})
	_ = b.nc.FlushTimeout(pause)
	b.close()
}
