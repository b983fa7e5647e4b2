package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"fara/trajectory"
)

// ledgerVersion is the version of the ledger's lines.
const ledgerVersion = 1

// What a line of the ledger tells.
type entryKind string

const (
	// began: an attempt is about to be made, in the run's folder that it names.
	began entryKind = "began"
	// again: an attempt came to nothing that counts, and the job waits for the next.
	again entryKind = "again"
	// ended: the job has its ending. There is one for a job, unless a person asks for
	// it to be done once more.
	ended entryKind = "ended"
	// reopened: a person asked for that.
	reopened entryKind = "reopened"
)

// entry is one line of a batch's ledger, on disk before what it announces.
type entry struct {
	V    int       `json:"v"`
	At   time.Time `json:"at"`
	Kind entryKind `json:"kind"`
	Job  string    `json:"job"`
	// Run is the run's id; empty when none was begun.
	Run     string `json:"run,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	// Step is how far the run was when an attempt began.
	Step int `json:"step,omitempty"`
	// Class, Result and Why say how an attempt or the job ended. Fresh: the next
	// attempt begins a new run.
	Class  Class              `json:"class,omitempty"`
	Result *trajectory.Result `json:"result,omitempty"`
	Why    string             `json:"why,omitempty"`
	Fresh  bool               `json:"fresh,omitempty"`
	// Busy: its site sent it away, which is no fault of anybody's.
	Busy bool `json:"busy,omitempty"`
	// Worker is who did it, when it was another machine.
	Worker string `json:"worker,omitempty"`
}

// ledger is the append-only record of a batch. Several goroutines do not share it.
type ledger struct {
	file *os.File
	now  func() time.Time
}

// openLedger opens the record, for this process alone, and gives what is in it. A
// last line that broke off is cut away.
func openLedger(path string) (*ledger, []entry, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, err
	}
	entries, err := takeLedger(f)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return &ledger{file: f, now: time.Now}, entries, nil
}

func takeLedger(f *os.File) ([]entry, error) {
	free, err := trajectory.Lock(f)
	if err != nil {
		return nil, err
	}
	if !free {
		return nil, ErrInUse
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		return nil, err
	}
	if whole := int64(bytes.LastIndexByte(data, '\n') + 1); whole < int64(len(data)) {
		if err := f.Truncate(whole); err != nil {
			return nil, err
		}
		data = data[:whole]
	}
	return parseLedger(f.Name(), data)
}

func parseLedger(name string, data []byte) ([]entry, error) {
	var all []entry
	for n := 1; len(data) > 0; n++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		var e entry
		err := json.Unmarshal(line, &e)
		switch {
		case err != nil:
		case e.V < 1 || e.V > ledgerVersion:
			err = fmt.Errorf("version %d is not readable; use the program that wrote it", e.V)
		case e.Job == "":
			err = errors.New("it names no job")
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// append writes one line and returns when it is on the disk.
func (l *ledger) append(e entry) error {
	e.V, e.At = ledgerVersion, l.now().UTC()
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("the batch's ledger: %w", err)
	}
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("the batch's ledger: %w", err)
	}
	return nil
}

func (l *ledger) close() error { return l.file.Close() }
