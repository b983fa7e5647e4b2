package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fara/policy"
	"fara/replay"
	"fara/trajectory"
)

// replayFlags say how a run is played again.
type replayFlags struct {
	browser browserFlags
	sites   siteFlags
	secrets secretFlags

	sets, bases, compare []string
	tolerance            float64
	wait                 time.Duration
	approval, out        string
	list, keepGoing      bool
	json                 bool

	own   []string      // the run's settings that a replay has too
	rules policy.Policy // what all of them come to
}

func (p *program) replayCmd() *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:   "replay RUN",
		Short: "Play a run's input again, without a model",
		Long: "Do once more what the run in the folder RUN did, without asking a model, in a new\n" +
			"browser that is set up as the run's was, and compare: the address, what is under the\n" +
			"pointer before each action, and the picture. It waits for the page to be what it was,\n" +
			"stops at the first difference, and names its step. OUT gets a folder with replay.json\n" +
			"and report.html, where the run's frames stand beside those of now.\n\n" +
			"What the run typed can be changed: --list shows the names, --set gives new values. The\n" +
			"fields of new values are not compared; where they show elsewhere is a difference, which\n" +
			"--compare url,hit leaves out.\n\n" +
			"The run's own rules hold. What a person has to be asked about, or had to be in the run\n" +
			"(sending forms, buying, paying, deleting ...), is not done again unless somebody at the\n" +
			"terminal or --approval yes on the command line says so: the replay stops before it.",
		Example: `  fara replay fara_runs/20260102-101500-1a2b3c4d
  fara replay fara_runs/20260102-101500-1a2b3c4d --list
  fara replay fara_runs/20260102-101500-1a2b3c4d --set "First name=Grace" --compare url,hit
  fara replay fara_runs/20260102-101500-1a2b3c4d --base http://localhost:8080=http://localhost:9090`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.replay(cmd, &flags, args[0])
		},
	}
	flags.register(cmd.Flags())
	return cmd
}

func (f *replayFlags) register(set *pflag.FlagSet) {
	f.browser.register(set)
	f.sites.register(set)
	set.VisitAll(func(flag *pflag.Flag) { f.own = append(f.own, flag.Name) })
	f.secrets.register(set)
	set.StringArrayVar(&f.sets, "set", nil, "another text to type, as `NAME=VALUE` (may be repeated)")
	set.BoolVar(&f.list, "list", false, "only show the names of what the run typed, and what it was")
	set.StringArrayVar(&f.bases, "base", nil, "an origin in the place of another one, as `OLD=NEW`: http://localhost:8080=http://localhost:9090 (may be repeated)")
	set.StringSliceVar(&f.compare, "compare", checkNames(), "what is compared, of url, frame and hit (the element that an action reaches)")
	set.Float64Var(&f.tolerance, "tolerance", 0.0001, "the `share` of a frame's pixels that may differ; 0 compares exactly")
	set.DurationVar(&f.wait, "wait", 5*time.Second, "the longest wait, in each step, for the page to be what it was")
	set.BoolVar(&f.keepGoing, "keep-going", false, "go on after a difference, to the end of the run, and list them all")
	set.StringVar(&f.approval, "approval", "", "whether what a person has to be asked about is done again: yes or no (default: ask at the terminal)")
	set.StringVar(&f.out, "out", "fara_replays", "the `folder` that gets a folder for each replay")
	set.BoolVar(&f.json, "json", false, "print one JSON object a line")
	for _, name := range kept {
		set.Lookup(name).Hidden = true
	}
}

// kept are settings of a run that its replay cannot change: its frames would differ, or
// its rules.
var kept = []string{"viewport", "scale", "frame-format", "dialogs", "policy", "approve"}

func checkNames() []string {
	var names []string
	for _, c := range replay.Checks() {
		names = append(names, string(c))
	}
	return names
}

// replay plays a run, and gives the exit code as an error. Everything that can be wrong
// beforehand is found before a browser is started.
func (p *program) replay(cmd *cobra.Command, f *replayFlags, dir string) error {
	plan, err := f.read(dir)
	if err != nil {
		return err
	}
	if f.list {
		p.listTexts(plan, f.json)
		return nil
	}
	if err := p.keepSecrets(&f.secrets, plan.Run.Task.Secrets); err != nil {
		return err
	}
	f.secrets.recall(plan.Run.Events)
	cfg, err := f.resolve(cmd.Flags(), plan.Run)
	if err != nil {
		return err
	}
	report, err := p.playBack(cmd.Context(), f, plan, cfg)
	if err != nil {
		return err
	}
	return exit(codeOfReplay(report))
}

// read reads the run and the new values.
func (f *replayFlags) read(dir string) (*replay.Plan, error) {
	run, err := trajectory.Read(dir)
	if err != nil {
		return nil, usage("%w", err)
	}
	if run.Task.Imported != nil {
		return nil, usage("%s was recorded by another program, and how its browser was set up is not known; only runs of fara can be replayed", run.Dir)
	}
	plan, err := replay.Read(run)
	if err != nil {
		return nil, usage("%s: %w", run.Dir, err)
	}
	for _, s := range f.sets {
		if err := plan.Set(s); err != nil {
			return nil, usage("--set: %w", err)
		}
	}
	return plan, nil
}

// resolve checks what was given and puts it together with the run's own settings.
func (f *replayFlags) resolve(set *pflag.FlagSet, run *trajectory.Run) (replay.Config, error) {
	cfg := replay.Config{Tolerance: f.tolerance, Limit: f.wait}
	for _, name := range kept {
		if given(set, name) {
			return cfg, usage("--%s cannot be changed in a replay, which keeps the run's own", name)
		}
	}
	if !(f.tolerance >= 0 && f.tolerance < 1) {
		return cfg, usage("--tolerance %g is out of range; use a share of the pixels, such as 0.001", f.tolerance)
	}
	if f.wait <= 0 {
		return cfg, usage("--wait %v leaves the pages no time; give some, such as 5s", f.wait)
	}
	for _, name := range f.compare {
		if !slices.Contains(replay.Checks(), replay.Check(name)) {
			return cfg, usage("--compare %q is unknown; use %s", name, strings.Join(checkNames(), ", "))
		}
		cfg.Checks = append(cfg.Checks, replay.Check(name))
	}
	if f.keepGoing {
		cfg.Onward = replay.KeepGoing
	}
	for _, text := range f.bases {
		base, err := replay.ParseBase(text)
		if err != nil {
			return cfg, usage("--base: %w", err)
		}
		cfg.Bases = append(cfg.Bases, base)
	}
	own := map[string][]string{}
	for name, values := range run.Task.Flags {
		if slices.Contains(f.own, name) {
			own[name] = values
		}
	}
	if err := takeSettings(set, own); err != nil {
		return cfg, err
	}
	if err := f.browser.check(); err != nil {
		return cfg, err
	}
	if run.Task.Browser == "attached" && f.browser.cdp == "" {
		return cfg, usage("the run used a browser that was not its own; give its address, or that of another, with --cdp")
	}
	if err := f.setRules(set, run, &cfg); err != nil {
		return cfg, err
	}
	cfg.Policy = f.rules
	return cfg, nil
}

// setRules puts together what the replay may do: what the run could, and no more risky
// things without a word. That word has to stand on the command line.
func (f *replayFlags) setRules(set *pflag.FlagSet, run *trajectory.Run, cfg *replay.Config) error {
	switch {
	case f.approval == "" || !given(set, "approval"):
	case f.approval == "yes":
		cfg.Again = replay.DoAgain
	case f.approval != "no":
		return usage("--approval %q is unknown; use yes or no", f.approval)
	}
	if text, ok := run.Task.Files["policy"]; ok {
		f.sites.rules.text = []byte(text)
	}
	var where []string
	if run.Task.URL != "" {
		where = append(where, run.Task.URL)
	}
	for _, base := range cfg.Bases {
		where = append(where, base.New+"/")
	}
	trusted := append(slices.Clone(where), run.Task.SearchURL)
	if len(run.Task.Flags["search-url"]) > 0 {
		where = trusted
	}
	var err error
	if f.rules, err = f.sites.policy(where, trusted); err != nil {
		return err
	}
	if own := policy.Approve(run.Task.Approve); slices.Contains(policy.Approvals(), own) {
		f.rules.Approve = own
	}
	if cfg.Again != replay.DoAgain && f.rules.Approve == policy.Never {
		f.rules.Approve = policy.Risky
	}
	f.rules.Bound = f.secrets.store.Binds
	return nil
}

// codeOfReplay is the exit code of a replay's ending.
func codeOfReplay(r replay.Report) int {
	switch r.Status {
	case replay.Same:
		return exitSuccess
	case replay.Different:
		return exitNoSuccess
	}
	switch r.Reason {
	case replay.ReasonApproval, replay.ReasonCaptcha:
		return exitWaiting
	case replay.ReasonPolicy:
		return exitNoSuccess
	case replay.ReasonBrowser:
		return exitBrowser
	case replay.ReasonInterrupted:
		return exitInterrupted
	}
	return exitInternal
}
