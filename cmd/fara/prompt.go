package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fara/dialect"
	"fara/prompt"
	"fara/trajectory"
)

// asked is a request as fara prompt prints it: the frames by their files.
type asked struct {
	Step        int            `json:"step"`
	Messages    []askedMessage `json:"messages"`
	Temperature float64        `json:"temperature"`
	Seed        *int           `json:"seed,omitempty"`
	MaxTokens   int            `json:"max_tokens"`
	Tokens      int            `json:"estimated_tokens"`
	SHA256      string         `json:"request_sha256"`
	// Recorded is the hash that was recorded when the request was sent; empty in a run
	// that another program recorded.
	Recorded string `json:"recorded_sha256"`
}

type askedMessage struct {
	Role   string   `json:"role"`
	Frames []string `json:"frames,omitempty"`
	Text   string   `json:"text"`
}

func (p *program) promptCmd() *cobra.Command {
	m := modelFlags{}
	var viewport string
	var step int
	var asFile bool
	cmd := &cobra.Command{
		Use:   "prompt [RUN]",
		Short: "Show what would be sent to a model",
		Long: "Without a run: print the system prompt of --dialect, from --prompt-file if given, and\n" +
			"say on stderr whether it is byte for byte one that the models' makers published. With\n" +
			"--as-file print the whole dialect as a file: change it, and give it as --dialect FILE.\n" +
			"With a run's folder: print the request of --step as it was sent, as one JSON object, and\n" +
			"check it against the hash that was recorded.",
		Example: "  fara prompt --dialect fara-7b\n  fara prompt --dialect qwen3-vl --as-file > mine.yaml\n  fara prompt fara_runs/20260102-030405-0a1b2c3d --step 3",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return p.promptOfStep(args[0], step)
			}
			size, err := (&browserFlags{viewport: viewport}).size()
			if err != nil {
				return err
			}
			d, err := m.fitted(size)
			if err != nil {
				return err
			}
			picture, err := d.Grid.Fit(d.Viewport)
			if err != nil {
				return err
			}
			if asFile {
				text, err := d.AsFile()
				fmt.Fprintf(p.stdout, "%s", text)
				return err
			}
			fmt.Fprintln(p.stdout, d.System(picture))
			fmt.Fprintf(p.stderr, "dialect %s, for pictures of %v; the prompt is %s\n", d.Name, picture, prompted(d, m.promptFile))
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&m.dialect, "dialect", "fara-1.5", "how the model speaks: a name or a file")
	f.StringVar(&m.promptFile, "prompt-file", "", "a `file` with the system prompt to use in place of ours")
	f.StringVar(&viewport, "viewport", "", "the page's size in CSS pixels as `WxH`")
	f.BoolVar(&asFile, "as-file", false, "print the whole dialect as a file for --dialect")
	f.IntVar(&step, "step", 1, "which step of the run")
	return cmd
}

// promptOfStep computes a request again from a run's folder.
func (p *program) promptOfStep(dir string, step int) error {
	run, err := trajectory.Read(dir)
	if err != nil {
		return usage("%w", err)
	}
	if len(run.Events) == 0 || run.Events[0].Started == nil {
		return usage("the run in %s never began, so it asked nothing", dir)
	}
	before, ok := prompt.Until(run.Events, step)
	if !ok {
		return usage("the run asked nothing in step %d; --step takes 1 to %d", step, lastStep(run))
	}
	d, err := spoken(run.Events[0].Started)
	if err != nil {
		return err
	}
	built, err := prompt.Build(before, d, run.Load)
	if err != nil {
		return err
	}
	out := asked{
		Step: step, Temperature: built.Request.Temperature, Seed: built.Request.Seed, MaxTokens: built.Request.MaxTokens,
		Tokens: built.Tokens, SHA256: prompt.Hash(built.Request), Recorded: run.Events[len(before)].Proposed.Request,
	}
	frames := built.Frames
	for _, m := range built.Request.Messages {
		msg := askedMessage{Role: string(m.Role), Text: m.Text, Frames: frames[:len(m.Images)]}
		frames = frames[len(m.Images):]
		out.Messages = append(out.Messages, msg)
	}
	writeLine(p.stdout, out)
	switch {
	case out.Recorded == "" && run.Task.Imported != nil:
		fmt.Fprintf(p.stderr, "the request as it was sent is not known, for %s recorded the run; this is built from what was imported\n", run.Task.Fara)
	case out.SHA256 != out.Recorded:
		return &exitError{exitInternal, fmt.Errorf("the request differs from the one that was sent: the dialect's words or the run's files have changed since")}
	}
	return nil
}

func lastStep(run *trajectory.Run) int {
	last := 0
	for _, e := range run.Events {
		if e.Kind == trajectory.KindProposed {
			last = e.Step
		}
	}
	return last
}

// spoken is the dialect that a run was done in.
func spoken(began *trajectory.Started) (dialect.Dialect, error) {
	if len(began.Speech) > 0 {
		return dialect.Restore(began.Speech)
	}
	return dialect.Get(began.Dialect)
}
