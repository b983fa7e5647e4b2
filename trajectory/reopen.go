package trajectory

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ErrInUse means that a living process is writing the run.
var ErrInUse = errors.New("the run is in use by another process; wait for it or end it")

// Reopen goes on with a run's folder: a Writer that has all its events, and what
// was read. A last line that broke off is cut away with the first event that is
// appended; until then nothing in the folder changes. The error wraps ErrInUse
// when another process writes to it. The caller ends the run with Finish, or
// leaves it as it was with Close.
func Reopen(dir string, clean func([]byte) []byte) (*Writer, *Run, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	if _, err := Read(dir); err != nil { // before anything is held
		return nil, nil, err
	}
	log, err := os.OpenFile(filepath.Join(dir, eventsFile), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("event log: %w", err)
	}
	w, run, err := reopen(dir, log)
	if err != nil {
		log.Close()
		return nil, nil, err
	}
	w.clean = clean
	return w, run, nil
}

// reopen reads the run once more now that nobody else can write it.
func reopen(dir string, log *os.File) (*Writer, *Run, error) {
	free, err := Lock(log)
	if err != nil {
		return nil, nil, fmt.Errorf("event log: %w", err)
	}
	if !free {
		return nil, nil, fmt.Errorf("%s: %w", dir, ErrInUse)
	}
	run, err := Read(dir)
	if err != nil {
		return nil, nil, err
	}
	w := &Writer{dir: dir, log: log, events: run.Events, frames: map[string]string{}, now: time.Now}
	w.before = func() error { return w.goOn(log) }
	for _, e := range run.Events {
		if e.Observed != nil {
			w.frames[e.Observed.SHA256] = e.Observed.Frame
		}
	}
	w.pictures = numbered(filepath.Join(dir, framesDir))
	w.pages = numbered(filepath.Join(dir, pagesDir))
	return w, run, nil
}

// goOn makes the folder that of a run under way again: no broken line, and no
// result.
func (w *Writer) goOn(log *os.File) error {
	data, err := os.ReadFile(log.Name())
	if err != nil {
		return err
	}
	if whole := int64(strings.LastIndexByte(string(data), '\n') + 1); whole < int64(len(data)) {
		if err := log.Truncate(whole); err != nil {
			return err
		}
		if _, err := log.Seek(0, io.SeekEnd); err != nil {
			return err
		}
	}
	err = os.Remove(filepath.Join(w.dir, resultFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// numbered is the highest number that a file in a folder is named by: what a
// crash left behind without an event is not written over.
func numbered(dir string) int {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	most := 0
	for _, e := range entries {
		name, _, _ := strings.Cut(e.Name(), ".")
		if n, err := strconv.Atoi(name); err == nil {
			most = max(most, n)
		}
	}
	return most
}

// Close lets go of a run without changing it.
func (w *Writer) Close() error { return w.log.Close() }

// Complete writes the result.json that a crash right after the last event left
// out, and lets go of the run.
func (w *Writer) Complete() error {
	n := len(w.events)
	if n == 0 || w.events[n-1].Ended == nil {
		return errors.Join(errors.New("the run has not ended"), w.Close())
	}
	return errors.Join(writeJSON(filepath.Join(w.dir, resultFile), w.events[n-1].Ended, w.clean), w.Close())
}
