package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fara/batch/taskfile"
	"fara/dialect"
	"fara/ingest"
	"fara/trajectory"
)

// importFlags say what is imported and whereto.
type importFlags struct {
	out, format, dialect, tasks string
	skipBad, json               bool
}

// importedLine is what became of a recording, as --json prints it.
type importedLine struct {
	Type   string            `json:"type"` // "run" or "bad"
	Source string            `json:"source"`
	Format ingest.Format     `json:"format"`
	Run    string            `json:"run,omitempty"`
	Dir    string            `json:"dir,omitempty"`
	Status trajectory.Status `json:"status,omitempty"`
	Reason string            `json:"reason,omitempty"` // of the ending, or why it is bad
	Steps  int               `json:"steps"`
	// Existed: it was imported before.
	Existed bool     `json:"existed,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// importedTotal is what all of them came to.
type importedTotal struct {
	Type     string `json:"type"` // "summary"
	Imported int    `json:"imported"`
	Existed  int    `json:"existed"`
	Bad      int    `json:"bad"`
}

func (p *program) importCmd() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import PATH...",
		Short: "Turn what other programs recorded into runs",
		Long: "Turn other programs' recordings into runs that can be judged and exported. A PATH is a\n" +
			"recording, or a folder in which they are looked for. Known are\n\n" + importKnown() + "\n\n" +
			"An import holds what its source holds, secrets included, and nothing else: the very\n" +
			"bytes of the screenshots and the replies where they were kept. No request is known as\n" +
			"it was sent. What had to be assumed stands in the run's task.json, under imported.notes.\n" +
			"A recording without an ending becomes a run that was cancelled (imported_unfinished).\n" +
			"Everything is checked before anything is written; what was imported before is skipped.",
		Example: "  fara import ~/fara_out/* --out fara_runs\n  fara import old/traj --format webeval --out fara_runs --skip-bad --json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.importAll(cmd.Context(), &f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "fara_runs", "the `folder` for the runs")
	flags.StringVar(&f.format, "format", "auto", "the recordings' format: auto, "+strings.Join(importFormats(), ", "))
	flags.StringVar(&f.dialect, "dialect", "", "how the recorded model spoke (default: by its name, and else by the format)")
	flags.StringVar(&f.tasks, "tasks", "", "a `file` of tasks as fara batch takes it, for recordings that do not hold their task's words, by id")
	flags.BoolVar(&f.skipBad, "skip-bad", false, "leave out what cannot be imported and go on with the rest")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a line")
	return cmd
}

func importFormats() []string {
	var names []string
	for _, f := range ingest.Formats() {
		names = append(names, f[0])
	}
	return names
}

func importKnown() string {
	var lines []string
	for _, f := range ingest.Formats() {
		lines = append(lines, fmt.Sprintf("  %-10s %s", f[0], f[1]))
	}
	return strings.Join(lines, "\n")
}

// importAll finds everything that can be wrong with any of the recordings before the
// first is imported.
func (p *program) importAll(ctx context.Context, f *importFlags, paths []string) error {
	sources, err := f.find(paths)
	if err != nil {
		return err
	}
	words, err := f.words()
	if err != nil {
		return err
	}
	total := importedTotal{Type: "summary"}
	good, err := p.checkSources(ctx, f, sources, &total)
	if err != nil {
		return err
	}
	im, err := ingest.New(ingest.Config{Out: f.out, Dialect: f.dialect, Tasks: words})
	if err != nil {
		return usage("%w", err)
	}
	for _, src := range good {
		done, err := im.Import(ctx, src)
		if err != nil {
			return fmt.Errorf("%s: %w", src.Path, err)
		}
		p.tellImported(f, src, done, &total)
	}
	if f.json {
		writeLine(p.stdout, total)
		return nil
	}
	fmt.Fprintf(p.stdout, "%d imported, %d there already, %d left out\n", total.Imported, total.Existed, total.Bad)
	return nil
}

// words are those of the tasks in --tasks, by id.
func (f *importFlags) words() (map[string]ingest.Words, error) {
	if f.tasks == "" {
		return nil, nil
	}
	file, err := taskfile.Read(f.tasks, taskfile.Options{Flags: taskFlags()})
	switch {
	case err != nil:
		return nil, usage("--tasks: %w", err)
	case len(file.Faults) > 0 && !f.skipBad:
		return nil, usage("--tasks: %w; --skip-bad goes on without such lines", file.Faults[0])
	}
	words := map[string]ingest.Words{}
	for _, t := range file.Tasks {
		words[t.ID] = ingest.Words{Task: t.Task, URL: t.URL}
	}
	return words, nil
}

// find gives the recordings of all paths, each once.
func (f *importFlags) find(paths []string) ([]ingest.Source, error) {
	format := ingest.Format(f.format)
	switch {
	case f.format == "auto":
		format = ""
	case !slices.Contains(importFormats(), f.format):
		return nil, usage("--format %s: choose auto, %s", f.format, strings.Join(importFormats(), ", "))
	}
	if f.dialect != "" {
		if _, err := dialect.Get(f.dialect); err != nil {
			return nil, usage("--dialect: %w", err)
		}
	}
	var all []ingest.Source
	seen := map[string]bool{}
	for _, path := range eachOnce(paths) {
		found, err := ingest.Find(path, format)
		if err != nil {
			return nil, usage("%w", err)
		}
		if len(found) == 0 {
			return nil, unknownFormat(path, f.format)
		}
		for _, src := range found {
			whole, err := filepath.Abs(src.Path)
			if err == nil && seen[whole] {
				continue
			}
			seen[whole] = true
			all = append(all, src)
		}
	}
	return all, nil
}

// unknownFormat says in one line what would have been known.
func unknownFormat(path, format string) error {
	if ingest.IsRun(path) {
		return usage("%s is a run's folder already; fara judge and fara export take it as it is", path)
	}
	var known []string
	for _, f := range ingest.Formats() {
		if format == "auto" || format == f[0] {
			known = append(known, f[0]+" ("+f[1]+")")
		}
	}
	return usage("%s is no recording and holds none of a known format; known are %s", path, strings.Join(known, ", "))
}

// checkSources gives the recordings that can be imported. A bad one ends it unless it may
// be left out; all of them are named.
func (p *program) checkSources(ctx context.Context, f *importFlags, sources []ingest.Source, total *importedTotal) ([]ingest.Source, error) {
	var good []ingest.Source
	var bad error
	for _, src := range sources {
		err := src.Check(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err == nil:
			good = append(good, src)
			continue
		}
		total.Bad++
		err = fmt.Errorf("%s: %w", src.Path, err)
		if bad == nil {
			bad = err
		}
		if f.json {
			writeLine(p.stdout, importedLine{Type: "bad", Source: src.Path, Format: src.Format, Reason: err.Error()})
		} else if f.skipBad || total.Bad > 1 {
			fmt.Fprintln(p.stderr, "fara:", cut(err.Error(), 2000))
		}
	}
	switch {
	case bad == nil:
		return good, nil
	case len(good) == 0 && f.skipBad:
		return nil, usage("none of the recordings can be imported")
	case !f.skipBad && total.Bad == 1:
		return nil, usage("%w; --skip-bad goes on without it", bad)
	case !f.skipBad:
		return nil, usage("%w; --skip-bad goes on without this and the others", bad)
	}
	return good, nil
}

func (p *program) tellImported(f *importFlags, src ingest.Source, done ingest.Done, total *importedTotal) {
	if done.Existed {
		total.Existed++
	} else {
		total.Imported++
	}
	r := done.Result
	if f.json {
		writeLine(p.stdout, importedLine{
			Type: "run", Source: src.Path, Format: src.Format, Run: done.Run, Dir: done.Dir,
			Status: r.Status, Reason: r.Reason, Steps: r.Steps, Existed: done.Existed, Notes: done.Origin.Notes,
		})
		return
	}
	if done.Existed {
		fmt.Fprintf(p.stdout, "%s  was imported before, from the same %s\n", done.Run, src.Path)
		return
	}
	fmt.Fprintf(p.stdout, "%s  %s (%s), %s, from %s\n", done.Run, r.Status, r.Reason, stepsOf(r.Steps), src.Path)
	for _, note := range done.Origin.Notes {
		fmt.Fprintf(p.stdout, "  note: %s\n", cut(note, 300))
	}
}

func stepsOf(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}
