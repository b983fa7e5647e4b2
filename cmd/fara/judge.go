package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"fara/judge"
	"fara/trajectory"
)

// judgeFlags say what finished runs are held to, and how that is shown.
type judgeFlags struct {
	verifyFlags
	json, again bool
}

func (p *program) judgeCmd() *cobra.Command {
	var flags judgeFlags
	cmd := &cobra.Command{
		Use:   "judge RUN...",
		Short: "Judge finished runs again, without running them",
		Long: "Hold the answers of finished runs to a schema, to assertions, or to a judging model, and\n" +
			"write RUN/verdicts.json. Without --answer-schema, --check and --assert a run is held to\n" +
			"its own. No browser is started and no agent is asked: what the run's folder does not\n" +
			"tell is unproven. What was judged already in the same way is not judged again. Where\n" +
			"both decided, the agreement of the judging model with the assertions is counted.\n\n" + assertionHelp,
		Example: `  fara judge fara_runs/* --assert "answer number is 1234.5"
  fara judge fara_runs/* --check checks.txt --verify --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.verifyFlags.check(nil); err != nil {
				return err
			}
			total, err := p.judgeAll(cmd.Context(), &flags, args)
			if err != nil {
				return err
			}
			if total.Accepted < total.Runs {
				return exit(exitNoSuccess)
			}
			return nil
		},
	}
	f := cmd.Flags()
	flags.verifyFlags.register(f)
	f.BoolVar(&flags.again, "again", false, "judge again also what was judged in the same way")
	f.BoolVar(&flags.json, "json", false, "print one JSON object a line")
	f.Lookup("verify-model").Usage = "the model that judges (default: that of each run)"
	f.Lookup("verify-endpoint").Usage = "the `address` of the judging model's server (default: that of each run)"
	return cmd
}

// summary is what all runs came to.
type summary struct {
	Type     string          `json:"type"` // "summary"
	Runs     int             `json:"runs"`
	Accepted int             `json:"accepted"`
	Rejected int             `json:"rejected"`
	Unproven int             `json:"unproven"`
	Classes  map[string]int  `json:"classes"`
	Agree    judge.Agreement `json:"agreement"`
}

// judgeAll finds everything that can be wrong with any of the runs before the first
// is judged.
func (p *program) judgeAll(ctx context.Context, f *judgeFlags, dirs []string) (summary, error) {
	var jobs []*judging
	for _, dir := range eachOnce(dirs) {
		j, err := f.prepare(dir)
		if err != nil {
			return summary{}, err
		}
		jobs = append(jobs, j)
	}
	log := slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	models := &judgingModels{flags: &f.verifyFlags, log: log, getenv: p.getenv}
	for _, j := range jobs {
		if err := j.connect(ctx, models, f.again); err != nil {
			return summary{}, err
		}
	}
	total := summary{Type: "summary", Classes: map[string]int{}}
	for _, j := range jobs {
		judged, err := j.do(ctx)
		if err != nil {
			return total, err
		}
		total.add(judged)
		if f.json {
			writeLine(p.stdout, judgedLine{Type: "run", Dir: j.run.Dir, judgedRun: judged, Kept: j.kept != nil})
		} else {
			textJudged(p.stdout, judged)
		}
	}
	if f.json {
		writeLine(p.stdout, total)
	} else {
		textSummary(p.stdout, total)
	}
	return total, nil
}

func (s *summary) add(j judgedRun) {
	s.Runs++
	switch j.Outcome {
	case judge.Accepted:
		s.Accepted++
	case judge.Rejected:
		s.Rejected++
	default:
		s.Unproven++
	}
	if j.Class != "" {
		s.Classes[j.Class]++
	}
	s.Agree.Add(j.Verdicts)
}

// eachOnce leaves out folders that were given before, in other words too.
func eachOnce(dirs []string) []string {
	var out, seen []string
	for _, dir := range dirs {
		whole, err := filepath.Abs(dir)
		if err == nil && slices.Contains(seen, whole) {
			continue
		}
		seen = append(seen, whole)
		out = append(out, dir)
	}
	return out
}

// prepare reads a run and what it is held to.
func (f *judgeFlags) prepare(dir string) (*judging, error) {
	w, run, err := trajectory.Reopen(dir, nil)
	if err != nil {
		return nil, usage("%w", err)
	}
	if err := w.Close(); err != nil { // nothing was written
		return nil, err
	}
	switch {
	case run.Result == nil:
		return nil, usage("%s has not ended; go on with it first: fara resume %s", dir, strconv.Quote(dir))
	case len(run.Events) == 0 || run.Events[0].Started == nil:
		return nil, usage("%s never began, so there is nothing to judge", dir)
	}
	v := &verifyFlags{}
	if f.chain.Schema == nil && f.chain.Assertions == nil {
		if v, err = ownChecks(run); err != nil {
			return nil, err
		}
	} else {
		v.chain, v.contents, v.asserts = f.chain, f.contents, f.asserts
	}
	v.verify, v.model, v.endpoint = f.verify, f.model, f.endpoint
	if !v.any() {
		return nil, usage("%s has no checks of its own; give --answer-schema, --check, --assert or --verify", dir)
	}
	return &judging{run: run, flags: v}, nil
}

// ownChecks are the schema and the assertions that a run was made with.
func ownChecks(run *trajectory.Run) (*verifyFlags, error) {
	given := run.Task.Flags
	v := &verifyFlags{asserts: given["assert"]}
	v.checks.values = given["check"]
	if schema := given["answer-schema"]; len(schema) > 0 {
		v.schema = schema[0]
	}
	if err := v.check(run.Task.Files); err != nil {
		var exit *exitError
		if errors.As(err, &exit) {
			return nil, usage("%s: its own checks: %w", run.Dir, exit.err)
		}
		return nil, err
	}
	return v, nil
}
