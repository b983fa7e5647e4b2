package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Do is what becomes of an action.
type Do string

// What can become of an action.
const (
	Allow Do = "allow"
	Ask   Do = "ask"
	Deny  Do = "deny"
)

// dos lists what a rule may do.
func dos() []Do { return []Do{Allow, Ask, Deny} }

// Approve says which actions a person is asked about when no rule decides.
type Approve string

// The modes. Empty means Risky.
const (
	Never  Approve = "never"  // none
	Risky  Approve = "risky"  // those of a risky class
	Always Approve = "always" // all but looking around
)

// Approvals lists the modes.
func Approvals() []Approve { return []Approve{Never, Risky, Always} }

// Rule decides about actions of some classes on some sites.
type Rule struct {
	// Classes are what the rule is about; none means every action, also one of no
	// class.
	Classes []Class
	// Sites are where it holds; none means everywhere. An action touches the page,
	// the document in which its element stands, and the address it sends to or
	// opens: Allow needs all of them to be on the sites, the others one.
	Sites []Site
	// Do is what becomes of such an action.
	Do Do
}

// String gives the rule in one line, such as "deny buy, pay on shop.example".
func (r Rule) String() string {
	classes, sites := "every action", ""
	if len(r.Classes) > 0 {
		classes = strings.Join(names(r.Classes), ", ")
	}
	if len(r.Sites) > 0 {
		sites = " on " + strings.Join(SiteNames(r.Sites), ", ")
	}
	return string(r.Do) + " " + classes + sites
}

// matches reports whether the rule is about a class, empty for an action of none,
// at these places.
func (r Rule) matches(class Class, at []place) bool {
	if len(r.Classes) > 0 && !slices.Contains(r.Classes, class) {
		return false
	}
	if len(r.Sites) == 0 {
		return true
	}
	on := func(p place) bool { return covered(r.Sites, p) }
	off := func(p place) bool { return !on(p) }
	if r.Do == Allow {
		return len(at) > 0 && !slices.ContainsFunc(at, off)
	}
	return slices.ContainsFunc(at, on)
}

// rule gives the first rule about a class at these places; nil when there is none.
func (p Policy) rule(class Class, at []place) *Rule {
	for i := range p.Rules {
		if p.Rules[i].matches(class, at) {
			return &p.Rules[i]
		}
	}
	return nil
}

// Forbids reports whether a rule denies a class wherever it may be. A browser can
// then be told beforehand, as with downloads.
func (p Policy) Forbids(class Class) bool {
	for _, r := range p.Rules {
		if len(r.Classes) == 0 || slices.Contains(r.Classes, class) {
			if r.Do != Deny {
				return false
			}
			if len(r.Sites) == 0 {
				return true
			}
		}
	}
	return false
}

// shadowed finds a rule that never decides, since an earlier one of another mind
// decides about all of it. The error is nil when there is none.
func shadowed(rules []Rule) (int, error) {
	for i, later := range rules {
		for j, r := range rules[:i] {
			if r.Do != later.Do && r.shadows(later) {
				return i, fmt.Errorf("rule %d (%s) never decides, since rule %d (%s) decides before it", i+1, later, j+1, r)
			}
		}
	}
	return 0, nil
}

// shadows reports whether a rule leaves nothing to a later one.
func (r Rule) shadows(later Rule) bool {
	for _, c := range later.Classes {
		if len(r.Classes) > 0 && !slices.Contains(r.Classes, c) {
			return false
		}
	}
	if len(later.Classes) == 0 && len(r.Classes) > 0 {
		return false
	}
	if len(r.Sites) == 0 {
		return true
	}
	if r.Do == Allow && later.Do != Allow || len(later.Sites) == 0 {
		return false
	}
	return !slices.ContainsFunc(later.Sites, func(s Site) bool {
		return !slices.ContainsFunc(r.Sites, func(own Site) bool { return own.includes(s) })
	})
}

func names[T ~string](values []T) []string {
	var out []string
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

// SiteNames are sites as people write them.
func SiteNames(sites []Site) []string {
	var out []string
	for _, s := range sites {
		out = append(out, s.String())
	}
	return out
}
