package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fara/export"
	"fara/trajectory"
)

// exportFlags say what of which runs is exported, and where to.
type exportFlags struct {
	format, out, per, rows, split, splitBy, unrecorded string

	trainOn                                                  []string
	statuses, verified, verdicts, claims, sites, ids, models []string
	least, most, maxPerSite                                  int

	pairs, kto, checked, untrained, reads, dedupe, failuresApart bool
	skipUnfinished, skipBad, force, embed, json                  bool

	seed string
}

func (p *program) exportCmd() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export RUN...",
		Short: "Write runs as the rows that trainers read, or in other systems' layouts",
		Long: "Write the runs in the given folders, or anywhere below them, to a new folder: rows for\n" +
			"trainers, with their frames by content, a manifest with checksums and a data card; or\n" +
			"whole runs in another system's layout. The request of every row is built again from its\n" +
			"run and held against what was sent: one that differs is refused, named and counted, and\n" +
			"the exit code is then 3. Nothing is written to --out before all of it is there.\n\n" + exportFormatsHelp(),
		Example: `  fara export fara_runs --format sharegpt --out data --status success --split train=0.9,val=0.1
  fara export runs/* --format openai --per run --embed --out data
  fara export batch --format swift --pairs --out preferences
  fara export batch --format swift --rows grounding --dedupe --out grounding`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := f.config(cmd.Flags())
			if err != nil {
				return err
			}
			if c.Runs, err = export.Find(args); err != nil {
				return usage("%w", err)
			}
			return p.export(cmd.Context(), &f, c)
		},
	}
	f.register(cmd.Flags())
	return cmd
}

func (e *exportFlags) register(f *pflag.FlagSet) {
	f.StringVar(&e.format, "format", "", "the form of what is written: "+orList(exportFormatNames()))
	f.StringVar(&e.out, "out", "", "the `folder` to write, which must not exist or be empty")
	f.BoolVar(&e.force, "force", false, "replace an export that is in --out")
	f.StringVar(&e.per, "per", "step", "a row for each reply (step), or as few rows for each run as hold every reply once in its own context (run)")
	f.StringVar(&e.rows, "rows", "replies", "what rows are about: replies, or grounding for the elements that actions reached")
	f.BoolVar(&e.pairs, "pairs", false, "preference pairs: replies to the same request from a run of the task that succeeded and one that did not")
	f.BoolVar(&e.kto, "kto", false, "rows with a label whether the reply is wanted: those of runs that succeeded are")
	f.BoolVar(&e.checked, "checked-only", false, "for --pairs and --kto a success counts only when it was verified or judged accepted")
	f.StringSliceVar(&e.trainOn, "train-on", nil, "learn these replies too: repaired, forced")
	f.BoolVar(&e.untrained, "keep-untrained", false, "have rows also of replies that are not to be learned, marked so")
	f.BoolVar(&e.reads, "include-reads", false, "have rows also of the questions about pages' texts")
	f.StringVar(&e.unrecorded, "unrecorded", "refuse", "requests that nobody wrote down, as in imported runs: refuse, or rebuild in our words")
	f.BoolVar(&e.embed, "embed", false, "put frames into the rows instead of files of their own")
	f.BoolVar(&e.dedupe, "dedupe", false, "have rows of the same content once")
	f.StringSliceVar(&e.statuses, "status", nil, "only runs with one of these statuses")
	f.StringSliceVar(&e.verified, "verified", nil, "only runs whose success was agreed to by "+orList(export.VerifiedWords))
	f.StringSliceVar(&e.verdicts, "verdict", nil, "only runs that fara judge found "+orList(export.VerdictWords))
	f.StringSliceVar(&e.claims, "claim", nil, "only runs whose model claimed "+orList(export.ClaimWords))
	f.StringSliceVar(&e.sites, "site", nil, "only runs that began on one of these sites, or below it")
	f.StringSliceVar(&e.ids, "task-id", nil, "only tasks with one of these ids; * and ? stand for any characters")
	f.StringSliceVar(&e.models, "by-model", nil, "only runs of one of these models; * and ? stand for any characters")
	f.IntVar(&e.least, "least-steps", 0, "only runs of at least so many actions")
	f.IntVar(&e.most, "most-steps", 0, "only runs of at most so many actions; 0 is any")
	f.BoolVar(&e.failuresApart, "failures-apart", false, "put runs that did not succeed into a part of their own, called failures")
	f.StringVar(&e.split, "split", "train=1", "the parts and their shares of the tasks, as in train=0.9,val=0.1")
	f.StringVar(&e.splitBy, "split-by", "task", "what no two parts share: task, with each site in proportion, or site")
	f.StringVar(&e.seed, "split-seed", "0", "what the split is drawn by")
	f.IntVar(&e.maxPerSite, "max-per-site", 0, "at most so many runs of each site, drawn by --split-seed; 0 is any")
	f.BoolVar(&e.skipUnfinished, "skip-unfinished", false, "leave out runs that have no ending")
	f.BoolVar(&e.skipBad, "skip-bad", false, "leave out runs that cannot be read")
	f.BoolVar(&e.json, "json", false, "print one JSON object a line")
}

// config is what the flags ask for. What cannot be meant is an error of usage.
func (e *exportFlags) config(given *pflag.FlagSet) (export.Config, error) {
	c := export.Config{
		Out: e.out, Replace: e.force, Name: e.format, Per: export.Per(e.per), Kind: export.Kind(e.rows), KeepUntrained: e.untrained,
		Reads: e.reads, Checked: e.checked, Dedupe: e.dedupe, FailuresApart: e.failuresApart, MaxPerSite: e.maxPerSite,
		SplitBy: export.SplitBy(e.splitBy), Seed: e.seed, SkipUnfinished: e.skipUnfinished, SkipBad: e.skipBad,
		Fara: version, Asked: askedOf(given),
		Filter: export.Filter{
			Statuses: e.statuses, Verified: e.verified, Verdicts: e.verdicts, Claims: e.claims,
			Sites: e.sites, Tasks: e.ids, Models: e.models, Least: e.least, Most: e.most,
		},
	}
	if err := e.words(); err != nil {
		return c, err
	}
	if e.pairs {
		c.Kind = export.Pairs
	}
	if e.kto {
		c.Kind = export.Labelled
	}
	if e.embed {
		c.Images = export.Embedded
	}
	if e.unrecorded == "rebuild" {
		c.Unsent = export.BuildUnsent
	}
	c.Trained = export.Trained{export.Model: true}
	for _, by := range e.trainOn {
		c.Trained[export.Provenance(by)] = true
	}
	var err error
	if c.Split, err = export.ParseSplit(e.split); err != nil {
		return c, usage("--split: %w", err)
	}
	return c, e.formatInto(&c)
}

// words checks the flags that take one of a few words.
func (e *exportFlags) words() error {
	for _, w := range []struct {
		flag   string
		given  []string
		allows []string
	}{
		{"per", []string{e.per}, []string{"step", "run"}},
		{"rows", []string{e.rows}, []string{"replies", "grounding"}},
		{"split-by", []string{e.splitBy}, []string{"task", "site"}},
		{"unrecorded", []string{e.unrecorded}, []string{"refuse", "rebuild"}},
		{"train-on", e.trainOn, []string{"model", "repaired", "forced"}},
		{"status", e.statuses, statuses()},
		{"verified", e.verified, export.VerifiedWords},
		{"verdict", e.verdicts, export.VerdictWords},
		{"claim", e.claims, export.ClaimWords},
	} {
		for _, word := range w.given {
			if !slices.Contains(w.allows, word) {
				return usage("--%s %q: it is %s", w.flag, word, orList(w.allows))
			}
		}
	}
	switch {
	case e.out == "":
		return usage("say where to: --out FOLDER")
	case e.pairs && e.kto, (e.pairs || e.kto) && e.rows != "replies":
		return usage("--pairs, --kto and --rows %s are rows of different kinds; give one of them", e.rows)
	case e.checked && !e.pairs && !e.kto:
		return usage("--checked-only goes with --pairs or --kto; --verified any filters other rows")
	case e.least < 0 || e.most < 0 || e.maxPerSite < 0:
		return usage("--least-steps, --most-steps and --max-per-site are 0 or more")
	}
	return nil
}

func statuses() []string {
	var all []string
	for _, s := range []trajectory.Status{
		trajectory.Success, trajectory.Failure, trajectory.BudgetExhausted, trajectory.Stuck, trajectory.BadReplies,
		trajectory.ContextOverflow, trajectory.Blocked, trajectory.WaitingForUser, trajectory.NeedsApproval,
		trajectory.ModelUnavailable, trajectory.BrowserLost, trajectory.Cancelled, trajectory.Error,
	} {
		all = append(all, string(s))
	}
	return all
}

// askedOf are the settings that were given and shape what is written.
func askedOf(flags *pflag.FlagSet) map[string]string {
	asked := map[string]string{}
	flags.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "out", "force", "json", "help":
		default:
			asked[f.Name] = strings.Trim(f.Value.String(), "[]")
		}
	})
	return asked
}

// export exports and tells of it.
func (p *program) export(ctx context.Context, f *exportFlags, c export.Config) error {
	c.Told = p.teller(f.json)
	m, err := export.Run(ctx, c)
	var given *export.InputError
	switch {
	case errors.As(err, &given):
		return &exitError{exitUsage, err}
	case errors.Is(err, export.ErrEmpty) && m.Requests.Refused > 0:
		return &exitError{exitNoSuccess, err}
	case errors.Is(err, export.ErrEmpty):
		return &exitError{exitUsage, err}
	case err != nil:
		return err
	}
	p.tellExport(f, m)
	if m.Requests.Refused > 0 {
		return &exitError{exitNoSuccess, fmt.Errorf("%s refused; the export in %s is without them", counts(m.Requests.Refused, "reply was", "replies were"), f.out)}
	}
	return nil
}

// counts writes a number with its word.
func counts(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
