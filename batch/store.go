package batch

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
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

// Plan is what a batch is.
type Plan struct {
	// Source is the task file's name, for people.
	Source string
	Tasks  []Task
	// Samples is the number of runs of each task; 0 means 1.
	Samples int
	// Only has nothing done but that sample of each task; 0 is all of them.
	Only int
	// Settings are the flags that hold for all tasks, by name. Those in Free may change
	// from one call to the next: they shape no run.
	Settings map[string][]string
	Free     []string
	// Fara is the program's version.
	Fara string
}

// header is batch.json.
type header struct {
	Version  int                 `json:"version"`
	ID       string              `json:"id"`
	Source   string              `json:"source"`
	Tasks    int                 `json:"tasks"`
	Samples  int                 `json:"samples"`
	Settings map[string][]string `json:"settings,omitempty"`
	Fara     string              `json:"fara_version"`
	Created  time.Time           `json:"created"`
}

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
	head, was, err := readPlan(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{Dir: dir, plan: plan, New: head == nil}
	if head != nil {
		if s.Added, err = differs(*head, was, plan); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", dir, ErrOther, err)
		}
	}
	if err := s.hold(head); err != nil {
		return nil, err
	}
	return s, nil
}

// Look tells what the batch in a folder came to so far, and changes nothing; there
// may be none. The errors are Open's.
func Look(dir string, plan Plan) (Summary, error) {
	plan.Samples = max(plan.Samples, 1)
	head, was, err := readPlan(dir)
	if err != nil || head == nil {
		return Summary{}, err
	}
	if _, err := differs(*head, was, plan); err != nil {
		return Summary{}, fmt.Errorf("%s: %w: %w", dir, ErrOther, err)
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
func (s *Store) hold(head *header) error {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	var err error
	if s.ledger, s.entries, err = openLedger(filepath.Join(s.Dir, ledgerFile)); err != nil {
		return fmt.Errorf("%s: %w", s.Dir, err)
	}
	if head == nil {
		head = &header{ID: newID(), Created: time.Now().UTC()}
	}
	s.ID = head.ID
	head.Version, head.Source, head.Fara = storeVersion, s.plan.Source, s.plan.Fara
	head.Tasks, head.Samples, head.Settings = len(s.plan.Tasks), s.plan.Samples, s.plan.Settings
	if err = writeLines(filepath.Join(s.Dir, tasksFile), s.plan.Tasks); err == nil {
		err = trajectory.WriteJSON(filepath.Join(s.Dir, batchFile), head)
	}
	if err != nil {
		s.ledger.close()
		return err
	}
	return nil
}

func newID() string {
	var r [4]byte
	rand.Read(r[:]) // never fails
	return hex.EncodeToString(r[:])
}

// readPlan reads what the batch in a folder is; nil when there is none.
func readPlan(dir string) (*header, []Task, error) {
	raw, err := os.ReadFile(filepath.Join(dir, batchFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, empty(dir)
	}
	if err != nil {
		return nil, nil, err
	}
	var head header
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", filepath.Join(dir, batchFile), err)
	}
	if head.Version < 1 || head.Version > storeVersion {
		return nil, nil, fmt.Errorf("%s: version %d is not readable; use the program that wrote it", filepath.Join(dir, batchFile), head.Version)
	}
	tasks, err := readLines[Task](filepath.Join(dir, tasksFile))
	return &head, tasks, err
}

// empty is an error when a folder that holds no batch holds anything else. What a
// batch left that was killed before it was written down is nothing.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); name != tasksFile && !strings.HasPrefix(name, ".") && !(name == ledgerFile && blank(filepath.Join(dir, name))) {
			return fmt.Errorf("%s: %w: it has %s in it, and no %s; choose an empty one", dir, ErrOther, name, batchFile)
		}
	}
	return nil
}

func blank(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == 0
}

// differs says why a plan is not that of the batch in a folder, or how many tasks it
// has more.
func differs(head header, was []Task, plan Plan) (added int, err error) {
	now := map[string]Task{}
	for _, t := range plan.Tasks {
		now[t.ID] = t
	}
	for _, old := range was {
		task, ok := now[old.ID]
		if !ok {
			return 0, fmt.Errorf("its task %q is not in %s", old.ID, plan.Source)
		}
		if !same(old, task) {
			return 0, fmt.Errorf("its task %q is another one in %s", old.ID, plan.Source)
		}
	}
	if plan.Samples < head.Samples {
		return 0, fmt.Errorf("it has %d samples of each task, and now %d are asked for", head.Samples, plan.Samples)
	}
	for _, name := range names(head.Settings, plan.Settings) {
		if old, now := head.Settings[name], plan.Settings[name]; !slices.Contains(plan.Free, name) && !slices.Equal(old, now) {
			return 0, fmt.Errorf("it was begun with --%s %s, and now it is %s", name, shown(old), shown(now))
		}
	}
	return len(plan.Tasks) - len(was), nil
}

func shown(values []string) string {
	if len(values) == 0 {
		return "left out"
	}
	return fmt.Sprintf("%q", strings.Join(values, " "))
}

// same compares tasks wherever they stand in their files.
func same(a, b Task) bool {
	a.Line, b.Line = 0, 0
	one, errA := json.Marshal(a)
	two, errB := json.Marshal(b)
	if errA != nil || errB != nil {
		return false
	}
	var x, y any
	return json.Unmarshal(one, &x) == nil && json.Unmarshal(two, &y) == nil && reflect.DeepEqual(x, y)
}

func names(a, b map[string][]string) []string {
	var all []string
	for _, m := range []map[string][]string{a, b} {
		for name := range m {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
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
