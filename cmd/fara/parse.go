package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"fara/dialect"
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
	cmd := &cobra.Command{
		Use:   "parse",
		Short: "Show what a model's reply is taken for",
		Long: "Read one reply of a model on stdin and print one JSON object: its thoughts, the call with\n" +
			"canonical names and the model's own coordinates, and the repairs that were made; or why\n" +
			"there is no call that can be used, and exit code 3.",
		Example: `  fara parse < reply.txt`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			d, err := dialect.Get(name)
			if err != nil {
				return usage("--dialect: %w", err)
			}
			text, err := io.ReadAll(p.stdin)
			if err != nil {
				return fmt.Errorf("stdin: %w", err)
			}
			return p.parse(d, string(text))
		},
	}
	cmd.Flags().StringVar(&name, "dialect", "fara-1.5", "how the model speaks")
	return cmd
}

func (p *program) parse(d dialect.Dialect, text string) error {
	actions := make([]env.Kind, len(d.Actions))
	for i, a := range d.Actions {
		actions[i] = a.Name
	}
	result, err := d.Parse(model.Reply{Text: text}, actions)
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
