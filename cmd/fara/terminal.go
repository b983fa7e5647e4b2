package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// terminal puts the model's questions to the person at the keyboard.
type terminal struct {
	in    *os.File
	out   io.Writer
	lines chan string
}

// newTerminal gives nil when nobody sits there: input comes from a file or a
// pipe, so nobody could answer.
func newTerminal(in *os.File, out io.Writer) *terminal {
	if in == nil || !term.IsTerminal(int(in.Fd())) {
		return nil
	}
	return &terminal{in: in, out: out}
}

// Ask shows a question and reads one line. The browser's events go on being
// handled meanwhile, and ctx ends the wait.
func (t *terminal) Ask(ctx context.Context, question string) (string, error) {
	forget(int(t.in.Fd()))
	fmt.Fprintf(t.out, "\nThe model asks: %s\nYour answer (an empty one gives the task up): ", plain(question))
	if t.lines == nil {
		t.lines = make(chan string)
		// A read from a terminal cannot be interrupted: this one ends with the
		// program, or with the input.
		go read(t.in, t.lines)
	}
	select {
	case line, ok := <-t.lines:
		if !ok {
			return "", nil
		}
		return line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func read(in io.Reader, lines chan<- string) {
	defer close(lines)
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			lines <- line
		}
		if err != nil {
			return
		}
	}
}
