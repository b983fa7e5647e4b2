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
	// Busy: its site sent it away, which is no fault of anybody's. Unseen: the program
	// ended on the way, and nobody saw why.
	Busy   bool `json:"busy,omitempty"`
	Unseen bool `json:"unseen,omitempty"`
	// Worker is who did it, when it was another machine.
	Worker string `json:"worker,omitempty"`
}

// ledger is the append-only record of a batch. Several goroutines do not share it.
type ledger struct {
	file logFile
	now  func() time.Time
	size int64 // of what is whole
	torn error // why a line that broke off could not be cut away
}

// logFile is what a ledger needs of an *os.File.
type logFile interface {
	Name() string
	Write(p []byte) (int, error)
	Sync() error
	Truncate(size int64) error
	Close() error
}

// openLedger opens the record, for this process alone. A new one is made only where
// that is said.
func openLedger(path string, made int) (*ledger, error) {
	f, err := os.OpenFile(path, made|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	free, err := trajectory.Lock(f)
	if err == nil && !free {
		err = ErrInUse
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &ledger{file: f, now: time.Now}, nil
}

// read gives what is in the record. A last line that broke off is cut away.
func (l *ledger) read() ([]entry, error) {
	data, err := os.ReadFile(l.file.Name())
	if err != nil {
		return nil, err
	}
	l.size = int64(bytes.LastIndexByte(data, '\n') + 1)
	entries, err := parseLedger(l.file.Name(), data[:l.size])
	if err == nil && l.size < int64(len(data)) {
		err = l.file.Truncate(l.size)
	}
	return entries, err
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

// append writes a line for each entry and returns when they are on the disk. On an
// error none of them counts, and nothing of them is left to break later ones.
func (l *ledger) append(all ...entry) error {
	if l.torn != nil {
		return l.torn
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, e := range all {
		e.V, e.At = ledgerVersion, l.now().UTC()
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	_, err := l.file.Write(buf.Bytes())
	if err == nil {
		err = l.file.Sync()
	}
	if err == nil {
		l.size += int64(buf.Len())
		return nil
	}
	err = fmt.Errorf("the batch's ledger: %w", err)
	if l.file.Truncate(l.size) != nil {
		l.torn = err
	}
	return err
}

func (l *ledger) close() error { return l.file.Close() }
