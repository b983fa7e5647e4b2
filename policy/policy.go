// Package policy decides what a run may do. Nothing that a model writes or a
// page shows can change a Policy; it is set once, before the run.
//
// It performs nothing and records nothing: the loop asks it before every
// action and writes the answer down.
package policy

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// Network says which addresses a run may open.
type Network int

// The networks.
const (
	// Public leaves out loopback, private and link-local addresses, and names
	// that only the local network knows, except the start page's own host.
	Public Network = iota
	// Any leaves out nothing.
	Any
)

// Policy is what a run may do. Its zero value allows public web pages only.
type Policy struct {
	// Trusted are addresses that the user gave: where the run begins, and the web
	// search. Their hosts are always allowed.
	Trusted []string
	// Network says which addresses may be opened.
	Network Network
}

// Refusal is an action that is not allowed.
type Refusal struct {
	// Code is a stable name for the rule.
	Code string
	// Text says in one line, to the model, what is not allowed.
	Text string
}

// Error gives the text.
func (r *Refusal) Error() string { return r.Text }

// The rules that refuse.
const (
	CodeScheme  = "scheme"
	CodePrivate = "private_network"
)

// Visit says whether an absolute address may be opened: nil, or why not.
func (p Policy) Visit(address string) *Refusal {
	u, err := url.Parse(address)
	if err != nil {
		return &Refusal{CodeScheme, fmt.Sprintf("%q is not an address that can be opened", address)}
	}
	if address == "about:blank" || slices.ContainsFunc(p.Trusted, func(t string) bool { return covers(t, u) }) {
		return nil
	}
	if !slices.Contains([]string{"http", "https"}, u.Scheme) {
		return &Refusal{CodeScheme, fmt.Sprintf("addresses that begin with %q may not be opened, only http and https", u.Scheme+":")}
	}
	if p.Network == Public && isPrivate(u.Hostname()) {
		return &Refusal{CodePrivate, fmt.Sprintf("%s is in a private network, which may not be opened", u.Hostname())}
	}
	return nil
}

// Show says whether a page that the browser has come to, by whatever way, may be
// shown to the model: nil, or why not. Beside what may be visited these are the
// browser's own blank and error pages, and what an allowed page made itself.
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

// covers reports whether a trusted address lets another be opened.
func covers(trusted string, u *url.URL) bool {
	t, err := url.Parse(trusted)
	if err != nil || trusted == "" || t.Scheme != u.Scheme && !isWeb(t, u) {
		return false
	}
	if t.Host == "" { // file: and the like allow themselves alone
		return t.String() == u.String()
	}
	return plainHost(t.Hostname()) == plainHost(u.Hostname())
}

// plainHost writes a host as browsers understand it: full-width digits, soft
// hyphens and other dots are ways to write an address so that nobody knows it.
// What cannot be written so stays as it is.
func plainHost(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

func isWeb(urls ...*url.URL) bool {
	return !slices.ContainsFunc(urls, func(u *url.URL) bool { return u.Scheme != "http" && u.Scheme != "https" })
}

// carrier is the network behind a provider's address translation (RFC 6598).
var carrier = netip.MustParsePrefix("100.64.0.0/10")

// isPrivate judges the host as it is written. A public name that leads to a
// private address is for the network's own wall to stop.
func isPrivate(host string) bool {
	host = plainHost(host)
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() || carrier.Contains(ip)
	}
	if host == "" || !strings.Contains(host, ".") || isNumber(host) || strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		return true
	}
	for _, suffix := range []string{".localhost", ".localdomain", ".local", ".internal", ".home.arpa", ".lan"} {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return false
}

// isNumber finds hosts such as 127.1 or 0x7f.0.0.1, which browsers read as
// addresses although they are not written as one.
func isNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if digits, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}
