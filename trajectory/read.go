package trajectory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Run is a run read back from its folder.
type Run struct {
	Dir    string
	Task   Task
	Events []Event
	// Result is nil when the run has not ended.
	Result *Result
	// HasResult: result.json is there; else Result is from the log.
	HasResult bool
	// Torn: the last line of the log broke off and was left out.
	Torn bool
}

// Read reads a run's folder. A last line that broke off is left out; any other
// line that cannot be read is an error that names it.
func Read(dir string) (*Run, error) {
	r := &Run{Dir: dir}
	if err := readJSON(filepath.Join(dir, taskFile), &r.Task); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil, fmt.Errorf("%s is not a run's folder: it has no %s", dir, taskFile)
		}
		return nil, err
	}
	if r.Task.Version > Version {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, taskFile), unreadable(r.Task.Version))
	}
	log, err := os.ReadFile(filepath.Join(dir, eventsFile))
	if err != nil {
		return nil, err
	}
	if r.Events, r.Torn, err = ParseEvents(log); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, eventsFile), err)
	}
	var result Result
	err = readJSON(filepath.Join(dir, resultFile), &result)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	switch n := len(r.Events); {
	case err == nil:
		r.Result, r.HasResult = &result, true
	case n > 0 && r.Events[n-1].Ended != nil: // a crash just before the file was written
		r.Result = r.Events[n-1].Ended
	}
	return r, nil
}

// Load gives the bytes of a file below the run's folder, such as a frame.
func (r *Run) Load(file string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return nil, fmt.Errorf("%q is not below the run's folder", file)
	}
	return os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(file)))
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// ParseEvents reads an event log. torn says that its last line had no end and
// was left out: a crash in the middle of writing, which lost nothing that was
// acknowledged.
func ParseEvents(log []byte) (events []Event, torn bool, err error) {
	for n := 1; len(log) > 0; n++ {
		line, rest, whole := bytes.Cut(log, []byte("\n"))
		if !whole {
			return events, true, nil
		}
		log = rest
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, false, fmt.Errorf("line %d: %w", n, err)
		}
		if err := e.check(len(events)); err != nil {
			return nil, false, fmt.Errorf("line %d: %w", n, err)
		}
		events = append(events, e)
	}
	return events, false, nil
}

// unreadable says that a file is of a version we do not know.
func unreadable(version int) error {
	return fmt.Errorf("version %d is not readable; this program reads up to %d, so use the one that wrote it", version, Version)
}

// check says whether an event is whole: known version, the next number, the
// payload its kind promises. Kinds from later versions have none we know.
func (e Event) check(seq int) error {
	if e.V < 1 || e.V > Version {
		return unreadable(e.V)
	}
	if e.Seq != seq {
		return fmt.Errorf("seq is %d, want %d", e.Seq, seq)
	}
	has, known := map[Kind]bool{
		KindStarted: e.Started != nil, KindObserved: e.Observed != nil, KindProposed: e.Proposed != nil,
		KindAdapted: e.Adapted != nil, KindDecided: e.Decided != nil, KindActing: e.Acting != nil,
		KindActed: e.Acted != nil, KindFact: e.Fact != nil, KindAsked: e.Asked != nil,
		KindReplied: e.Replied != nil, KindVerdict: e.Verdict != nil, KindWarned: e.Warned != nil,
		KindPaused: e.Paused != nil, KindResumed: e.Resumed != nil, KindRecovered: e.Recovered != nil, KindEnded: e.Ended != nil,
	}[e.Kind]
	if known && !has {
		return fmt.Errorf("%s lacks its payload", e.Kind)
	}
	if e.Kind == "" {
		return errors.New("kind is missing")
	}
	return nil
}
