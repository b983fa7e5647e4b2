package batch

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"fara/trajectory"
)

// Files of a batch, beside the folders of its runs.
const (
	batchFile   = "batch.json"
	tasksFile   = "tasks.jsonl"
	ledgerFile  = "ledger.jsonl"
	summaryFile = "summary.json"
	resultsFile = "results.jsonl"
)

// storeVersion is the version of batch.json.
const storeVersion = 1

// What can be wrong with a batch's folder.
var (
	// ErrInUse: a living process works on it.
	ErrInUse = errors.New("another process works on this batch; wait for it or end it")
	// ErrOther: the folder holds something else.
	ErrOther = errors.New("the folder holds another batch")
)

// Store is a batch's folder, held by this process until Close.
type Store struct {
	// Dir is the folder, an absolute path. ID is the batch's own.
	Dir, ID string
	// New: there was no batch in the folder. Added counts the tasks that the file has
	// more than when the batch was last worked on.
	New   bool
	Added int

	plan    Plan
	ledger  *ledger
	entries []entry
}

// Open makes the batch's folder, or goes on with the one that is there. The error
// wraps ErrOther when what is there is something else, with what differs, and
// ErrInUse; nothing was changed then. The caller closes the Store.
func Open(dir string, plan Plan) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	plan.Samples = max(plan.Samples, 1)
	head, _, err := compare(dir, plan)
	if err != nil {
		return nil, err
	}
	s := &Store{Dir: dir, plan: plan}
	if err := s.hold(head == nil); err != nil {
		return nil, err
	}
	return s, nil
}

// Look tells what the batch in a folder came to so far, and changes nothing; there
// may be none. The errors are Open's.
func Look(dir string, plan Plan) (Summary, error) {
	plan.Samples = max(plan.Samples, 1)
	head, _, err := compare(dir, plan)
	if err != nil || head == nil {
		return Summary{}, err
	}
	data, err := os.ReadFile(filepath.Join(dir, ledgerFile))
	if err != nil {
		return Summary{}, err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	entries, err := parseLedger(filepath.Join(dir, ledgerFile), whole)
	if err != nil {
		return Summary{}, err
	}
	s := &Store{Dir: dir, ID: head.ID, plan: plan, entries: entries}
	return New(Config{}, s, nil).Summary(), nil
}

// hold takes the folder and writes down what the batch is.
func (s *Store) hold(begin bool) (err error) {
	made := 0 // a ledger that is gone is not begun again, and with it all tasks
	if begin {
		made = os.O_CREATE
		if err := os.MkdirAll(s.Dir, 0o755); err != nil {
			return err
		}
	}
	if s.ledger, err = openLedger(filepath.Join(s.Dir, ledgerFile), made); err != nil {
		return fmt.Errorf("%s: %w", s.Dir, err)
	}
	if err = s.takeOver(); err != nil {
		s.ledger.close()
	}
	return err
}

// takeOver reads the folder again now that nobody else can write to it.
func (s *Store) takeOver() error {
	head, added, err := compare(s.Dir, s.plan)
	if err != nil {
		return err
	}
	if s.entries, err = s.ledger.read(); err != nil {
		return err
	}
	s.New, s.Added = head == nil, added
	if head == nil {
		head = &header{ID: newID(), Created: time.Now().UTC()}
	}
	s.ID = head.ID
	head.Version, head.Source, head.Fara = storeVersion, s.plan.Source, s.plan.Fara
	head.Tasks, head.Samples, head.Settings = len(s.plan.Tasks), s.plan.Samples, s.plan.Settings
	if err := writeLines(filepath.Join(s.Dir, tasksFile), s.plan.stored()); err != nil {
		return err
	}
	return trajectory.WriteJSON(filepath.Join(s.Dir, batchFile), head)
}

func newID() string {
	var r [4]byte
	rand.Read(r[:]) // never fails
	return hex.EncodeToString(r[:])
}

// Close lets go of the folder.
func (s *Store) Close() error { return s.ledger.close() }

// Jobs are all runs to be done, in the order of the task file, all first samples
// first.
func (s *Store) Jobs() []Job {
	var all []Job
	for n := 1; n <= s.plan.Samples; n++ {
		if s.plan.Only > 0 && n != s.plan.Only {
			continue
		}
		for _, t := range s.plan.Tasks {
			all = append(all, Job{Task: t, Sample: n})
		}
	}
	return all
}

// writable is why nothing can be stored in the folder any more; nil while it can.
func (s *Store) writable() error {
	f, err := os.CreateTemp(s.Dir, ".room-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 256<<10)) // more than a frame takes
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// writeLines writes one JSON object a line, whole or not at all.
func writeLines[T any](path string, items []T) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, item := range items {
		if err := enc.Encode(item); err != nil {
			return err
		}
	}
	return trajectory.WriteFile(path, buf.Bytes())
}

func readLines[T any](path string) ([]T, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []T
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, len(raw)+1)
	for n := 1; lines.Scan(); n++ {
		var item T
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		all = append(all, item)
	}
	return all, lines.Err()
}
