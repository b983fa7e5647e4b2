package export

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Filter says which runs are exported. An empty list lets all pass; of a list one
// member has to fit.
type Filter struct {
	Statuses []string
	// Verified names who has to have agreed with a success while the run lasted:
	// "schema", "assertions", "judge", "any", or "none".
	Verified []string
	// Verdicts are outcomes of fara judge: "accepted", "rejected", "unproven", or "none"
	// where nobody judged.
	Verdicts []string
	// Claims are the model's own words: "success", "failure", "forced", or "none".
	Claims []string
	// Sites are hosts, each with all below it.
	Sites []string
	// Tasks and Models are patterns of ids and names, with * and ?.
	Tasks, Models []string
	// Least and Most bound a run's length in actions; Most of 0 is no bound.
	Least, Most int
}

// The words that Verified, Verdicts and Claims take.
var (
	VerifiedWords = []string{"schema", "assertions", "judge", "any", "none"}
	VerdictWords  = []string{"accepted", "rejected", "unproven", "none"}
	ClaimWords    = []string{"success", "failure", "forced", "none"}
)

// Check finds patterns that are none.
func (f Filter) Check() error {
	for _, p := range slices.Concat(f.Tasks, f.Models) {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("%q is no pattern: %w", p, err)
		}
	}
	if f.Most > 0 && f.Least > f.Most {
		return fmt.Errorf("no run has at least %d and at most %d steps", f.Least, f.Most)
	}
	return nil
}

// leavesOut names what keeps a run out; empty when nothing does.
func (f Filter) leavesOut(o Origin) string {
	anyOf := func(list []string, fits func(want string) bool) bool {
		return len(list) == 0 || slices.ContainsFunc(list, fits)
	}
	is := func(have string) func(string) bool {
		return func(want string) bool { return want == have || want == "none" && have == "" }
	}
	like := func(have string) func(string) bool {
		return func(want string) bool { ok, _ := path.Match(want, have); return ok || want == have }
	}
	switch {
	case !anyOf(f.Statuses, is(o.Status)):
		return "status"
	case !anyOf(f.Verified, func(want string) bool { return verified(o, want) }):
		return "verified"
	case !anyOf(f.Verdicts, is(o.Verdict)):
		return "verdict"
	case !anyOf(f.Claims, is(o.Claim)):
		return "claim"
	case !anyOf(f.Sites, func(want string) bool { return under(o.Site, want) }):
		return "site"
	case !anyOf(f.Tasks, like(o.Task)):
		return "task"
	case !anyOf(f.Models, like(o.Model)):
		return "model"
	case o.Steps < f.Least || f.Most > 0 && o.Steps > f.Most:
		return "steps"
	}
	return ""
}

func verified(o Origin, want string) bool {
	switch want {
	case "any":
		return len(o.Verified) > 0
	case "none":
		return len(o.Verified) == 0
	}
	return slices.Contains(o.Verified, want)
}

// under reports whether a host is a site or below it.
func under(host, site string) bool {
	site = strings.TrimPrefix(strings.ToLower(site), "www.")
	return host == site || strings.HasSuffix(host, "."+site)
}
