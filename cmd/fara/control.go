package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"fara/control"
	"fara/trajectory"
)

// controlFlags say how a run is steered while it goes on.
type controlFlags struct {
	address string
}

func (c *controlFlags) register(f *pflag.FlagSet) {
	f.StringVar(&c.address, "control", "", "let the run be paused, answered and approved over HTTP at this `address`: a port for this machine alone, or host:port (default: not; SIGUSR1 pauses and SIGUSR2 resumes all the same)")
}

// asker is somebody who answers a run's questions.
type asker interface {
	Ask(ctx context.Context, asked trajectory.Asked) (trajectory.Replied, error)
}

// helm is where a run is steered from.
type helm struct {
	control *control.Control
	server  *control.Server // nil without one
	stop    func()          // no more signals
}

// open lets the run of that id be steered: by signals always, over HTTP when that
// was asked for. The caller closes it. The error is wrong usage, and then there is
// nothing to close.
func (c *controlFlags) open(stderr io.Writer, run string, hold control.Hold) (*helm, error) {
	h := &helm{control: control.New(run, hold)}
	if c.address != "" {
		var err error
		if h.server, err = control.Serve(c.address, h.control); err != nil {
			return nil, usage("--control: %w", err)
		}
		fmt.Fprintf(stderr, "control at http://%s with the token %s\n", h.server.Address, h.server.Token)
	}
	h.stop = control.Signals(h.control.Pause, h.control.Resume)
	return h, nil
}

// event takes the run's next event.
func (h *helm) event(e trajectory.Event) { h.control.Event(e) }

// beside gives who answers the run's questions: the one who does without us, nil
// being nobody, and whoever steers the run over HTTP, the first of them. It is nil
// when there is neither.
func (h *helm) beside(user asker) asker {
	switch {
	case h.server == nil:
		return user
	case user == nil:
		return h.control
	}
	return &either{user, h.control}
}

func (h *helm) close() {
	h.stop()
	if h.server != nil {
		h.server.Close()
	}
}

// either is two who are asked at once.
type either [2]asker

// Ask gives the answer of the one who answers first. One who cannot leaves it to the
// other. Neither is asked any more when it returns.
func (e *either) Ask(ctx context.Context, asked trajectory.Asked) (trajectory.Replied, error) {
	both, stop := context.WithCancel(ctx)
	defer stop()
	type result struct {
		reply trajectory.Replied
		err   error
	}
	got := make(chan result, len(e))
	for _, one := range e {
		go func() {
			reply, err := one.Ask(both, asked)
			got <- result{reply, err}
		}()
	}
	first := <-got
	if first.err == nil || ctx.Err() != nil {
		stop()
	}
	second := <-got
	if first.err != nil && second.err == nil {
		return second.reply, nil
	}
	return first.reply, first.err
}
