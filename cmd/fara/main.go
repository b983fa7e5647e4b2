// Command fara lets a local vision model use a real browser.
//
// This package reads flags, wires the others together and turns endings into
// exit codes; it decides nothing about a run.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// errInterrupted is the cause of a context that Ctrl-C cancelled.
var errInterrupted = errors.New("interrupted")

func main() {
	stops := &stops{}
	ctx, stop := stops.heed(context.Background())
	code := (&program{
		args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, stops: stops,
	}).run(ctx)
	stop()
	os.Exit(code)
}

// stops are the user's wishes to end: Ctrl-C, SIGTERM or SIGHUP.
type stops struct {
	mu    sync.Mutex
	drain func()
}

// first has the first of them call this instead of ending what is under way; the
// next one does that then. nil takes it back.
func (s *stops) first(drain func()) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drain = drain
}

// heed gives a context that the first wish cancels, or the second when the first one
// drains. The one after that ends the program at once: the browser dies with it.
func (s *stops) heed(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	// Whoever reads our output may stop; the run goes on and is recorded.
	signal.Ignore(syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		drained := false
		for {
			select {
			case <-signals:
			case <-done:
				return
			}
			s.mu.Lock()
			drain := s.drain
			s.mu.Unlock()
			switch {
			case ctx.Err() != nil:
				os.Exit(exitInterrupted)
			case drain != nil && !drained:
				drained = true
				drain()
			default:
				fmt.Fprintln(os.Stderr, "fara: ending the run; once more to stop at once")
				cancel(errInterrupted)
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}
