package batch

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fara/env"
)

// Task is one line of a task file.
type Task struct {
	// ID is the task's own name, different from all others of its batch.
	ID string `json:"id"`
	// Task is what is to be done, in the user's words.
	Task string `json:"task"`
	// URL is the page to begin with; empty begins with a blank one.
	URL string `json:"url,omitempty"`
	// Flags are settings of fara run for this task alone, by the flag's name with
	// hyphens; a flag that may be repeated has several values.
	Flags map[string][]string `json:"flags,omitempty"`
	// Files are the contents of files that some flags name, by flag: an answer schema
	// or assertions that stand in the task file itself.
	Files map[string]string `json:"files,omitempty"`
	// Meta is what else the line says, such as a level or a rubric. It is kept with the
	// runs and changes nothing about them.
	Meta map[string]json.RawMessage `json:"meta,omitempty"`
	// Line is where the task stands in its file, from 1.
	Line int `json:"line"`
}

// stored is the task without passwords in its addresses.
func (t Task) stored() Task {
	t.URL = withoutUser(t.URL)
	flags := t.Flags
	for name, values := range flags {
		for i, v := range values {
			clean := withoutUser(v)
			if clean == v || !strings.Contains(v, "://") {
				continue
			}
			if &t.Flags[name][0] == &flags[name][0] { // not its own yet
				t.Flags = maps.Clone(t.Flags)
				t.Flags[name] = slices.Clone(values)
			}
			t.Flags[name][i] = clean
		}
	}
	return t
}

// withoutUser takes the name and the password out of an address, which may lack its
// scheme.
func withoutUser(address string) string {
	if host, _, _ := strings.Cut(address, "/"); !strings.Contains(address, "://") && strings.Contains(host, "@") {
		return strings.TrimPrefix(env.WithoutUser("https://"+address), "https://")
	}
	return env.WithoutUser(address)
}

// Job is one run to be done: a sample of a task.
type Job struct {
	Task
	// Sample counts the runs of the task from 1.
	Sample int `json:"sample"`
}

// Key is the job's name, different from all others of its batch: the task's id and,
// from the second sample on, its number, as in "tea#2".
func (j Job) Key() string {
	if j.Sample <= 1 {
		return j.ID
	}
	return fmt.Sprintf("%s#%d", j.ID, j.Sample)
}
