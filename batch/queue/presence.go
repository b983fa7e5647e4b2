package queue

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

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
