package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"fara/agent"
	"fara/env"
	"fara/trajectory"
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

// Ask shows what is asked and reads one line, or more until one is an answer. The
// browser's events go on being handled meanwhile, and ctx ends the wait.
func (t *terminal) Ask(ctx context.Context, asked trajectory.Asked) (trajectory.Replied, error) {
	forget(int(t.in.Fd()))
	for say := question(asked); ; say = "Please answer " + choices(asked) + ": " {
		fmt.Fprint(t.out, say)
		line, err := t.line(ctx)
		if err != nil {
			return trajectory.Replied{}, err
		}
		if reply, ok := understand(asked, line); ok {
			return reply, nil
		}
	}
}

// blindfolded is a person who cannot see the browser, and so can solve no captcha
// in it.
type blindfolded struct{ agent.User }

// Ask asks about everything else.
func (b blindfolded) Ask(ctx context.Context, asked trajectory.Asked) (trajectory.Replied, error) {
	if asked.Captcha != "" {
		return trajectory.Replied{}, agent.ErrNobody
	}
	return b.User.Ask(ctx, asked)
}

// question is what is put to the person. The model's and the page's words in it
// cannot move the cursor.
func question(asked trajectory.Asked) string {
	switch {
	case asked.Approval != nil:
		return fmt.Sprintf("\nMay this be done? %s\n  %s\n  on %s\nAnswer %s: ", plain(asked.Question), plain(describe(asked.Approval)), plain(asked.Approval.URL), choices(asked))
	case asked.Captcha != "":
		return fmt.Sprintf("\n%s.\nAnswer %s: ", plain(asked.Question), choices(asked))
	}
	return fmt.Sprintf("\nThe model asks: %s\nYour answer (an empty one gives the task up): ", plain(asked.Question))
}

func choices(asked trajectory.Asked) string {
	if asked.Captcha != "" {
		return "yes when it is done, or no"
	}
	return "yes, no, or site for all of this kind on this site"
}

// describe says what exactly waits: the action, where, and what it reaches.
func describe(a *trajectory.Approval) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)", a.Action.Kind, strings.Join(a.Classes, ", "))
	if a.Action.Point != nil {
		fmt.Fprintf(&b, " at %v", *a.Action.Point)
	}
	if a.Action.Kind == env.Type {
		fmt.Fprintf(&b, " %d characters", utf8.RuneCountInString(a.Action.Text))
	}
	if len(a.Action.Keys) > 0 {
		fmt.Fprintf(&b, " %s", strings.Join(a.Action.Keys, "+"))
	}
	if el := a.Hit; el != nil {
		fmt.Fprintf(&b, " on %s %q", cmp.Or(el.Role, el.Tag), el.Name)
		if el.Form != nil && el.Form.Action != "" {
			fmt.Fprintf(&b, ", which sends a form to %s", el.Form.Action)
		}
	}
	return b.String()
}

// understand takes a line for an answer; it reports false when it is none.
func understand(asked trajectory.Asked, line string) (trajectory.Replied, bool) {
	reply := trajectory.Replied{By: trajectory.Person}
	if asked.Approval == nil && asked.Captcha == "" {
		reply.Text = line
		return reply, true
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		reply.Choice = trajectory.Yes
	case "n", "no":
		reply.Choice = trajectory.No
	case "s", "site":
		reply.Choice = trajectory.AlwaysHere
	}
	return reply, reply.Choice != "" && !(reply.Choice == trajectory.AlwaysHere && asked.Captcha != "")
}

// line reads one line; one that cannot come any more is nobody.
func (t *terminal) line(ctx context.Context) (string, error) {
	if t.lines == nil {
		t.lines = make(chan string)
		// A read from a terminal cannot be interrupted: this one ends with the
		// program, or with the input.
		go read(t.in, t.lines)
	}
	select {
	case line, ok := <-t.lines:
		if !ok {
			return "", agent.ErrNobody
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
