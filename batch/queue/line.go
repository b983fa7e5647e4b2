package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Headers of the messages. Keys and names are escaped, since a header is one line.
const (
	headKey       = "Fara-Key"
	headAfter     = "Fara-After"     // of a job: what the result's subject must stand at
	headTake      = "Fara-Take"      // of a result: the take it came from
	headJob       = "Fara-Job"       // of a result: the number of the job's message
	headWorker    = "Fara-Worker"    // of a result
	headFolder    = "Fara-Folder"    // of a result: the object that holds its folder
	headCollected = "Fara-Collected" // of the mark that stands for a collected result
)

// line is the queue of one batch as both sides see it.
type line struct {
	*conn
	names
	jobs, results, state jetstream.Stream
	folders              jetstream.ObjectStore
}

// about is what a queue says of its batch to workers.
type about struct {
	ID            string `json:"id"`
	Text          string `json:"text"`
	Data          []byte `json:"data,omitempty"`
	MaxDeliveries int    `json:"max_deliveries"`
}

// open finds the streams of the queue. They must be there: ErrNoQueue.
func (l *line) open(ctx context.Context) error {
	err := l.try(ctx, func(ctx context.Context) (err error) {
		if l.jobs, err = l.js.Stream(ctx, l.names.jobs()); err != nil {
			return err
		}
		if l.results, err = l.js.Stream(ctx, l.names.results()); err != nil {
			return err
		}
		if l.state, err = l.js.Stream(ctx, l.names.state()); err != nil {
			return err
		}
		l.folders, err = l.js.ObjectStore(ctx, l.names.folders())
		return err
	})
	return l.explain(err)
}

// explain turns the absence of the queue's parts into ErrNoQueue.
func (l *line) explain(err error) error {
	if gone(err) {
		return fmt.Errorf("%w: %s on %s: %w", ErrNoQueue, l.queue, plain(l.cfg.URL), err)
	}
	return err
}

// post publishes m if its subject's last message is still number after, 0 for none. A
// subject that has moved on is overtaken(err); a queue that is gone is ErrNoQueue.
func (l *line) post(ctx context.Context, m *nats.Msg, after uint64) (seq uint64, err error) {
	if limit := l.nc.MaxPayload(); int64(m.Size()) > limit {
		return 0, fmt.Errorf("%w: %d bytes, its messages hold %d; raise max_payload in the server's configuration", ErrTooLarge, len(m.Data), limit)
	}
	err = l.try(ctx, func(ctx context.Context) error {
		ack, err := l.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(after), jetstream.WithRetryAttempts(0))
		if err == nil {
			seq = ack.Sequence
			return nil
		}
		if errors.Is(err, jetstream.ErrNoStreamResponse) {
			if _, there := l.js.Stream(ctx, l.names.jobs()); gone(there) {
				return there
			}
		}
		return err
	})
	return seq, l.explain(err)
}

// last gives the newest message of a subject, nil if it has none.
func (l *line) last(ctx context.Context, s jetstream.Stream, subject string) (msg *jetstream.RawStreamMsg, err error) {
	err = l.try(ctx, func(ctx context.Context) error {
		msg, err = s.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			msg, err = nil, nil
		}
		return err
	})
	return msg, l.explain(err)
}

// seqOf is the number that a subject stands at: 0 if it has no message.
func seqOf(m *jetstream.RawStreamMsg) uint64 {
	if m == nil {
		return 0
	}
	return m.Sequence
}

// overwrite publishes data on a subject of the state whatever stands there.
func (l *line) overwrite(ctx context.Context, subject string, data []byte) error {
	for {
		msg, err := l.last(ctx, l.state, subject)
		if err != nil {
			return err
		}
		_, err = l.post(ctx, &nats.Msg{Subject: subject, Data: data}, seqOf(msg))
		if !overtaken(err) {
			return err
		}
	}
}

// description reads what the queue says of its batch; ErrNoQueue if nothing yet.
func (l *line) about(ctx context.Context) (a about, err error) {
	msg, err := l.last(ctx, l.state, l.description())
	if err != nil {
		return a, err
	}
	if msg == nil {
		return a, fmt.Errorf("%w: %s on %s is being made", ErrNoQueue, l.queue, plain(l.cfg.URL))
	}
	if err := json.Unmarshal(msg.Data, &a); err != nil {
		return a, fmt.Errorf("the description of the batch in the queue %s: %w", l.queue, err)
	}
	return a, nil
}

func escape(s string) string { return url.QueryEscape(s) }

func unescape(s string) string {
	plain, err := url.QueryUnescape(s)
	if err != nil {
		return s
	}
	return plain
}
