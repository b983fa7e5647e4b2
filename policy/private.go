package policy

import (
	"net/netip"
	"slices"
	"strings"
	"unicode"
)

// reserved are networks that belong to no public host, beside those that
// netip knows: "this" network, carriers' translation (RFC 6598), protocol
// assignments, benchmarks, the future, the old site-local one, and the address
// at which a cloud tells its machines their secrets. Of IPv6 these are a network's
// own translation (RFC 8215), tunnels (RFC 4380), and what is thrown away.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("fec0::/10"),
	netip.MustParsePrefix("168.63.129.16/32"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("100::/64"),
}

// Networks whose addresses stand for an IPv4 address, and the byte at which that
// begins: translation (RFC 6052, RFC 2765), 6to4, and the old compatible form.
var embedding = []struct {
	network netip.Prefix
	at      int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12},
	{netip.MustParsePrefix("2002::/16"), 2},
	{netip.MustParsePrefix("::/96"), 12},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12},
}

// localSuffixes end names that only this machine or the local network knows.
var localSuffixes = []string{"localhost", "localdomain", "local", "internal", "intranet", "home.arpa", "lan", "corp", "home"}

// isPrivate judges a place as it is written; where a name leads is for Address to
// judge.
func isPrivate(at place) bool {
	if at.ip.IsValid() {
		return isPrivateIP(at.ip)
	}
	if !strings.Contains(at.host, ".") || endsInNumber(at.host) || strings.ContainsFunc(at.host, func(r rune) bool { return r > unicode.MaxASCII }) {
		return true
	}
	return slices.ContainsFunc(localSuffixes, func(s string) bool { return below(at.host, s) })
}

func isPrivateIP(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() {
		return true
	}
	if slices.ContainsFunc(reserved, func(n netip.Prefix) bool { return n.Contains(ip) }) {
		return true
	}
	for _, e := range embedding {
		if e.network.Contains(ip) {
			b := ip.As16()
			return isPrivateIP(netip.AddrFrom4([4]byte(b[e.at : e.at+4])))
		}
	}
	return false
}
