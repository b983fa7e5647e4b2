package policy

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Site is a set of hosts that a user allows or denies. Its zero value is none.
type Site struct {
	host    string       // a domain in its plain form; empty when it is a network
	network netip.Prefix // an address is a network of one
	port    uint16       // 0 means every port
	inner   bool         // the subdomains without the domain itself
}

// ParseSite reads a site as people write it: "example.com" is that host and its
// subdomains, which ".example.com" means too, "*.example.com" the subdomains
// alone, "10.0.0.7" and "[::1]" one address, "10.0.0.0/8" a network. A port ("example.com:8080") leaves out all
// others. Of a URL the host counts, and the port when it has one.
func ParseSite(text string) (Site, error) {
	trimmed := strings.TrimSpace(text)
	if network, err := netip.ParsePrefix(trimmed); err == nil {
		if ip := network.Addr(); ip.Is4In6() && network.Bits() >= 96 {
			network = netip.PrefixFrom(ip.Unmap(), network.Bits()-96)
		}
		return Site{network: network.Masked()}, nil
	}
	if before, _, cut := strings.Cut(trimmed, "/"); cut && placeAt(before, 0).ip.IsValid() {
		return Site{}, noSite(text, "such a network there is not")
	}
	host, port, err := hostPort(trimmed)
	if err != nil {
		return Site{}, noSite(text, err.Error())
	}
	s := Site{port: port}
	host, s.inner = strings.CutPrefix(strings.TrimPrefix(host, "."), "*.")
	at := placeAt(host, port)
	switch {
	case at.ip.IsValid() && !s.inner:
		s.network = netip.PrefixFrom(at.ip, at.ip.BitLen())
	case at.host == "" || strings.Trim(at.host, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || strings.Contains("."+at.host, "..") || at.ip.IsValid() || endsInNumber(at.host):
		return Site{}, noSite(text, "it names no host")
	default:
		s.host = at.host
	}
	return s, nil
}

func noSite(text, why string) error {
	if strings.Contains(text, "@") {
		text = "…" // it may hold a password
	}
	return fmt.Errorf("%q is no site: %s; write it as example.com, *.example.com, example.com:8080, 10.0.0.7 or 10.0.0.0/8", text, why)
}

// hostPort takes a host and a port, 0 for none, out of a host, a host with a
// port, or a URL.
func hostPort(text string) (host string, port uint16, err error) {
	switch {
	case text == "":
		return "", 0, fmt.Errorf("it is empty")
	case strings.Contains(text, "://"):
	case strings.Count(text, ":") > 1 && !strings.Contains(text, "["):
		text = "//[" + text + "]" // an IPv6 address
	default:
		text = "//" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", 0, fmt.Errorf("it cannot be read")
	case u.User != nil:
		return "", 0, fmt.Errorf("a user name has no place in it")
	case u.Scheme == "" && strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "":
		return "", 0, fmt.Errorf("it names a page, and sites are hosts")
	case u.Port() == "":
		return u.Hostname(), 0, nil
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || n == 0 {
		return "", 0, fmt.Errorf("%s is no port", u.Port())
	}
	return u.Hostname(), uint16(n), nil
}

// String gives the site as ParseSite reads it.
func (s Site) String() string {
	name := s.host
	if s.inner {
		name = "*." + name
	}
	if s.network.IsValid() {
		name = s.network.String()
		if s.network.IsSingleIP() {
			name = s.network.Addr().String()
		}
	}
	if s.port == 0 {
		return name
	}
	if s.network.Addr().Is6() {
		name = "[" + name + "]"
	}
	return name + ":" + strconv.Itoa(int(s.port))
}

// Covers reports whether the page of an absolute web address belongs to the site.
func (s Site) Covers(address string) bool {
	return slices.ContainsFunc(placesOf(address), s.covers)
}

// covers reports whether a place belongs to the site.
func (s Site) covers(at place) bool {
	switch {
	case s.port != 0 && s.port != at.port:
		return false
	case s.network.IsValid():
		return at.ip.IsValid() && s.network.Contains(at.ip)
	case s.host == "" || at.ip.IsValid():
		return false
	}
	return below(at.host, s.host) && !(s.inner && at.host == s.host)
}

// includes reports whether every place of another site belongs to this one.
func (s Site) includes(other Site) bool {
	switch {
	case s.port != 0 && s.port != other.port:
		return false
	case s.network.IsValid():
		return other.network.IsValid() && s.network.Bits() <= other.network.Bits() && s.network.Contains(other.network.Addr())
	case s.host == "" || other.host == "" || !below(other.host, s.host):
		return false
	}
	return !(s.inner && other.host == s.host && !other.inner)
}

func covered(sites []Site, at place) bool {
	return slices.ContainsFunc(sites, func(s Site) bool { return s.covers(at) })
}

// Contradiction says in one line what a policy says both yes and no to: a site
// that is allowed and denied as a whole, a trusted address that is denied or has no
// scheme that is taken, or a rule that leaves nothing to a later one of another
// mind. It returns nil when there is no such thing. A denied part of an allowed site is an
// exception and no contradiction.
func (p Policy) Contradiction() error {
	for _, address := range p.Trusted {
		if u, err := url.Parse(address); err == nil && isWeb(u) && len(p.Schemes) > 0 && !slices.Contains(p.Schemes, u.Scheme) {
			return fmt.Errorf("%s is an address that this run was given, and only %s may be opened", placeOf(u), strings.Join(p.Schemes, " and "))
		}
	}
	if _, err := shadowed(p.Rules); err != nil {
		return err
	}
	for _, deny := range p.Deny {
		for _, allow := range p.Allow {
			if deny.includes(allow) {
				return fmt.Errorf("%s is allowed, and denied by %s", allow, deny)
			}
		}
		for _, at := range p.trusted() {
			if deny.covers(at) {
				return fmt.Errorf("%s is an address that this run was given, and denied by %s", at, deny)
			}
		}
	}
	return nil
}
