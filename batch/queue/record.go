package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// Take says that a worker took a job and did not give it back.
type Take struct {
	// ID tells the take from all others.
	ID string `json:"id"`
	// Worker is the name of the one who took it, At when, by the worker's clock.
	Worker string    `json:"worker"`
	At     time.Time `json:"at"`
}

// record is what the state keeps of a job: who has taken it, the holder last, and the
// newest note. Each change of it is accepted only from the one who knows the newest
// version, so a worker that lost its job without noticing learns it with its next one.
type record struct {
	// Job is the number of the job's message; another number is another job with the
	// same key, to which nothing here belongs.
	Job   uint64 `json:"job"`
	Takes []Take `json:"takes"`
	Note  []byte `json:"note,omitempty"`
}

// readRecord gives the record of the job, empty if there is none, and the number its
// subject stands at.
func (l *line) readRecord(ctx context.Context, key string, job uint64) (r record, seq uint64, err error) {
	fresh := record{Job: job}
	msg, err := l.last(ctx, l.state, l.held(key))
	if err != nil || msg == nil {
		return fresh, 0, err
	}
	if err := json.Unmarshal(msg.Data, &r); err != nil {
		return fresh, 0, fmt.Errorf("the record of %s in the queue %s: %w", key, l.queue, err)
	}
	if r.Job != job {
		return fresh, msg.Sequence, nil
	}
	return r, msg.Sequence, nil
}

// writeRecord is overtaken(err) if the subject stands at another number than after,
// unless what stands there is r itself, from a try whose answer was lost.
func (l *line) writeRecord(ctx context.Context, key string, r record, after uint64) (seq uint64, err error) {
	data, err := json.Marshal(r)
	if err != nil {
		return 0, err
	}
	seq, err = l.post(ctx, &nats.Msg{Subject: l.held(key), Data: data}, after)
	if !overtaken(err) {
		return seq, err
	}
	msg, lookErr := l.last(ctx, l.state, l.held(key))
	if lookErr != nil {
		return 0, lookErr
	}
	if msg != nil && slices.Equal(msg.Data, data) {
		return msg.Sequence, nil
	}
	return 0, err
}
