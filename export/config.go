package export

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Config says what is exported, and how.
type Config struct {
	// Runs are the runs' folders, as Find gives them.
	Runs []string
	// Out is the folder to be written. It may exist when it is empty, or with Replace
	// when it is an export.
	Out     string
	Replace bool
	// Name is the format's name; one of Format and Layout writes it.
	Name   string
	Format Format
	Layout Layout

	Kind Kind
	Per  Per
	// Images says where pictures are; empty is Linked.
	Images Images
	// Trained are the replies to learn; nil is those that were used as they came.
	Trained Trained
	// KeepUntrained has rows of the other replies too, marked as not to be learned.
	KeepUntrained bool
	// Reads has rows of the questions that were put about pages' texts.
	Reads bool
	// Checked: a success counts for pairs and labels only when somebody checked it.
	Checked bool
	// Unsent says what becomes of requests that nobody wrote down.
	Unsent Unsent
	// Dedupe has rows that are the same but for their origin once.
	Dedupe bool

	Filter Filter
	// FailuresApart has runs that did not succeed in a part of their own.
	FailuresApart bool
	// MaxPerSite bounds the runs of a site; 0 is no bound.
	MaxPerSite int
	// Split are the parts; nil is one, "train".
	Split   []Share
	SplitBy SplitBy
	// Seed decides the split, and which runs MaxPerSite leaves.
	Seed string

	// SkipUnfinished leaves out runs without an ending, SkipBad those that cannot be
	// read. Without them they are an *InputError.
	SkipUnfinished, SkipBad bool

	// Fara is the program's version, Asked the settings for the manifest.
	Fara  string
	Asked map[string]string
	// Workers is how many runs are read at once; 0 means 2.
	Workers int
	// Told is called with what happens to each run, from one goroutine; nil is nobody.
	Told func(Note)

	left *tally
}

// Note is what happened to one run.
type Note struct {
	Run string `json:"run,omitempty"`
	Dir string `json:"dir"`
	// Part and Rows are where its rows went and how many; Skipped is why it has none.
	Part    string    `json:"part,omitempty"`
	Rows    int       `json:"rows"`
	Refused []Refusal `json:"refused,omitempty"`
	Skipped string    `json:"skipped,omitempty"`
}

// InputError is what the caller gave that cannot be exported.
type InputError struct{ Err error }

// Error gives the text.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *InputError) Unwrap() error { return e.Err }

func input(format string, args ...any) error { return &InputError{fmt.Errorf(format, args...)} }

// withDefaults fills what is empty.
func (c Config) withDefaults() Config {
	if c.Kind == "" {
		c.Kind = Replies
	}
	if c.Per == "" {
		c.Per = PerStep
	}
	if c.Images == "" {
		c.Images = Linked
	}
	if c.Trained == nil {
		c.Trained = Trained{Model: true}
	}
	if len(c.Split) == 0 {
		c.Split = []Share{{"train", 1}}
	}
	if c.SplitBy == "" {
		c.SplitBy = ByTask
	}
	if c.Workers == 0 {
		c.Workers = 2
	}
	if c.Told == nil {
		c.Told = func(Note) {}
	}
	c.left = &tally{counts: map[string]int{}}
	return c
}

// check finds what does not go together.
func (c Config) check() error {
	if len(c.Runs) == 0 {
		return errors.New("there is no run to export")
	}
	if err := c.Filter.Check(); err != nil {
		return err
	}
	if c.Per == PerRun && c.Kind != Replies {
		return fmt.Errorf("rows of %s are made step by step", c.Kind)
	}
	if _, share := c.Format.(ShareGPT); share && c.KeepUntrained {
		return errors.New("sharegpt has no mark for what is not to be learned; leave such replies out, or take another format")
	}
	if c.Format != nil {
		return c.Format.Check(c.Kind)
	}
	return nil
}

// leave counts a reply that is not learned.
func (c *Config) leave(by Provenance) { c.left.add(string(by)) }

// tally counts by name, from any goroutine.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (t *tally) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[name]++
}

// inOrder writes counts as "2 status, 1 site".
func inOrder(counts map[string]int) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%d by %s", counts[name], name))
	}
	return strings.Join(out, ", ")
}
