// Package commandtest runs commands in tests: what they print can be read while
// they run, and they end with their test at the latest.
package commandtest

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// patience is how long a command may take to follow the signal that ends it with
// its test.
const patience = 20 * time.Second

// Command is a running command.
type Command struct {
	*exec.Cmd
	// Printed and Complained are what it wrote to stdout and stderr, unless Start
	// was given other places for them.
	Printed, Complained Output

	done chan struct{}
}

// Start starts a command. With the test it gets the signal farewell, and is
// killed if it does not follow in time.
func Start(t *testing.T, cmd *exec.Cmd, farewell os.Signal) *Command {
	t.Helper()
	c := &Command{Cmd: cmd, done: make(chan struct{})}
	if cmd.Stdout == nil {
		cmd.Stdout = &c.Printed
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &c.Complained
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.done)
		_ = cmd.Wait() // what matters of it is in the ProcessState
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(farewell)
		select {
		case <-c.done:
		case <-time.After(patience):
			_ = cmd.Process.Kill()
			<-c.done
		}
	})
	return c
}

// Ends waits for the command and gives its exit code. The test fails when it
// still runs after limit.
func (c *Command) Ends(t *testing.T, limit time.Duration) int {
	t.Helper()
	select {
	case <-c.done:
		return c.ProcessState.ExitCode()
	case <-time.After(limit):
		t.Fatalf("it still runs after %v: %s%s", limit, c.Printed.String(), c.Complained.String())
		return 0
	}
}

// Ended is closed when the command has ended.
func (c *Command) Ended() <-chan struct{} { return c.done }

// Output is a text that is written and read at the same time.
type Output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

// String gives what was written so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// Eventually waits until a condition holds. The test fails when it does not
// within limit; what says which condition.
func Eventually(t *testing.T, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, limit)
		}
		<-tick.C
	}
}
