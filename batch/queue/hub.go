package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Batch is what a queue is told of the batch that it serves.
type Batch struct {
	// ID tells the batch from all others; a queue that holds another is refused.
	ID string
	// Text says to people what the batch is.
	Text string
	// Data is what every worker needs to know, such as settings.
	Data []byte
}

// Metadata of the jobs' stream, which says whose the queue is.
const (
	metaID   = "fara-batch-id"
	metaText = "fara-batch-text"
)

// Hub is the side of a queue that has the jobs. Its methods may be called from several
// goroutines, Collect by one at a time.
type Hub struct {
	line
}

// Open connects to the server and makes the queue of a batch, or finds it again, with
// its jobs and uncollected results, if it was made before. Batch.Data and the settings
// of cfg take the place of earlier ones.
//
// Errors: ErrConfig, ErrUnreachable, ErrDenied, ErrNoJetStream, ErrTooLarge and
// ErrOtherBatch, an OtherBatchError.
func Open(ctx context.Context, cfg Config, b Batch) (*Hub, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	if b.ID == "" {
		return nil, fmt.Errorf("%w: the batch has no ID", ErrConfig)
	}
	c, err := connect(ctx, cfg, "batch")
	if err != nil {
		return nil, err
	}
	h := &Hub{line{conn: c, names: namesOf(cfg.Name, b.ID)}}
	if err := h.build(ctx, b); err != nil {
		c.close()
		return nil, err
	}
	return h, nil
}

// build makes what is missing. The jobs' stream comes first since it says whose the
// queue is, the description last since workers wait for it.
func (h *Hub) build(ctx context.Context, b Batch) error {
	if err := h.claim(ctx, b); err != nil {
		return err
	}
	if err := h.try(ctx, func(ctx context.Context) error { return h.furnish(ctx, b) }); err != nil {
		return err
	}
	if err := h.open(ctx); err != nil {
		return err
	}
	if err := h.sweep(ctx, 2*stalled); err != nil {
		return err
	}
	data, err := json.Marshal(about{ID: b.ID, Text: b.Text, Data: b.Data, MaxDeliveries: h.cfg.MaxDeliveries})
	if err != nil {
		return err
	}
	return h.overwrite(ctx, h.description(), data)
}

// claim makes the jobs' stream, or sees that it is this batch's.
func (h *Hub) claim(ctx context.Context, b Batch) error {
	config := h.stream(h.names.jobs(), "job", b)
	config.Retention = jetstream.WorkQueuePolicy
	return h.try(ctx, func(ctx context.Context) error {
		s, err := h.js.Stream(ctx, config.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			s, err = h.js.CreateStream(ctx, config)
			if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // somebody was faster
				s, err = h.js.Stream(ctx, config.Name)
			}
		}
		if err != nil {
			return err
		}
		if meta := s.CachedInfo().Config.Metadata; meta[metaID] != b.ID {
			return &OtherBatchError{Name: h.queue, ID: or(meta[metaID], "one not made by this program"), Text: or(meta[metaText], "no description")}
		}
		_, err = h.js.UpdateStream(ctx, config)
		return err
	})
}

// furnish makes or updates everything beside the jobs' stream.
func (h *Hub) furnish(ctx context.Context, b Batch) error {
	results := h.stream(h.names.results(), "result", b)
	results.MaxMsgsPerSubject = 1
	state := h.stream(h.names.state(), "*", b)
	state.Subjects = []string{h.subject("held", "*"), h.subject("worker", "*"), h.description()}
	state.MaxMsgsPerSubject = 1
	for _, s := range []jetstream.StreamConfig{results, state} {
		if _, err := h.js.CreateOrUpdateStream(ctx, s); err != nil {
			return fmt.Errorf("stream %s: %w", s.Name, err)
		}
	}
	_, err := h.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: h.names.folders(), Description: description(b), Storage: jetstream.FileStorage, Replicas: h.cfg.Replicas})
	if err != nil {
		return fmt.Errorf("bucket %s: %w", h.names.folders(), err)
	}
	_, err = h.js.CreateOrUpdateConsumer(ctx, h.names.jobs(), jetstream.ConsumerConfig{
		Durable: h.workers(), AckPolicy: jetstream.AckExplicitPolicy, AckWait: h.cfg.AckWait,
		MaxDeliver: -1, MaxAckPending: -1, MaxWaiting: 4096})
	return err
}

func (h *Hub) stream(name, kind string, b Batch) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: name, Subjects: []string{h.subject(kind, "*")}, Description: description(b),
		Storage: jetstream.FileStorage, Replicas: h.cfg.Replicas,
		Metadata: map[string]string{metaID: b.ID, metaText: cut(b.Text)},
	}
}

// description is short enough for what a server keeps with a stream.
func description(b Batch) string { return cut("fara batch " + b.Text) }

func cut(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), 1000)], "")
}

// Publish puts a job into the queue. A job that is there already, or whose result waits
// to be collected, stays as it is, however long ago it was published; after its result
// was collected the same key is a new job.
//
// Errors: ErrTooLarge, ErrNoQueue (removed meanwhile), ErrDenied, ErrClosed, or the
// cause of ctx's end; without a connection it waits for one until ctx ends.
func (h *Hub) Publish(ctx context.Context, key string, data []byte) error {
	m := nats.NewMsg(h.job(key))
	m.Header.Set(headKey, escape(key))
	m.Data = data
	for {
		result, err := h.last(ctx, h.results, h.result(key))
		if err != nil {
			return fmt.Errorf("job %s: %w", key, err)
		}
		if result != nil && result.Header.Get(headCollected) == "" {
			return nil
		}
		m.Header.Set(headAfter, strconv.FormatUint(seqOf(result), 10))
		_, err = h.post(ctx, m, 0)
		if err == nil {
			return nil
		}
		if !overtaken(err) {
			return fmt.Errorf("job %s: %w", key, err)
		}
		if open, err := h.undone(ctx, m.Subject); err != nil || open {
			return err
		}
	}
}

// undone reports whether a job's subject holds one that is to be done. A job whose
// result is there, but whose worker was lost before it could acknowledge it, is deleted.
func (h *Hub) undone(ctx context.Context, subject string) (bool, error) {
	job, err := h.last(ctx, h.jobs, subject)
	if err != nil || job == nil {
		return false, err
	}
	key := unescape(job.Header.Get(headKey))
	result, err := h.last(ctx, h.results, h.result(key))
	if err != nil {
		return false, err
	}
	if strconv.FormatUint(seqOf(result), 10) == job.Header.Get(headAfter) {
		return true, nil
	}
	err = h.try(ctx, func(ctx context.Context) error { return h.jobs.DeleteMsg(ctx, job.Sequence) })
	if errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
		err = nil // acknowledged meanwhile
	}
	return false, h.explain(err)
}

// Close ends the connection. The queue stays, and workers go on with it.
func (h *Hub) Close() { h.close() }

// Remove deletes the queue of this batch. Unless every job is done and its result
// collected it is left as it is: ErrUnfinished. Collect must have ended.
func (h *Hub) Remove(ctx context.Context) error {
	if err := h.collected(ctx); err != nil {
		return err
	}
	return h.drop(ctx)
}

// Drop deletes the queue of a batch with everything in it, finished or not. The queue
// of another batch is ErrOtherBatch; none is no error.
func Drop(ctx context.Context, cfg Config, id string) error {
	cfg, err := cfg.complete()
	if err != nil {
		return err
	}
	c, err := connect(ctx, cfg, "batch")
	if err != nil {
		return err
	}
	defer c.close()
	l := line{conn: c, names: namesOf(cfg.Name, id)}
	return l.try(ctx, func(ctx context.Context) error {
		s, err := c.js.Stream(ctx, l.names.jobs())
		if gone(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if meta := s.CachedInfo().Config.Metadata; meta[metaID] != id {
			return &OtherBatchError{Name: cfg.Name, ID: meta[metaID], Text: meta[metaText]}
		}
		return l.drop(ctx)
	})
}

// drop deletes the parts of the queue, last the one that says whose it is.
func (l *line) drop(ctx context.Context) error {
	for _, name := range []string{l.names.state(), l.names.results(), "OBJ_" + l.names.folders(), l.names.jobs()} {
		err := l.try(ctx, func(ctx context.Context) error { return l.js.DeleteStream(ctx, name) })
		if err != nil && !gone(err) {
			return fmt.Errorf("delete the stream %s: %w", name, err)
		}
	}
	return nil
}
