package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"fara/env"
	"fara/model"
	"fara/parse"
)

// parsed is what fara parse prints.
type parsed struct {
	Thoughts string         `json:"thoughts"`
	Call     model.Call     `json:"call"`
	Repairs  []parse.Repair `json:"repairs"`
	Ignored  int            `json:"ignored_calls,omitempty"`
}

// unparsed is what it prints when there is no call.
type unparsed struct {
	Error  string `json:"error"`
	Reason string `json:"reason"`
}

func (p *program) parseCmd() *cobra.Command {
	var name string
	var message bool
	cmd := &cobra.Command{
		Use:   "parse",
		Short: "Show what a model's reply is taken for",
		Long: "Read one reply of a model on stdin and print one JSON object: its thoughts, the call with\n" +
			"canonical names and the model's own coordinates, and the repairs that were made; or why\n" +
			"there is no call that can be used, and exit code 3.\n\n" +
			"--dialect takes a dialect, whose actions alone are allowed, or a form with any action:\n" +
			"tagged (<tool_call> and JSON), text (Action: click(…)) or object (one JSON object).\n" +
			"With --message stdin is a server's answer in JSON, or the message in it: its content,\n" +
			"its thinking and its tool calls are read as in a run.",
		Example: `  fara parse < reply.txt
  fara parse --dialect ui-tars-1.5 < reply.txt
  curl … /v1/chat/completions … | fara parse --message`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			read, err := readingOf(name)
			if err != nil {
				return usage("--dialect: %w", err)
			}
			data, err := io.ReadAll(p.stdin)
			if err != nil {
				return fmt.Errorf("stdin: %w", err)
			}
			reply := model.Reply{Text: string(data)}
			if message {
				if reply, err = readMessage(data); err != nil {
					return usage("stdin is no answer of a server: %w", err)
				}
			}
			return p.parse(read(reply))
		},
	}
	cmd.Flags().StringVar(&name, "dialect", "fara-1.5", "how the model speaks: a dialect or a form")
	cmd.Flags().BoolVar(&message, "message", false, "stdin is a server's answer in JSON")
	return cmd
}

// readingOf gives what reads replies of a dialect, or of a form with all actions.
func readingOf(name string) (func(model.Reply) (parse.Result, error), error) {
	if form := parse.Form(name); slices.Contains(parse.Forms(), form) {
		return func(r model.Reply) (parse.Result, error) {
			return parse.Native(r.Calls, r.Text, r.Thinking, parse.Schema{Form: form, Finish: r.Finish})
		}, nil
	}
	d, err := dialectOf(name)
	if err != nil {
		return nil, err
	}
	actions := make([]env.Kind, len(d.Actions))
	for i, a := range d.Actions {
		actions[i] = a.Name
	}
	return func(r model.Reply) (parse.Result, error) { return d.Parse(r, actions) }, nil
}

func (p *program) parse(result parse.Result, err error) error {
	var wrong *parse.Error
	if errors.As(err, &wrong) {
		writeLine(p.stdout, unparsed{Error: wrong.Text, Reason: string(wrong.Reason)})
		return exit(exitNoSuccess)
	}
	if err != nil {
		return err
	}
	if result.Repairs == nil {
		result.Repairs = []parse.Repair{}
	}
	writeLine(p.stdout, parsed{Thoughts: result.Thoughts, Call: result.Call, Repairs: result.Repairs, Ignored: result.Ignored})
	return nil
}
