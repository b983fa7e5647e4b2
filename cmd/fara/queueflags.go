package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"fara/batch/queue"
	"fara/batch/queue/natsd"
)

// queueFlags say through which queue jobs go to workers on other machines.
type queueFlags struct {
	url, name, credentials, shared string
	ackWait                        time.Duration
	replicas                       int
}

// embedded is --nats without an address: a server inside the program.
const embedded = "embedded"

func (q *queueFlags) register(f *pflag.FlagSet, help string) {
	f.StringVar(&q.url, "nats", "", help)
	f.StringVar(&q.name, "queue", "fara", "the queue's name on that server; each batch needs one of its own")
	f.StringVar(&q.credentials, "nats-creds", "", "a `file` with credentials for the NATS server")
	f.StringVar(&q.shared, "shared", "", "a `folder` that the batch and its workers see under the same path: runs go through it instead of through the queue")
}

func (q *queueFlags) config(log *slog.Logger) queue.Config {
	return queue.Config{URL: q.url, Name: q.name, Credentials: q.credentials, AckWait: q.ackWait, Replicas: q.replicas, Logger: log}
}

// check makes the shared folder's path a whole one.
func (q *queueFlags) check() error {
	if q.shared == "" {
		return nil
	}
	var err error
	if q.shared, err = filepath.Abs(q.shared); err != nil {
		return usage("--shared: %w", err)
	}
	return nil
}

// raise starts the server inside the program when that is asked for. The caller closes
// it; nil needs none.
func (q *queueFlags) raise(ctx context.Context, dir string, log *slog.Logger) (*natsd.Server, error) {
	listen, own := strings.CutPrefix(q.url, embedded)
	if !own {
		return nil, nil
	}
	s, err := natsd.Start(ctx, natsd.Config{Listen: strings.TrimPrefix(listen, "="), Dir: dir, Logger: log})
	if err != nil {
		return nil, queueError(err)
	}
	q.url = s.URL()
	return s, nil
}

// queueError gives what is wrong with a queue its exit code: 2 for what the user can
// say otherwise, 5 for a server that is of no use.
func queueError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, queue.ErrConfig), errors.Is(err, queue.ErrOtherBatch), errors.Is(err, queue.ErrTooLarge), errors.Is(err, natsd.ErrConfig),
		errors.Is(err, natsd.ErrBusy), errors.Is(err, natsd.ErrInUse):
		return usage("--nats: %w", err)
	case errors.Is(err, queue.ErrUnreachable), errors.Is(err, queue.ErrDenied), errors.Is(err, queue.ErrNoJetStream), errors.Is(err, queue.ErrNoQueue):
		return &exitError{exitModel, err}
	}
	return err
}

// own reports whether the server is to be inside the program.
func (q *queueFlags) own() bool { return strings.HasPrefix(q.url, embedded) }
