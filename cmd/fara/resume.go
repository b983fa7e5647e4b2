package main

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fara/agent"
	"fara/dialect"
	"fara/trajectory"
)

// resumeFlags say how a run goes on.
type resumeFlags struct {
	runFlags
	answer, approval string
}

func (p *program) resumeCmd() *cobra.Command {
	var flags resumeFlags
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that stopped",
		Long: "Go on with the run in the folder RUN where it stopped, also after it was killed: with\n" +
			"its history, budgets and settings, and the page, cookies and storage of its browser.\n" +
			"What was done is not done again. Flags given here change the run's own settings.",
		Example: `  fara resume fara_runs/20260102-101500-1a2b3c4d
  fara resume fara_runs/20260102-101500-1a2b3c4d --approval yes
  fara resume fara_runs/20260102-101500-1a2b3c4d --answer "the green one"
  fara resume fara_runs/20260102-101500-1a2b3c4d --max-steps 200`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := p.resume(cmd, &flags, args[0])
			if err != nil {
				return err
			}
			return exit(codeOfStatus(result))
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().StringVar(&flags.answer, "answer", "", "the answer to the question that the run waits with")
	cmd.Flags().StringVar(&flags.approval, "approval", "", "whether the action that the run waits with may be done: yes, no, or site for all of its kind on that site")
	for _, name := range []string{"url", "out", "dialect", "prompt-file", "calibration", "constrain", "tools", "viewport", "max-images", "num-ctx", "temperature", "seed", "trim"} {
		cmd.Flags().Lookup(name).Hidden = true // a run keeps them
	}
	return cmd
}

// fixed are flags that shape the prompts or frames of a run, which one that goes on
// must keep.
var fixed = []string{"url", "dialect", "prompt-file", "calibration", "constrain", "tools", "viewport", "max-images", "num-ctx", "temperature", "seed", "trim", "frame-format"}

// resume goes on with a run. Until everything is found to be right, nothing in its
// folder changes.
func (p *program) resume(cmd *cobra.Command, f *resumeFlags, dir string) (trajectory.Result, error) {
	run, err := trajectory.Read(dir)
	if err != nil {
		return trajectory.Result{}, usage("%w", err)
	}
	if run.Task.Imported != nil {
		return trajectory.Result{}, usage("%s was imported and cannot be gone on with, for its browser is not known; start a new run with fara run", dir)
	}
	for _, name := range fixed {
		if given(cmd.Flags(), name) {
			return trajectory.Result{}, usage("--%s cannot be changed in a run that goes on; start a new one with fara run", name)
		}
	}
	if err := f.fits(run); err != nil {
		return trajectory.Result{}, err
	}
	if err := p.keepSecrets(&f.secrets, run.Task.Secrets); err != nil {
		return trajectory.Result{}, err
	}
	if err := f.secrets.unknownTo(run.Task.Secrets); err != nil {
		return trajectory.Result{}, err
	}
	writer, run, err := trajectory.Reopen(dir, f.secrets.clean())
	if err != nil {
		return trajectory.Result{}, usage("%w", err)
	}
	defer writer.Close() // which is nothing new to a run that has ended
	f.secrets.recall(run.Events)
	if err := takeSettings(cmd.Flags(), run.Task.Flags); err != nil {
		return trajectory.Result{}, err
	}
	f.kept = run.Task.Files
	if err := f.resolve(cmd.Flags(), []string{run.Task.Task}); err != nil {
		return trajectory.Result{}, err
	}
	if run.Task.Browser == "attached" && f.browser.cdp == "" {
		return trajectory.Result{}, usage("the run used a browser that was not its own; give its address again with --cdp")
	}
	return p.goOn(cmd.Context(), f, run, writer)
}

// fits says whether the run can go on, and with what was given.
func (f *resumeFlags) fits(run *trajectory.Run) error {
	switch err := agent.Over(run.Events); {
	case errors.Is(err, agent.ErrOver):
		if err := complete(run); err != nil {
			return err
		}
		return usage("%s has ended (%s, %s) and has nothing left to go on with; start a new run with fara run", run.Dir, run.Result.Status, run.Result.Reason)
	case err != nil:
		return usage("%s: %w", run.Dir, err)
	}
	asked := agent.Waiting(run.Events)
	switch {
	case f.approval != "" && !slices.Contains([]string{"yes", "no", "site"}, f.approval):
		return usage("--approval %q is unknown; use yes, no or site", f.approval)
	case f.approval != "" && (asked == nil || asked.Approval == nil):
		return usage("the run does not wait for an approval; leave --approval out")
	case f.approval != "" && asked.Expires != nil && !time.Now().Before(*asked.Expires):
		return usage("the approval expired at %s, and its action is not done any more; leave --approval out, and the model may propose it anew", asked.Expires.Format(time.RFC3339))
	case f.answer != "" && (asked == nil || asked.Approval != nil || asked.Captcha != ""):
		return usage("the run does not wait for an answer; leave --answer out")
	}
	return nil
}

// complete writes the result that a crash left out.
func complete(run *trajectory.Run) error {
	if run.HasResult {
		return nil
	}
	w, _, err := trajectory.Reopen(run.Dir, nil)
	if err != nil {
		return usage("%w", err)
	}
	return w.Complete()
}

// goOn does what is left of a run.
func (p *program) goOn(ctx context.Context, f *resumeFlags, run *trajectory.Run, writer *trajectory.Writer) (trajectory.Result, error) {
	d, err := dialect.Restore(run.Events[0].Started.Speech)
	if err != nil {
		return trajectory.Result{}, usage("%s: %w", run.Dir, err)
	}
	j, err := p.ready(ctx, &f.runFlags, func() (dialect.Dialect, error) { return d, nil })
	if err != nil {
		return trajectory.Result{}, err
	}
	state, err := run.State()
	if err != nil {
		return trajectory.Result{}, err
	}
	j.task = run.Task
	if err := p.watched(j); err != nil {
		return trajectory.Result{}, err
	}
	defer j.unwatched()
	j.state, j.writer, j.abandon = state, writer, writer.Close
	j.user = &foretold{next: j.user, about: agent.Waiting(run.Events), text: strings.TrimSpace(f.answer), choice: trajectory.Choice(f.approval)}
	return p.drive(ctx, j)
}

// foretold is a person whose answer to what waited is known already.
type foretold struct {
	next   agent.User
	about  *trajectory.Asked // nil when nothing waited
	text   string
	choice trajectory.Choice
}

// Ask gives the answer that is known, once and only to what it is for.
func (a *foretold) Ask(ctx context.Context, asked trajectory.Asked) (trajectory.Replied, error) {
	switch {
	case a.about != nil && a.text+string(a.choice) != "" && asked.Question == a.about.Question && reflect.DeepEqual(asked.Approval, a.about.Approval):
		a.about = nil
		return trajectory.Replied{By: trajectory.Person, Text: a.text, Choice: a.choice}, nil
	case a.next == nil:
		return trajectory.Replied{}, agent.ErrNobody
	}
	return a.next.Ask(ctx, asked)
}
