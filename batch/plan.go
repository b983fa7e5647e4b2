package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
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

// check finds what no batch can be made of: jobs that could not be told apart.
func (p Plan) check() error {
	ids := make(map[string]bool, len(p.Tasks))
	for _, t := range p.Tasks {
		if t.ID == "" || !utf8.ValidString(t.ID) {
			return fmt.Errorf("the task in line %d of %s has no id that can be written down: %q", t.Line, p.Source, t.ID)
		}
		if ids[t.ID] {
			return fmt.Errorf("%s has two tasks called %q", p.Source, t.ID)
		}
		ids[t.ID] = true
	}
	for id := range ids {
		if m := sampled.FindStringSubmatch(id); m != nil && ids[m[1]] {
			return fmt.Errorf("%s has a task called %q, which is what a sample of %q is called", p.Source, id, m[1])
		}
	}
	return nil
}

// sampled is an id like the key of a task's second or later sample.
var sampled = regexp.MustCompile(`^(.+)#(?:[2-9]|[1-9][0-9]+)$`)

// stored are the tasks as they are written down: without passwords in addresses.
func (p Plan) stored() []Task {
	all := make([]Task, len(p.Tasks))
	for i, t := range p.Tasks {
		all[i] = t.stored()
	}
	return all
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

// compare reads what the batch in a folder is, and how many tasks a plan has more; nil
// when there is none. The error wraps ErrOther when the plan is not that batch's.
func compare(dir string, plan Plan) (head *header, added int, err error) {
	if err := plan.check(); err != nil {
		return nil, 0, err
	}
	head, was, err := readPlan(dir)
	if err != nil || head == nil {
		return nil, 0, err
	}
	if added, err = differs(*head, was, plan); err != nil {
		return nil, 0, fmt.Errorf("%s: %w: %w", dir, ErrOther, err)
	}
	return head, added, nil
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
	now := make(map[string]Task, len(plan.Tasks))
	for _, t := range plan.Tasks {
		now[t.ID] = t.stored()
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
	if bytes.Equal(one, two) {
		return true
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
