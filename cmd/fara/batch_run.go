package main

import (
	"cmp"
	"fara/batch"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/pflag"
)

// job gives the flags of one run of a task, resolved.
func (b *batchFlags) job(p *program, j batch.Job) (*runFlags, error) {
	f := &runFlags{}
	set := pflag.NewFlagSet("task", pflag.ContinueOnError)
	set.SetNormalizeFunc(spelling)
	f.register(set)
	var err error
	b.flags.Visit(func(from *pflag.Flag) {
		if to := set.Lookup(from.Name); to != nil && err == nil {
			err = give(set, from.Name, valuesOf(from.Value))
		}
	})
	if err != nil {
		return nil, err
	}
	for name, values := range j.Flags {
		to := set.Lookup(name)
		if to == nil {
			return nil, usage("%s is no flag of a run", name)
		}
		if name == "secret" {
			values = append(slices.Clone(b.secrets.given), values...)
		}
		if err := give(set, name, values); err != nil {
			return nil, usage("%s %q: %w", name, values, err)
		}
	}
	if err := b.sample(set, f, j); err != nil {
		return nil, err
	}
	f.kept, f.out = map[string]string{}, b.out
	for name, text := range j.Files {
		path := fmt.Sprintf("%s:%d", b.source, j.Line)
		if err := give(set, name, []string{path}); err != nil {
			return nil, err
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		f.kept[name+" "+path] = text
	}
	if j.URL != "" {
		if err := give(set, "url", []string{j.URL}); err != nil {
			return nil, err
		}
	}
	if f.secrets.store, err = p.readSecrets(f.secrets.given, nil); err != nil {
		return nil, err
	}
	return f, f.resolve(set, []string{j.Task.Task})
}

// give sets a flag as if it stood on the command line.
func give(set *pflag.FlagSet, name string, values []string) error {
	if len(values) == 0 {
		return nil
	}
	if err := set.Set(name, values[0]); err != nil { // which has it count as given
		return err
	}
	return setAll(set.Lookup(name), values)
}

// Where the seeds of samples begin, and what samples behind the first are drawn at,
// unless something else is said.
const (
	firstSeed      = 1
	variedSampling = 0.7
)

// sample gives a run the seed and the temperature of its place among the task's.
func (b *batchFlags) sample(set *pflag.FlagSet, f *runFlags, j batch.Job) error {
	if b.samples < 2 && len(b.temperatures) == 0 {
		return nil
	}
	seed := cmp.Or(max(f.model.seed, 0), firstSeed) + j.Sample - 1
	if err := give(set, "seed", []string{strconv.Itoa(seed)}); err != nil {
		return err
	}
	temperature := f.model.temperature
	switch {
	case j.Flags["temperature"] != nil:
	case len(b.temperatures) > 0:
		temperature = b.temperatures[(j.Sample-1)%len(b.temperatures)]
	case !b.flags.Changed("temperature") && j.Sample > 1:
		temperature = variedSampling
	}
	return give(set, "temperature", []string{strconv.FormatFloat(temperature, 'g', -1, 64)})
}
