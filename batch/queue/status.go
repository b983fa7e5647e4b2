package queue

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Status is how a queue stands.
type Status struct {
	// Waiting jobs were never taken; Running ones were and are not done, those that a
	// worker gave back or lost included.
	Waiting, Running int
	// Workers are those that were heard of within twice Config.AckWait.
	Workers []Worker
}

// Worker is somebody at a queue.
type Worker struct {
	// Name is what the worker calls itself; two may have the same.
	Name string
	// Key is the job in its hands, several separated by spaces, empty if it waits for one;
	// Since is when it took the oldest of them, by its own clock.
	Key   string
	Since time.Time
	// Seen is when it was last heard of by the server's clock.
	Seen time.Time
}

// Pending says how the queue stands now.
func (h *Hub) Pending(ctx context.Context) (Status, error) {
	var s Status
	err := h.try(ctx, func(ctx context.Context) error {
		consumer, err := h.jobs.Consumer(ctx, h.workers())
		if err != nil {
			return err
		}
		info := consumer.CachedInfo()
		s.Waiting, s.Running = int(info.NumPending), info.NumAckPending
		return nil
	})
	if err != nil {
		return s, h.explain(err)
	}
	s.Workers, err = h.present(ctx)
	return s, err
}

// sign is what a worker says of itself every third of AckWait.
type sign struct {
	Worker string    `json:"worker"`
	Key    string    `json:"key,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	Left   bool      `json:"left,omitempty"`
}

// present reads the signs of the workers that were given lately.
func (h *Hub) present(ctx context.Context) ([]Worker, error) {
	var info *jetstream.StreamInfo
	err := h.try(ctx, func(ctx context.Context) (err error) {
		info, err = h.state.Info(ctx, jetstream.WithSubjectFilter(h.subject("worker", "*")))
		return err
	})
	if err != nil {
		return nil, h.explain(err)
	}
	now := info.TimeStamp // the server's clock, which also dates the signs
	var all []Worker
	for subject := range info.State.Subjects {
		msg, err := h.last(ctx, h.state, subject)
		if err != nil {
			return nil, err
		}
		var s sign
		if msg == nil || now.Sub(msg.Time) > 2*h.cfg.AckWait || json.Unmarshal(msg.Data, &s) != nil || s.Left {
			continue
		}
		all = append(all, Worker{Name: s.Worker, Key: s.Key, Since: s.Since, Seen: msg.Time})
	}
	slices.SortFunc(all, func(a, b Worker) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}
