package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"fara/env"
)

// dataPoint reads one folder.
type dataPoint struct {
	dir string
	rec *recording
	// whole is data_point.json; the zero value where it is missing.
	whole  dpWhole
	events []dpEvent
	status string
	out    *dpOutcome
	own    dpStats // zero unless it is an export of ours
	stamps stamps
}

func readDataPoint(dir string) (*recording, error) {
	p := &dataPoint{dir: dir, rec: &recording{format: DataPoint, tool: "Fara 1.5 (DataPoint)"}}
	for _, step := range []func() error{p.readWhole, p.readEvents, p.readTask, p.readStatus, p.tell, p.readVerdicts} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	p.rec.end = p.own.ending(dpEnding(p.status, p.rec))
	if p.out != nil {
		p.rec.end.answer = p.out.Answer
	}
	p.stamps.note(p.rec)
	return p.rec, p.rec.check()
}

// load decodes a file beside the others; a missing one leaves v as it is.
func (p *dataPoint) load(name string, v any) (bool, error) {
	raw, err := p.rec.files.read(filepath.Join(p.dir, filepath.FromSlash(name)), name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = decode(raw, v)
	}
	if err != nil {
		return true, fmt.Errorf("%s: %w", name, plain(err))
	}
	return true, nil
}

// readWhole reads data_point.json. Fara writes it over and over, and a crash in between
// leaves half of it; where the log is there too that loses nothing.
func (p *dataPoint) readWhole() error {
	_, err := p.load("data_point.json", &p.whole)
	if err == nil {
		return nil
	}
	if _, missing := os.Stat(filepath.Join(p.dir, "solver_log", "events.jsonl")); missing != nil {
		return err
	}
	p.whole = dpWhole{}
	p.rec.note("data_point.json cannot be read and is left out; the log says the same")
	return nil
}

// readEvents takes the log where there is one: data_point.json may be older.
func (p *dataPoint) readEvents() error {
	for _, name := range []string{"solver_log/events.jsonl", "events.jsonl"} {
		raw, err := p.rec.files.read(filepath.Join(p.dir, filepath.FromSlash(name)), name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, plain(err))
		}
		torn, err := eachLine(raw, func(n int, line []byte) error { return p.add(line) })
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if torn {
			p.rec.note(name + " ends in a line that broke off, which is left out")
		}
		return nil
	}
	if p.whole.Log == nil {
		return fmt.Errorf("there is neither data_point.json with a solver_log nor solver_log/events.jsonl")
	}
	for i, raw := range p.whole.Log.Events {
		if err := p.add(raw); err != nil {
			return fmt.Errorf("data_point.json: event %d: %w", i+1, err)
		}
	}
	return nil
}

func (p *dataPoint) add(raw []byte) error {
	var e dpEvent
	if err := decode(raw, &e); err != nil {
		return err
	}
	if e.Type != "observation" && e.Type != "action" {
		return fmt.Errorf("there is no event of type %q", e.Type)
	}
	p.events = append(p.events, e)
	return nil
}

func (p *dataPoint) readTask() error {
	task := p.whole.Task
	if task == nil {
		task = &dpTask{}
		if _, err := p.load("task.json", task); err != nil {
			return err
		}
	}
	meta := p.whole.Metadata
	if meta == nil {
		meta = &dpMetadata{}
		if _, err := p.load("metadata.json", meta); err != nil {
			return err
		}
	}
	r := p.rec
	r.task, r.id, r.meta = task.Instruction, task.ID, task.Metadata
	e := task.Environment
	r.url = pick(e.InitURL, pick(e.StartPage, e.StartURL))
	if e.Width > 0 && e.Height > 0 && e.Width <= largestSide && e.Height <= largestSide {
		r.viewport = env.Size{W: e.Width, H: e.Height}
	}
	p.recognise(meta.Stats)
	if meta.RunID != "" {
		r.remember("run_id", meta.RunID)
	}
	r.created = p.stamps.read(meta.Created)
	if r.created.IsZero() && len(p.events) > 0 {
		r.created = p.stamps.read(p.events[0].Timestamp)
	}
	return nil
}

// remember keeps a fact about the task beside what its own line says.
func (r *recording) remember(name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		return
	}
	if r.meta == nil {
		r.meta = map[string]json.RawMessage{}
	}
	if _, given := r.meta[name]; !given {
		r.meta[name] = raw
	}
}

// readStatus takes the status that was written last: its own file's.
func (p *dataPoint) readStatus() error {
	var own dpLog
	found, err := p.load("solver_log/status.json", &own)
	if err != nil {
		return err
	}
	if !found && p.whole.Log != nil {
		own = *p.whole.Log
	}
	p.status, p.out = own.Status, own.Outcome
	return nil
}
