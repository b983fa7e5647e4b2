package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fara/secret"
)

// version is set when a release is built.
var version = "dev"

// program is one call of the command with everything it may touch.
type program struct {
	args           []string
	stdin          *os.File
	stdout, stderr io.Writer
	getenv         func(string) string
	secrets        *secret.Store // what is never printed; nil is nothing
	terminal       any           // what stderr is before anything goes through it
	stops          *stops        // how the user ends it; nil is by ctx alone
	fleet          *fleet        // what the runs of a batch share; nil for a run on its own
}

// run does what the arguments say and gives the exit code. Whatever goes wrong
// is one line on stderr.
func (p *program) run(ctx context.Context) int {
	p.terminal = p.stderr
	root := p.root()
	root.SetArgs(withRun(p.args))
	err := root.ExecuteContext(ctx)
	if err != nil && err.Error() != "" {
		fmt.Fprintln(p.stderr, "fara:", cut(p.secrets.Clean(err.Error()), 2000))
	}
	return codeOf(err)
}

// withRun lets the flags of fara-cli, which knows no subcommands, go straight
// to run.
func withRun(args []string) []string {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") {
		return args
	}
	switch args[0] {
	case "-h", "--help", "-v", "--version":
		return args
	}
	return append([]string{"run"}, args...)
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "fara",
		Short:         "Let a local vision model use a real browser",
		Long:          "fara lets a local vision model, served by Ollama, vLLM or any OpenAI-compatible server,\nuse a real Chromium with mouse and keyboard, and writes down everything it does.",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("fara {{.Version}}\n")
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.SetGlobalNormalizationFunc(spelling)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w; %s --help lists the flags", err, cmd.CommandPath())
	})
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(helpCmd())
	for _, cmd := range []*cobra.Command{p.runCmd(), p.resumeCmd(), p.batchCmd(), p.workerCmd(), p.judgeCmd(), p.replayCmd(), p.importCmd(), p.parseCmd(), p.promptCmd(), p.exportCmd(), p.calibrateCmd(), p.doctorCmd(), p.demoCmd()} {
		cmd.Args = usageArgs(cmd.Args)
		cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return fromEnvironment(cmd.Flags(), p.getenv) }
		run := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error { return coded(run(cmd, args)) }
		root.AddCommand(cmd)
	}
	root.SetHelpTemplate(root.HelpTemplate() + "\n" + exitHelp + "\n\nEvery flag can also be given by the environment: --max-steps as FARA_MAX_STEPS.\n")
	return root
}

// aliases are flags of fara-cli that have another name here.
var aliases = map[string]string{
	"start-page":    "url",
	"output-folder": "out",
	"max-rounds":    "max-steps",
	"base-url":      "endpoint",
	"cdp-url":       "cdp",
}

// spelling makes - and _ the same in flag names, and aliases what they stand for.
func spelling(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	name = strings.ReplaceAll(name, "_", "-")
	if ours, ok := aliases[name]; ok {
		name = ours
	}
	return pflag.NormalizedName(name)
}

// usageArgs gives a wrong number of arguments the exit code of wrong usage.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check == nil {
			return nil
		}
		if err := check(cmd, args); err != nil {
			return usage("%w; %s --help says how it is used", err, cmd.CommandPath())
		}
		return nil
	}
}

// given reports whether a flag stands on the command line, and not only in the
// environment.
func given(flags *pflag.FlagSet, name string) bool {
	f := flags.Lookup(name)
	return f != nil && f.Changed && len(f.Annotations[fromVariable]) == 0
}

// fromVariable marks a flag whose value comes from the environment.
const fromVariable = "fara_variable"

// fromEnvironment fills every flag that was not given from its variable.
func fromEnvironment(flags *pflag.FlagSet, getenv func(string) string) error {
	var err error
	flags.VisitAll(func(f *pflag.Flag) {
		name := "FARA_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value := getenv(name)
		if err != nil || f.Changed || value == "" || f.Name == "help" {
			return
		}
		if setErr := flags.Set(f.Name, value); setErr != nil {
			err = usage("%s=%q: %w", name, value, setErr)
			return
		}
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[fromVariable] = []string{name}
	})
	return err
}
