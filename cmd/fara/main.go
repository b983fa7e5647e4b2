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
	"syscall"
)

// errInterrupted is the cause of a context that Ctrl-C cancelled.
var errInterrupted = errors.New("interrupted")

func main() {
	ctx, stop := interruptible(context.Background())
	code := (&program{
		args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv,
	}).run(ctx)
	stop()
	os.Exit(code)
}

// interruptible gives a context that the first Ctrl-C, SIGTERM or SIGHUP
// cancels. The second one ends the program at once: the browser dies with it.
func interruptible(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	// Whoever reads our output may stop; the run goes on and is recorded.
	signal.Ignore(syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
			fmt.Fprintln(os.Stderr, "fara: ending the run; once more to stop at once")
			cancel(errInterrupted)
		case <-done:
			return
		}
		select {
		case <-signals:
			os.Exit(exitInterrupted)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}
