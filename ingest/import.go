package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fara/dialect"
	"fara/trajectory"
)

// Importer writes recordings as runs into one folder. It belongs to one goroutine.
type Importer struct {
	out     string
	dialect string
	tasks   map[string]Words
	// known are the runs in the folder by the hash of what they were made from, samples
	// counts them by the id of their task.
	known   map[string]string
	samples map[string]int
}

// Config says how recordings are imported.
type Config struct {
	// Out is the folder for the runs; it is made when it does not exist.
	Out string
	// Dialect is how the recorded model spoke; empty goes by the model's name, and else
	// by the format.
	Dialect string
	// Tasks are the words of tasks by their ids, for recordings that do not hold theirs;
	// nil is none.
	Tasks map[string]Words
}

// Words are what a task asks for and the page it begins with, which may be empty.
type Words struct{ Task, URL string }

// New looks at what is in the folder already. What an import left there that was killed
// an hour ago or earlier is removed.
func New(cfg Config) (*Importer, error) {
	if cfg.Dialect != "" {
		if _, err := dialect.Get(cfg.Dialect); err != nil {
			return nil, err
		}
	}
	out, err := filepath.Abs(cfg.Out)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, fmt.Errorf("run folder: %w; choose another with --out", err)
	}
	im := &Importer{out: out, dialect: cfg.Dialect, tasks: cfg.Tasks, known: map[string]string{}, samples: map[string]int{}}
	return im, im.survey()
}

// Done is what became of a source.
type Done struct {
	// Run is the run's id, Dir its folder.
	Run, Dir string
	// Existed: the same source was imported before, and nothing was written.
	Existed bool
	Result  trajectory.Result
	Origin  trajectory.Imported
}

// Import writes a source as a run. Until the run is whole it stands under another
// name, which goes when the source cannot be read or ctx ends: the error is then ctx's
// cause. A source that was imported already is left alone.
func (im *Importer) Import(ctx context.Context, src Source) (Done, error) {
	rec, err := src.read()
	if err != nil {
		return Done{}, err
	}
	if err := rec.fetch(ctx); err != nil {
		return Done{}, err
	}
	sum := rec.files.total()
	if dir, ok := im.known[sum]; ok {
		run, err := trajectory.Read(dir)
		if err != nil {
			return Done{}, err
		}
		done := Done{Run: run.Task.Run, Dir: dir, Existed: true, Origin: *run.Task.Imported}
		if run.Result != nil {
			done.Result = *run.Result
		}
		return done, nil
	}
	done, err := im.write(ctx, rec, filepath.Base(src.Path), sum)
	if err == nil {
		im.known[sum] = done.Dir
	}
	return done, err
}

// write makes the run under a name that no command takes for a run's, and then gives
// it its own.
func (im *Importer) write(ctx context.Context, rec *recording, base, sum string) (done Done, err error) {
	rec.complete(im.tasks)
	d, err := rec.speech(im.dialect)
	if err != nil {
		return Done{}, err
	}
	id := rec.created.UTC().Format("20060102-150405-") + sum[:8]
	stage, err := os.MkdirTemp(im.out, staging+id+"-")
	if err != nil {
		return Done{}, fmt.Errorf("run folder: %w; choose another with --out", err)
	}
	defer os.RemoveAll(stage)
	task := rec.asTask(id, d)
	task.Imported = &trajectory.Imported{Format: string(rec.format), Source: base, Files: len(rec.files.sums), SHA256: sum, At: time.Now().UTC()}
	if task.Sample.Number == 0 {
		task.Sample.Number = im.samples[rec.id] + 1
	}
	final := filepath.Join(im.out, id)
	result, err := rec.fill(ctx, d, stage, final, task)
	if err != nil {
		return Done{}, err
	}
	if err := os.Rename(filepath.Join(stage, id), final); err != nil {
		return Done{}, fmt.Errorf("run folder: %w; choose another with --out", err)
	}
	im.samples[rec.id]++
	return Done{Run: id, Dir: final, Result: result, Origin: *task.Imported}, nil
}

// fill writes the run's folder below stage, as it will stand at final.
func (r *recording) fill(ctx context.Context, d dialect.Dialect, stage, final string, task trajectory.Task) (trajectory.Result, error) {
	w, err := trajectory.Create(stage, task, nil)
	if err != nil {
		return trajectory.Result{}, err
	}
	s := &scribe{rec: r, d: d, run: w, now: r.created}
	w.Clock(func() time.Time { return s.now })
	result, err := s.all(ctx, task)
	if err != nil {
		w.Discard()
		return trajectory.Result{}, err
	}
	result.Dir, task.Imported.Notes = final, r.notes
	return result, errors.Join(w.Finish(s.step, result), w.Restate(task))
}

// complete takes the task's words from elsewhere when the source does not hold them.
func (r *recording) complete(tasks map[string]Words) {
	if r.task != "" {
		return
	}
	known, ok := tasks[r.id]
	if !ok {
		r.note("the source does not hold the task's words")
		return
	}
	r.task, r.url = known.Task, pick(r.url, known.URL)
	r.note("the task's words are not the source's; they were given with the import")
}

// speech is how the recorded model spoke.
func (r *recording) speech(given string) (dialect.Dialect, error) {
	name := cmp.Or(given, r.dialect)
	if name == "" {
		if d, ok := dialect.ForModel(r.model); ok && r.model != "" {
			name = d.Name
		}
	}
	d, err := dialect.Get(cmp.Or(name, r.format.dialect()))
	if err != nil {
		return d, err
	}
	if r.space != "" {
		d.Space = r.space
	}
	d.Turns.Blank = "" // where a recording begins, a page is open, whether its address is known or not
	return d, nil
}

// staging is what the folder of a run begins with that is not whole yet.
const staging = ".import-"

// survey reads which sources the folder's runs were made from.
func (im *Importer) survey() error {
	entries, err := os.ReadDir(im.out)
	if err != nil {
		return fmt.Errorf("run folder: %w; choose another with --out", err)
	}
	for _, e := range entries {
		dir := filepath.Join(im.out, e.Name())
		if strings.HasPrefix(e.Name(), staging) {
			sweep(dir)
			continue
		}
		im.count(dir)
	}
	return nil
}

// count notes a run that was imported before.
func (im *Importer) count(dir string) {
	raw, err := os.ReadFile(filepath.Join(dir, "task.json"))
	var task trajectory.Task
	if err != nil || json.Unmarshal(raw, &task) != nil || task.Imported == nil {
		return
	}
	im.known[task.Imported.SHA256] = dir
	if task.Sample != nil {
		im.samples[task.Sample.Task]++
	}
}

// stale is how old a folder is that an import left behind which is no more.
const stale = time.Hour

// sweep removes what an import that was killed left. A younger one may be another's.
func sweep(dir string) {
	if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > stale {
		os.RemoveAll(dir)
	}
}
