package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"fara/env"
)

// unkept are flags that a run's folder does not keep: keys, addresses that may
// hold one, and what is no setting of a run.
var unkept = []string{"api-key", "verify-api-key", "cdp", "cdp-header", "out", "json", "help", "task", "downloads-folder", "control", "otel", "metrics", "answer", "approval", "secret"}

// paths are flags that name files or folders, which are kept with their whole path.
var paths = []string{"endpoint-config", "prompt-file", "calibration", "browser", "profile-dir", "upload", "policy", "check", "answer-schema"}

// addresses are flags that may hold a name and a password, which are not kept.
var addresses = []string{"url", "endpoint", "verify-endpoint", "proxy"}

// settings are the flags that were given, as they are kept with a run.
func settings(flags *pflag.FlagSet) map[string][]string {
	kept := map[string][]string{}
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(unkept, f.Name) {
			return
		}
		values := valuesOf(f.Value)
		for i, v := range values {
			switch {
			case slices.Contains(addresses, f.Name):
				values[i] = env.WithoutUser(v)
			case slices.Contains(paths, f.Name):
				if whole, err := filepath.Abs(v); err == nil {
					values[i] = whole
				}
			}
		}
		kept[f.Name] = values
	})
	return kept
}

func valuesOf(v pflag.Value) []string {
	switch list := v.(type) {
	case pflag.SliceValue:
		return slices.Clone(list.GetSlice())
	case *several:
		return slices.Clone(list.values)
	case *files:
		return slices.Clone(list.values)
	}
	return []string{v.String()}
}

// takeSettings gives flags the values that were kept with a run. What stands on
// the command line wins; what the environment says does not.
func takeSettings(flags *pflag.FlagSet, kept map[string][]string) error {
	for name, values := range kept {
		f := flags.Lookup(name)
		if f == nil {
			return usage("the run was made with --%s, which this program does not know; use the version that made it", name)
		}
		if given(flags, name) {
			continue
		}
		if err := setAll(f, values); err != nil {
			return usage("the run was made with --%s %q: %w", name, values, err)
		}
		f.Changed = true
		delete(f.Annotations, fromVariable)
	}
	return nil
}

func setAll(f *pflag.Flag, values []string) error {
	switch list := f.Value.(type) {
	case pflag.SliceValue:
		return list.Replace(values)
	case *several:
		list.values, list.given = slices.Clone(values), true
		return nil
	case *files:
		list.values = slices.Clone(values)
		return nil
	}
	if len(values) != 1 {
		return fmt.Errorf("it takes one value")
	}
	return f.Value.Set(values[0])
}
