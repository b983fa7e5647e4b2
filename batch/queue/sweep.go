package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// clear deletes the folder of a collected result, and those of workers that were lost
// between storing theirs and learning that they were not the first.
func (h *Hub) clear(ctx context.Context, r Result) error {
	if err := h.deleteFolder(ctx, r.folder); err != nil {
		return err
	}
	job, err := strconv.ParseUint(r.job, 10, 64)
	if err != nil {
		return nil // not from a worker of this program
	}
	takes, _, err := h.readRecord(ctx, r.Key, job)
	if err != nil {
		return err
	}
	for _, t := range takes.Takes {
		if err := h.deleteFolder(ctx, h.folder(r.Key, t.ID)); err != nil {
			return err
		}
	}
	return nil
}

// sweep deletes what workers left that were lost in the middle of storing a folder:
// parts that belong to none, and to which nothing was added for a while.
func (l *line) sweep(ctx context.Context, quiet time.Duration) error {
	bucket, info, err := l.parts(ctx)
	if err != nil {
		return l.explain(err)
	}
	known, err := l.known(ctx)
	if err != nil {
		return l.explain(err)
	}
	for subject := range info.State.Subjects {
		if known[subject] {
			continue
		}
		newest, err := l.last(ctx, bucket, subject)
		if err != nil {
			return err
		}
		if newest == nil || info.TimeStamp.Sub(newest.Time) < quiet {
			continue
		}
		err = l.try(ctx, func(ctx context.Context) error { return bucket.Purge(ctx, jetstream.WithPurgeSubject(subject)) })
		if err != nil {
			return fmt.Errorf("parts of a folder that nobody finished: %w", l.explain(err))
		}
	}
	return nil
}

// partsOf is the subject of the parts of a folder, by the number that the bucket gave it.
func (l *line) partsOf(nuid string) string { return "$O." + l.names.folders() + ".C." + nuid }

// parts gives the bucket's stream, and in its state the subjects of all parts.
func (l *line) parts(ctx context.Context) (bucket jetstream.Stream, info *jetstream.StreamInfo, err error) {
	if bucket, err = l.bucket(ctx); err != nil {
		return nil, nil, err
	}
	err = l.try(ctx, func(ctx context.Context) (err error) {
		info, err = bucket.Info(ctx, jetstream.WithSubjectFilter(l.partsOf("*")))
		return err
	})
	return bucket, info, err
}

// known are the subjects of the parts of whole folders.
func (l *line) known(ctx context.Context) (map[string]bool, error) {
	all := map[string]bool{}
	err := l.try(ctx, func(ctx context.Context) error {
		objects, err := l.folders.List(ctx)
		for _, o := range objects {
			all[l.partsOf(o.NUID)] = true
		}
		if errors.Is(err, jetstream.ErrNoObjectsFound) {
			return nil
		}
		return err
	})
	return all, err
}
