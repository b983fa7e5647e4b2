package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"fara/batch"
	"fara/batch/taskfile"
	"fara/prompt"
	"fara/trajectory"
)

// forecast is what a batch would be, as --dry-run prints it.
type forecast struct {
	Type    string          `json:"type"` // "plan"
	Source  string          `json:"source"`
	Format  taskfile.Format `json:"format"`
	Tasks   int             `json:"tasks"`
	Samples int             `json:"samples"`
	Runs    int             `json:"runs"`
	// Ended are those that the folder has endings for already.
	Ended int `json:"ended"`
	Sites int `json:"sites"`
	// Flags counts the tasks that set a flag in their own lines.
	Flags map[string]int `json:"task_flags,omitempty"`
	// Steps is the estimate for what is left, in all; StepsFrom says where it is from.
	Steps     int    `json:"estimated_steps"`
	StepsFrom string `json:"estimated_steps_from"`
	// Prompt and Reply are tokens a step; Tokens is for all that is left.
	Prompt int `json:"estimated_prompt_tokens_per_step"`
	Reply  int `json:"estimated_reply_tokens_per_step"`
	Tokens int `json:"estimated_tokens"`
	// StepTime is how long a step takes, Time what is left with so many Workers.
	StepTime     time.Duration `json:"estimated_step_ns"`
	StepTimeFrom string        `json:"estimated_step_from"`
	Workers      int           `json:"workers"`
	Time         time.Duration `json:"estimated_ns"`
}

// What is assumed of runs that nothing is known of.
const (
	assumedSteps     = 12
	assumedReply     = 120 // tokens
	assumedStepTime  = 6 * time.Second
	stepsForEachPlan = 1.5 // a run's steps for each of those that a person was counted to need
)

// foresee shows what a batch would be, and does nothing.
func (p *program) foresee(b *batchFlags, file taskfile.File) error {
	known, err := batch.Look(b.out, b.plan(file))
	if err != nil {
		return storeError(err)
	}
	f := forecast{
		Type: "plan", Source: b.source, Format: file.Format, Tasks: len(file.Tasks), Samples: b.samples,
		Runs: len(file.Tasks) * b.samples, Ended: known.Ended, Flags: map[string]int{},
		Reply: assumedReply, Workers: b.workerCount(len(b.model.endpoints.values)),
	}
	sites := map[string]bool{}
	for _, t := range file.Tasks {
		sites[batch.SiteOf(t.URL)] = true
		for name := range t.Flags {
			f.Flags[name]++
		}
	}
	f.Sites = len(sites)
	f.steps(file.Tasks, known)
	if f.Prompt, err = b.promptTokens(p, file.Tasks[0]); err != nil {
		return err
	}
	f.Tokens = f.Steps * (f.Prompt + f.Reply)
	f.Time = time.Duration(f.Steps) * f.StepTime / time.Duration(f.Workers)
	if b.json {
		writeLine(p.stdout, f)
	} else {
		f.text(p.stdout)
	}
	return nil
}

// steps estimates how many steps are left, and how long one takes.
func (f *forecast) steps(tasks []batch.Task, known batch.Summary) {
	left := f.Runs - f.Ended
	f.StepTime, f.StepTimeFrom = assumedStepTime, "an assumption"
	if known.Steps > 0 && known.Took > 0 {
		f.StepTime, f.StepTimeFrom = known.Took/time.Duration(known.Steps), "the runs that have ended"
		f.Steps, f.StepsFrom = left*known.Steps/max(known.Ended, 1), "the runs that have ended"
		return
	}
	planned, counted := 0, 0
	for _, t := range tasks {
		if n, err := strconv.Atoi(string(t.Meta["reference_length"])); err == nil && n > 0 {
			planned, counted = planned+n, counted+1
		}
	}
	each, from := float64(assumedSteps), "an assumption"
	if counted > 0 {
		each, from = stepsForEachPlan*float64(planned)/float64(counted), "the tasks' reference lengths"
	}
	f.Steps, f.StepsFrom = int(each*float64(left)), from
}

// promptTokens estimates a usual request of a run, with all the frames that it may
// carry.
func (b *batchFlags) promptTokens(p *program, t batch.Task) (int, error) {
	f, err := b.job(p, batch.Job{Task: t, Sample: 1})
	if err != nil {
		return 0, err
	}
	size, err := f.browser.size()
	if err != nil {
		return 0, err
	}
	if f.model.dialect == "auto" && f.model.model == "" {
		f.model.dialect = "fara-1.5"
	}
	d, err := f.model.fitted(size)
	if err != nil {
		return 0, err
	}
	picture, err := d.Grid.Fit(d.Viewport)
	if err != nil {
		return 0, err
	}
	j := &job{flags: f, dialect: d, server: &server{}, log: p.logger()}
	began := j.config(nil).Started(picture)
	frame := d.Grid.Tokens(picture)
	built, err := prompt.Build([]trajectory.Event{
		{Kind: trajectory.KindStarted, Started: &began},
		{Kind: trajectory.KindObserved, Observed: &trajectory.Observed{
			Frame: "frames/1.png", MIME: "image/png", Captured: picture, Size: picture, Viewport: d.Viewport, Tokens: frame, URL: began.URL,
		}},
	}, d, func(string) ([]byte, error) { return nil, nil })
	return min(built.Tokens+(f.maxImages-1)*(frame+assumedReply), f.model.numCtx), err
}

func (f *forecast) text(w io.Writer) {
	fmt.Fprintf(w, "%s (%s): %d tasks x %d samples = %d runs on %d sites, %d have ended\n", f.Source, f.Format, f.Tasks, f.Samples, f.Runs, f.Sites, f.Ended)
	if len(f.Flags) > 0 {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(f.Flags)) {
			parts = append(parts, fmt.Sprintf("--%s %d", name, f.Flags[name]))
		}
		fmt.Fprintf(w, "tasks that set flags in their own lines: %s\n", strings.Join(parts, ", "))
	}
	fmt.Fprintf(w, "about %d steps are left (from %s)\n", f.Steps, f.StepsFrom)
	fmt.Fprintf(w, "about %d tokens: %d to read and %d to write a step\n", f.Tokens, f.Prompt, f.Reply)
	fmt.Fprintf(w, "about %v with %d at a time and %v a step (from %s)\n", f.Time.Round(time.Minute), f.Workers, f.StepTime.Round(100*time.Millisecond), f.StepTimeFrom)
	fmt.Fprintln(w, "nothing was done; leave out --dry-run to begin")
}
