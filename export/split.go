package export

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Share is a part with how much of the tasks it gets, of 1.
type Share struct {
	Name string
	Of   float64
}

// SplitBy says what stays together.
type SplitBy string

// What can.
const (
	// ByTask: all runs of a task; every part has each site in proportion.
	ByTask SplitBy = "task"
	// BySite: all runs of a site, so that parts share none.
	BySite SplitBy = "site"
)

// partName is what files and data sets can be called by.
var partName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// FailuresPart is the part of the runs that did not succeed, where they are kept apart.
const FailuresPart = "failures"

// ParseSplit reads shares such as "train=0.9,val=0.1".
func ParseSplit(text string) ([]Share, error) {
	var shares []Share
	sum := 0.0
	for _, one := range strings.Split(text, ",") {
		name, number, _ := strings.Cut(strings.TrimSpace(one), "=")
		of, err := strconv.ParseFloat(number, 64)
		switch {
		case !partName.MatchString(name):
			return nil, fmt.Errorf("%q is no part's name; use lower-case letters, digits and underscores, as in train=0.9,val=0.1", name)
		case name == FailuresPart:
			return nil, fmt.Errorf("the part's name %q is taken for runs without success", name)
		case err != nil || !(of > 0 && of <= 1):
			return nil, fmt.Errorf("the share of %s is %q; it is a number above 0 and up to 1, as in train=0.9,val=0.1", name, number)
		case slices.ContainsFunc(shares, func(s Share) bool { return s.Name == name }):
			return nil, fmt.Errorf("the part %s is there twice", name)
		}
		shares = append(shares, Share{name, of})
		sum += of
	}
	if math.Abs(sum-1) > 1e-6 {
		return nil, errors.New("the shares come to " + strconv.FormatFloat(sum, 'g', 6, 64) + " together, and not to 1")
	}
	return shares, nil
}

// split gives every run its part. What comes out depends on the seed, the tasks and
// their sites alone.
func split(entries []*entry, shares []Share, by SplitBy, seed string) {
	groups := map[string][]*entry{}
	for _, e := range entries {
		key := e.key
		if by == BySite {
			key = e.origin.Site
		}
		groups[key] = append(groups[key], e)
	}
	var keys []string
	for key := range groups {
		keys = append(keys, key)
	}
	site := func(key string) string {
		if by == BySite {
			return ""
		}
		return groups[key][0].origin.Site
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(site(a), site(b)), cmp.Compare(drawn(seed, a), drawn(seed, b)))
	})
	// Every group goes to the part that lacks most of its share so far. Since groups of
	// a site follow each other, each site is spread as all are.
	owed := make([]float64, len(shares))
	for _, key := range keys {
		weight := 1.0
		if by == BySite {
			weight = float64(len(groups[key]))
		}
		most := 0
		for i, s := range shares {
			if owed[i] += s.Of * weight; owed[i] > owed[most]+1e-9 {
				most = i
			}
		}
		owed[most] -= weight
		for _, e := range groups[key] {
			e.part = shares[most].Name
		}
	}
}

// drawn is a place in an order that only the seed decides.
func drawn(seed, key string) string { return hexOf([]byte(seed + "\x00" + key)) }

// balance leaves at most so many runs of each site, which the seed draws. It keeps
// their order.
func balance(entries []*entry, most int, seed string) []*entry {
	sites := map[string][]*entry{}
	for _, e := range entries {
		sites[e.origin.Site] = append(sites[e.origin.Site], e)
	}
	kept := map[*entry]bool{}
	for _, all := range sites {
		slices.SortFunc(all, func(a, b *entry) int {
			return cmp.Compare(drawn(seed, a.origin.Run), drawn(seed, b.origin.Run))
		})
		for _, e := range all[:min(most, len(all))] {
			kept[e] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e *entry) bool { return !kept[e] })
}
