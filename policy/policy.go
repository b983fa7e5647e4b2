// Package policy decides what a run may do. Nothing that a model writes or a
// page shows can change a Policy; it is set once, before the run.
//
// It performs nothing and records nothing: the loop asks it before every
// action, the browser before every document, the wall before every connection.
//
// Policy.Judge takes an action together with the element that it is about to reach,
// finds out what it would do in the world (Class) from the element's structure and
// its words in many languages, and says whether it is allowed, denied, or a
// person's to decide.
package policy

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"fara/env"
)

// Network says which addresses a run may open.
type Network int

// The networks.
const (
	// Public leaves out loopback, private and link-local addresses, and names
	// that only the local network knows, except trusted hosts and allowed sites.
	Public Network = iota
	// Any leaves out nothing.
	Any
)

// Policy is what a run may do. Its zero value allows public web pages only, and
// asks about risky actions.
type Policy struct {
	// Trusted are addresses that the user gave: where the run begins, and the web
	// search. Their hosts are allowed on every port, whatever network they are in;
	// only Deny is above them.
	Trusted []string
	// Allow are the only sites whose pages may be opened, beside Trusted; none
	// allows all. What a page loads into itself may come from elsewhere.
	Allow []Site
	// Deny are sites that nothing may be asked of.
	Deny []Site
	// Network says which addresses may be opened.
	Network Network
	// Schemes are the only ways to ask for pages, of "http" and "https"; none
	// allows both.
	Schemes []string
	// Rules decide about actions; the first one about an action's class and site
	// holds.
	Rules []Rule
	// Bound reports whether an action types nothing but secrets that the user gave
	// for the site it is on: nobody has to be asked about that, unless a rule or
	// Always says so. nil reports none.
	Bound func(act env.Action, hit *env.Element, page string) bool
	// Approve says which actions a person is asked about when no rule decides;
	// empty means Risky.
	Approve Approve
}

// Refusal is an action that is not allowed.
type Refusal struct {
	// Code is a stable name for the rule.
	Code string
	// Text says in one line, to the model, what is not allowed.
	Text string
}

// Error gives the text and the code.
func (r *Refusal) Error() string { return r.Text + " (" + r.Code + ")" }

// The rules that refuse.
const (
	CodeScheme     = "scheme"
	CodePrivate    = "private_network"
	CodeDenied     = "site_denied"
	CodeNotAllowed = "site_not_allowed"
)

// Visit says whether an absolute address may be opened: nil, or why not.
func (p Policy) Visit(address string) *Refusal {
	u, err := url.Parse(address)
	if err != nil {
		return &Refusal{CodeScheme, fmt.Sprintf("%q is not an address that can be opened", address)}
	}
	if address == "about:blank" || u.Host == "" && slices.Contains(p.Trusted, u.String()) {
		return nil // file: and the like allow themselves alone
	}
	if isWeb(u) && u.Hostname() == "" {
		return &Refusal{CodeScheme, fmt.Sprintf("%q names no host", address)}
	}
	if !isWeb(u) {
		return &Refusal{CodeScheme, fmt.Sprintf("addresses that begin with %q may not be opened, only http and https", u.Scheme+":")}
	}
	if len(p.Schemes) > 0 && !slices.Contains(p.Schemes, u.Scheme) {
		return &Refusal{CodeScheme, fmt.Sprintf("addresses that begin with %q may not be opened, only %s", u.Scheme+":", strings.Join(p.Schemes, " and "))}
	}
	at := placeOf(u)
	if refusal := p.reach(at); refusal != nil {
		return refusal
	}
	if len(p.Allow) == 0 || p.named(at) || p.sameSite(at) {
		return nil
	}
	return &Refusal{CodeNotAllowed, fmt.Sprintf("%s is not among the sites that may be opened: %s", at, p.listed())}
}

// Show says whether a page that the browser comes to, by whatever way, may be
// asked for and shown to the model: nil, or why not. Beside what may be visited
// these are the browser's own blank and error pages, and what an allowed page
// made itself.
func (p Policy) Show(address string) *Refusal {
	inner, _ := strings.CutPrefix(address, "blob:")
	for _, own := range []string{"about:", "chrome-error:", "data:"} {
		if strings.HasPrefix(inner, own) {
			return nil
		}
	}
	if inner == "" || strings.HasPrefix(inner, "null/") {
		return nil
	}
	return p.Visit(inner)
}

// reach says whether anything may be asked of a place, be it a page or a part of
// one.
func (p Policy) reach(at place) *Refusal {
	switch {
	case covered(p.Deny, at):
		return &Refusal{CodeDenied, fmt.Sprintf("%s may not be opened", at)}
	case p.Network == Public && isPrivate(at) && !p.named(at):
		return &Refusal{CodePrivate, fmt.Sprintf("%s is in a private network, which may not be opened", at.host)}
	}
	return nil
}

// named reports whether the user has named the place itself: by an address that
// is trusted, or as an allowed site.
func (p Policy) named(at place) bool {
	return covered(p.Allow, at) || slices.ContainsFunc(p.trusted(), func(t place) bool { return t.host == at.host })
}

// sameSite reports whether the place belongs to the site of a trusted address:
// it is below it, or differs by a leading "www." only.
func (p Policy) sameSite(at place) bool {
	return slices.ContainsFunc(p.trusted(), func(t place) bool {
		return !t.ip.IsValid() && below(at.host, strings.TrimPrefix(t.host, "www."))
	})
}

// trusted are the places of the trusted web addresses.
func (p Policy) trusted() []place {
	var out []place
	for _, address := range p.Trusted {
		if u, err := url.Parse(address); err == nil && isWeb(u) && u.Host != "" {
			out = append(out, placeOf(u))
		}
	}
	return out
}

// listed names the allowed sites, the first few of them.
func (p Policy) listed() string {
	const most = 8
	names := SiteNames(p.Allow[:min(most, len(p.Allow))])
	if len(p.Allow) > most {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

func isWeb(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }
