package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fara/batch"
	"fara/batch/taskfile"
)

// batchFlags say how many tasks are done, beside what every run is.
type batchFlags struct {
	runFlags

	workers, samples, retries, perSite, takes int
	temperatures                              []float64
	sitePause, outage                         time.Duration
	halfDone, format                          string
	repeat                                    []string
	skipBad, dryRun                           bool
	queue                                     queueFlags

	// flags are those of the command, which the runs' are taken from.
	flags *pflag.FlagSet
	// source is the task file.
	source string
}

func (p *program) batchCmd() *cobra.Command {
	var flags batchFlags
	cmd := &cobra.Command{
		Use:   "batch FILE",
		Short: "Do many tasks, and lose none",
		Long: "Do every task of FILE, several at a time: JSON lines with id, task, url and any flag of\n" +
			"fara run, CSV or TSV with such columns, or a list of WebVoyager, Online-Mind2Web or\n" +
			"WebTailBench. Each task ends exactly once: whatever ended the program, the same command\n" +
			"goes on where it was. The first Ctrl-C lets what is under way end, the second ends it.\n\n" +
			"The flags of fara run hold for all tasks; those in a task's own line win.",
		Example: `  fara batch tasks.jsonl --model fara1.5:9b --workers 4 --out collected
  fara batch tasks.jsonl --samples 4 --temperatures 0,0.5,1 --dry-run
  fara batch tasks.jsonl --out collected --again site,browser`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.place(args); err != nil {
				return err
			}
			return p.batch(cmd.Context(), &flags)
		},
	}
	flags.flags = cmd.Flags()
	flags.register(cmd.Flags())
	return cmd
}

func (b *batchFlags) register(f *pflag.FlagSet) {
	b.runFlags.register(f)
	b.queue.register(f, "put the tasks into a queue on the NATS server at this `address`, for fara worker on other machines; without an address, on a server inside this program, and work here too")
	f.Lookup("nats").NoOptDefVal = embedded
	f.DurationVar(&b.queue.ackWait, "ack-wait", time.Minute, "how long a worker that is not heard of keeps its task")
	f.IntVar(&b.queue.replicas, "replicas", 1, "how many servers of a NATS cluster keep each message: 1, 3 or 5")
	f.IntVar(&b.workers, "workers", 0, "the most runs at a time (default: two for each model server, as far as this machine has cores)")
	f.IntVar(&b.samples, "samples", 1, "the runs of each task, each with a seed of its own")
	f.Float64SliceVar(&b.temperatures, "temperatures", nil, "the temperatures of a task's samples, taken in turn (default: --temperature; 0 for the first sample and 0.7 for the others when there are several)")
	f.IntVar(&b.retries, "retry", 2, "the most further attempts at a run that a site, a server, the browser or this program failed")
	f.IntVar(&b.perSite, "per-site", 0, "the most runs on one site at a time (default: no limit)")
	f.DurationVar(&b.sitePause, "site-pause", 0, "the least time between the beginnings of two runs on one site")
	f.DurationVar(&b.outage, "outage-limit", 10*time.Minute, "the longest wait for a model server when all are gone")
	f.StringVar(&b.halfDone, "half-done", string(batch.Resume), "what becomes of runs that were under way when the program ended: resume, or anew for those that have done nothing in the world yet")
	f.IntVar(&b.takes, "max-deliveries", 5, "how often the program or a worker may end while a run is at the same step before its task is given up")
	f.StringSliceVar(&b.repeat, "again", nil, "do once more what ended in these `classes`: "+strings.Join(classNames(), ", "))
	f.StringVar(&b.format, "format", "auto", "the task file's format: auto, "+strings.Join(formatNames(), ", "))
	f.BoolVar(&b.skipBad, "skip-bad", false, "go on without the lines of the task file that are bad")
	f.BoolVar(&b.dryRun, "dry-run", false, "show what would be done, with an estimate of tokens and time, and do nothing")
	out := f.Lookup("out")
	out.Usage, out.DefValue = "the `folder` of the batch, with a folder for each run (default: fara_batches/ and FILE's name)", ""
	for _, name := range []string{"control", "profile-dir"} {
		f.Lookup(name).Hidden = true // for one run alone
	}
}

// place tells the task file from the address behind --nats, which stands apart from it
// like an argument, since --nats may have none.
func (b *batchFlags) place(args []string) error {
	if at := slices.IndexFunc(args, func(a string) bool { return strings.Contains(a, "://") }); b.queue.url == embedded && at >= 0 {
		b.queue.url = args[at]
		args = slices.Delete(args, at, at+1)
	}
	if len(args) != 1 {
		return usage("a batch is of one task file; got %d; an address for --nats is written as nats://host:4222", len(args))
	}
	b.source = args[0]
	return nil
}

func classNames() []string {
	var all []string
	for _, c := range batch.Classes {
		all = append(all, string(c))
	}
	return all
}

func formatNames() []string {
	var all []string
	for _, f := range taskfile.Formats() {
		all = append(all, string(f))
	}
	return all
}

// freely are flags that may change from one call of a batch to the next: they do not
// shape what a run records.
var freely = []string{
	"endpoint", "endpoint-config", "api", "model-timeout", "load-timeout", "browser", "headful", "proxy", "metrics", "otel",
	"verify-endpoint", "workers", "samples", "retry", "per-site", "site-pause", "outage-limit", "half-done", "max-deliveries", "again", "skip-bad",
	"dry-run", "format", "nats", "queue", "shared", "nats-creds", "ack-wait", "replicas", "secret",
}

// check finds what is wrong with the flags of the batch itself.
func (b *batchFlags) check() error {
	for _, least := range []struct {
		name         string
		value, least int
	}{
		{"workers", b.workers, 0}, {"samples", b.samples, 1}, {"retry", b.retries, 0}, {"per-site", b.perSite, 0}, {"max-deliveries", b.takes, 1},
	} {
		if least.value < least.least {
			return usage("--%s %d is too small; it takes %d or more", least.name, least.value, least.least)
		}
	}
	if b.sitePause < 0 || b.outage < 0 {
		return usage("--site-pause and --outage-limit cannot be negative")
	}
	for _, t := range b.temperatures {
		if !(t >= 0 && t <= 10) {
			return usage("--temperatures: %g is out of range; use 0 to 10", t)
		}
	}
	if len(b.temperatures) > 0 && b.flags.Changed("temperature") {
		return usage("--temperature and --temperatures exclude each other")
	}
	if b.halfDone != string(batch.Resume) && b.halfDone != string(batch.Anew) {
		return usage("--half-done %q is unknown; use resume or anew", b.halfDone)
	}
	for _, c := range b.repeat {
		if !slices.Contains(classNames(), c) {
			return usage("--again %q is unknown; use: %s", c, strings.Join(classNames(), ", "))
		}
	}
	if b.format != "auto" && !slices.Contains(formatNames(), b.format) {
		return usage("--format %q is unknown; use auto, %s", b.format, strings.Join(formatNames(), ", "))
	}
	if b.control.address != "" {
		return usage("--control steers one run; a batch has many. Leave it out; SIGUSR1 pauses all of them and SIGUSR2 resumes them")
	}
	if b.browser.profileDir != "" && b.workers != 1 {
		return usage("--profile-dir is for one browser at a time; add --workers 1")
	}
	if b.browser.cdp != "" && b.workers != 1 {
		return usage("--cdp is one browser for one run at a time; add --workers 1")
	}
	if b.out == "" || !b.flags.Changed("out") {
		name := strings.TrimSuffix(filepath.Base(b.source), filepath.Ext(b.source))
		b.out = filepath.Join("fara_batches", name)
	}
	return nil
}

// workerCount is the number of runs at a time.
func (b *batchFlags) workerCount(servers int) int {
	if b.workers > 0 {
		return b.workers
	}
	return max(1, min(2*servers, runtime.NumCPU()))
}

// tasks reads the task file. Every bad line is named before anything begins.
func (b *batchFlags) tasks(p *program) (taskfile.File, error) {
	opt := taskfile.Options{Flags: taskFlags(), Check: func(t batch.Task) error { return b.try(p, t) }}
	if b.format != "auto" {
		opt.Format = taskfile.Format(b.format)
	}
	file, err := taskfile.Read(b.source, opt)
	if err != nil {
		return file, usage("%w", err)
	}
	for _, fault := range file.Faults {
		fmt.Fprintln(p.stderr, fault.Error())
	}
	switch {
	case len(file.Faults) > 0 && !b.skipBad:
		return file, usage("%s has faults in %d lines; mend them, or go on without those with --skip-bad", b.source, badLines(file))
	case len(file.Tasks) == 0:
		return file, usage("%s has no task that could be done", b.source)
	case len(file.Faults) > 0:
		fmt.Fprintf(p.stderr, "%s: going on without %d bad lines\n", b.source, badLines(file))
	}
	return file, nil
}

// badLines counts the lines that have faults.
func badLines(file taskfile.File) int {
	bad := map[int]bool{}
	for _, f := range file.Faults {
		bad[f.Line] = true
	}
	return len(bad)
}

// try finds what is wrong with a task before anything begins.
func (b *batchFlags) try(p *program, t batch.Task) error {
	f, err := b.job(p, batch.Job{Task: t, Sample: 1})
	if err != nil {
		return err
	}
	size, err := f.browser.size()
	if err == nil && f.model.dialect != "auto" {
		_, err = f.model.fitted(size)
	}
	return err
}

// plan is what the batch is.
func (b *batchFlags) plan(file taskfile.File) batch.Plan {
	return batch.Plan{
		Source: b.source, Tasks: file.Tasks, Samples: b.samples,
		Settings: settings(b.flags), Free: freely, Fara: version,
	}
}

// secretsIn are the secrets that tasks' own lines name.
func secretsIn(tasks []batch.Task) []string {
	var all []string
	for _, t := range tasks {
		all = append(all, t.Flags["secret"]...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// storeError says what to do about a folder that cannot be the batch's.
func storeError(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, batch.ErrOther):
		return usage("%w; choose another --out", err)
	case errors.Is(err, batch.ErrInUse):
		return usage("%w", err)
	case errors.As(err, &path):
		return usage("--out: %w; choose another folder, or make this one writable", err)
	}
	return err
}

// batch does the tasks of a file.
func (p *program) batch(ctx context.Context, b *batchFlags) error {
	if err := b.check(); err != nil {
		return err
	}
	if err := p.keepSecrets(&b.secrets, nil); err != nil {
		return err
	}
	file, err := b.tasks(p)
	if err != nil {
		return err
	}
	if err := p.keepSecrets(&secretFlags{given: secretsIn(file.Tasks)}, nil); err != nil { // what is printed is about all of them
		return err
	}
	if b.dryRun {
		return p.foresee(b, file)
	}
	if _, err := batch.Look(b.out, b.plan(file)); err != nil {
		return storeError(err)
	}
	if b.queue.url != "" {
		return p.distribute(ctx, b, file)
	}
	return p.collect(ctx, b, file)
}
