package export

import (
	"errors"
	"path/filepath"

	"fara/trajectory"
)

// unit is what is made into rows at one time: a run, or for pairs the runs of a task.
type unit []*entry

// plan looks at every run, and says what is made of which in what order.
type plan struct {
	units   []unit
	runs    int            // that were found
	skipped map[string]int // why runs were left out: a filter's name, "unfinished", "bad"
}

func (c *Config) plan() (*plan, error) {
	p := &plan{runs: len(c.Runs), skipped: map[string]int{}}
	var entries []*entry
	seen := map[string]string{}
	for _, dir := range c.Runs {
		e, err := look(dir)
		if err != nil {
			if err = c.skip(p, dir, err); err != nil {
				return nil, err
			}
			continue
		}
		if why := c.Filter.leavesOut(e.origin); why != "" {
			p.skipped[why]++
			continue
		}
		if other, twice := seen[e.origin.Run]; twice {
			return nil, input("the run %s is there twice, as %s and as %s; leave one out", e.origin.Run, other, dir)
		}
		seen[e.origin.Run] = dir
		entries = append(entries, e)
	}
	if c.MaxPerSite > 0 {
		all := len(entries)
		entries = balance(entries, c.MaxPerSite, c.Seed)
		if n := all - len(entries); n > 0 {
			p.skipped["site_limit"] = n
		}
	}
	if len(entries) == 0 {
		return nil, input("no run is left of %d: %s", p.runs, inOrder(p.skipped))
	}
	c.assign(entries)
	p.units = c.units(entries)
	return p, nil
}

// skip leaves out a run that cannot be exported, when that is wanted.
func (c *Config) skip(p *plan, dir string, err error) error {
	why := "bad"
	if errors.Is(err, ErrUnfinished) || errors.Is(err, ErrNoRun) {
		why = "unfinished"
	}
	if why == "unfinished" && !c.SkipUnfinished {
		return input("%w", err)
	}
	if why == "bad" && !c.SkipBad {
		return input("%w; --skip-bad leaves out what cannot be read", err)
	}
	p.skipped[why]++
	c.Told(Note{Run: filepath.Base(dir), Dir: dir, Skipped: err.Error()})
	return nil
}

// assign gives every run its part.
func (c *Config) assign(entries []*entry) {
	var rest []*entry
	for _, e := range entries {
		if c.FailuresApart && e.origin.Status != string(trajectory.Success) {
			e.part = FailuresPart
			continue
		}
		rest = append(rest, e)
	}
	split(rest, c.Split, c.SplitBy, c.Seed)
}

func (c *Config) units(entries []*entry) []unit {
	var units []unit
	if c.Kind != Pairs {
		for _, e := range entries {
			units = append(units, unit{e})
		}
		return units
	}
	at := map[string]int{}
	for _, e := range entries {
		i, known := at[e.key]
		if !known {
			i = len(units)
			at[e.key] = i
			units = append(units, nil)
		}
		units[i] = append(units[i], e)
	}
	return units
}

// parts are the names of the parts in the order of their files.
func (c *Config) parts() []string {
	var names []string
	for _, s := range c.Split {
		names = append(names, s.Name)
	}
	if c.FailuresApart {
		names = append(names, FailuresPart)
	}
	return names
}

// made is what came of a unit.
type made struct {
	unit    unit
	rows    []*Row
	refused []Refusal
	err     error
}

// make makes a unit's rows.
func (c *Config) make(u unit) made {
	m := made{unit: u}
	take := func(r *Row) error { m.rows = append(m.rows, r); return nil }
	refuse := func(r Refusal) { m.refused = append(m.refused, r) }
	for _, e := range u {
		if e.sum, m.err = hashFile(filepath.Join(e.dir, "events.jsonl")); m.err != nil {
			return m
		}
	}
	if c.Kind == Pairs {
		m.err = pairs(c, u, take, refuse)
		return m
	}
	s, err := Open(u[0].dir)
	if err == nil {
		err = c.of(s, take, refuse)
	}
	m.err = err
	return m
}

// of makes the rows of one run.
func (c *Config) of(s *Source, take func(*Row) error, refuse func(Refusal)) error {
	switch c.Kind {
	case Grounding:
		return s.targets(c, take, refuse)
	case Labelled:
		return s.labelled(c, take, refuse)
	}
	err := s.rows(c, take, refuse)
	if err == nil && c.Reads {
		err = s.reads(c, take, refuse)
	}
	return err
}
