package ingest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Format names how a program records.
type Format string

// The formats.
const (
	DataPoint Format = "datapoint" // Fara-1.5: a folder with data_point.json or solver_log/
	WebEval   Format = "webeval"   // webeval with Fara-7B: a folder with web_surfer.log
	UITars    Format = "ui-tars"   // UI-TARS: a JSON file with conversations
)

// Formats lists the formats with what each is known by.
func Formats() [][2]string {
	return [][2]string{
		{string(DataPoint), "Fara-1.5's folder with data_point.json or solver_log/events.jsonl"},
		{string(WebEval), "webeval's folder with web_surfer.log or a *_final_answer.json"},
		{string(UITars), "UI-TARS's JSON file with conversations (GUIAgentData version 1)"},
	}
}

// dialect is the one that the models spoke whose runs have that format.
func (f Format) dialect() string {
	return map[Format]string{DataPoint: "fara-1.5", WebEval: "fara-7b", UITars: "ui-tars-1.5"}[f]
}

// images is how many pictures the recorders put into a request unless they are told
// otherwise, which no recording says.
func (f Format) images() int {
	if f == UITars {
		return 5
	}
	return 3
}

// Source is one recording: a folder, or a file.
type Source struct {
	Path   string
	Format Format
}

// Find walks a folder for recordings, in the order of their names, or takes a file for
// one. An empty format finds all of them. It is empty when nothing is known there.
//
// It does not follow links, looks into no folder whose name begins with a dot, and into
// none that is a recording or a run itself.
func Find(path string, format Format) ([]Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if info.Mode().IsRegular() && (format == "" || format == UITars) && isUITars(path) {
			return []Source{{Path: path, Format: UITars}}, nil
		}
		return nil, nil
	}
	var found []Source
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && at != path && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() && IsRun(at):
			return fs.SkipDir
		case d.IsDir():
			if f := folder(at); f != "" {
				if format == "" || f == format {
					found = append(found, Source{Path: at, Format: f})
				}
				return fs.SkipDir
			}
		case d.Type().IsRegular() && strings.EqualFold(filepath.Ext(at), ".json") && (format == "" || format == UITars):
			if isUITars(at) {
				found = append(found, Source{Path: at, Format: UITars})
			}
		}
		return nil
	})
	return found, err
}

// folder says which format a folder itself has; empty is none.
func folder(dir string) Format {
	has := func(pattern string) bool {
		found, err := filepath.Glob(filepath.Join(escape(dir), pattern))
		return err == nil && len(found) > 0
	}
	switch {
	case has("data_point.json"), has("solver_log/events.jsonl"), has("solver_log/status.json"):
		return DataPoint
	case has("web_surfer.log"), has("*_final_answer.json"):
		return WebEval
	case has("events.jsonl") && has("screenshot_*_pre.*"):
		return DataPoint
	}
	return ""
}

// escape has a folder's name mean itself in a pattern.
func escape(dir string) string {
	var b strings.Builder
	for _, c := range dir {
		if strings.ContainsRune(`*?[\`, c) {
			b.WriteRune('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// IsRun reports whether a folder is a run's already.
func IsRun(dir string) bool {
	raw, err := os.ReadFile(filepath.Join(dir, "task.json"))
	if err != nil {
		return false
	}
	var task struct {
		Version int    `json:"version"`
		Run     string `json:"run"`
	}
	return decode(raw, &task) == nil && task.Version > 0 && task.Run != ""
}

// Check reads a source and its screenshots and writes nothing. The error says why it
// cannot be imported.
func (s Source) Check(ctx context.Context) error {
	rec, err := s.read()
	if err != nil {
		return err
	}
	return rec.fetch(ctx)
}

// read gives what the source tells.
func (s Source) read() (*recording, error) {
	switch s.Format {
	case DataPoint:
		return readDataPoint(s.Path)
	case WebEval:
		return readWebEval(s.Path)
	case UITars:
		return readUITars(s.Path)
	}
	return nil, fmt.Errorf("there is no format %q", s.Format)
}

// check finds what no run can be made from. One that ended before its first action is a
// run all the same.
func (r *recording) check() error {
	first := slices.IndexFunc(r.parts, func(p any) bool { _, ok := p.(*turn); return ok })
	switch {
	case len(r.parts) == 0 && r.end.reason == unfinished.reason:
		return fmt.Errorf("it holds no action, no screenshot and no ending, so there is nothing to import")
	case first >= 0 && !slices.ContainsFunc(r.parts[:first], func(p any) bool { _, ok := p.(*picture); return ok }):
		return fmt.Errorf("step 1 has no screenshot")
	}
	return nil
}
