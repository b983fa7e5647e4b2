package chrome

import (
	"fmt"
	"slices"
	"strings"

	"fara/env"
)

// find gives the option that a name means: the one with just that label, else the
// only one with it in another case, with it as its value, that begins with it, or
// that has it somewhere.
func (l list) find(f field, name string) (option, error) {
	name = strings.Join(strings.Fields(name), " ")
	small := strings.ToLower(name)
	ways := []struct {
		fits func(o option) bool
		many bool // the first of several is as good as any
	}{
		{func(o option) bool { return o.Label == name }, true},
		{func(o option) bool { return strings.EqualFold(o.Label, name) }, true},
		{func(o option) bool { return o.Value != "" && strings.EqualFold(o.Value, name) }, true},
		{func(o option) bool { return strings.HasPrefix(strings.ToLower(o.Label), small) }, false},
		{func(o option) bool { return strings.Contains(strings.ToLower(o.Label), small) }, false},
	}
	for _, way := range ways {
		var fit []option
		for _, o := range l.Options {
			if way.fits(o) {
				fit = append(fit, o)
			}
		}
		able := slices.DeleteFunc(slices.Clone(fit), func(o option) bool { return o.Disabled })
		switch {
		case len(able) == 1, len(able) > 1 && way.many:
			return able[0], nil
		case len(able) > 1:
			return option{}, env.Fail(env.NoEffect, "%q may be %s in the %s; give the whole name", name, labels(able), f.named("list"))
		case len(fit) > 0:
			return option{}, env.Fail(env.NoEffect, "%q cannot be chosen now in the %s; it has %s", fit[0].Label, f.named("list"), l.names())
		}
	}
	return option{}, env.Fail(env.NoEffect, "the %s has no %q; %s", f.named("list"), cut(name, 80), l.near(small))
}

// near names the options that come closest, or all.
func (l list) near(small string) string {
	var close []option
	for _, o := range l.Options {
		label := strings.ToLower(o.Label)
		if !o.Disabled && label != "" && (distance(small, label) <= 1+len(small)/3 || strings.Contains(small, label)) {
			close = append(close, o)
		}
	}
	if len(close) > 0 {
		return "did you mean " + labels(close) + "?"
	}
	return "its options: " + l.names()
}

func labels(options []option) string {
	var names []string
	for _, o := range options[:min(len(options), 5)] {
		names = append(names, fmt.Sprintf("%q", o.Label))
	}
	return strings.Join(names, " or ")
}
