package policy

import (
	"fmt"
	"net/netip"
)

// Connect says whether a connection to a host, a name or an address, may be
// asked for: nil, or why not. Parts of a page may come from every public host
// that is not denied, whatever sites are allowed.
func (p Policy) Connect(host string, port uint16) *Refusal {
	return p.reach(placeAt(host, port))
}

// Address says whether the connection to a host may go to this address, which
// its name was found to lead to: nil, or why not. A public name that leads into a
// private network is a way around Connect, unless the user has named it.
func (p Policy) Address(host string, to netip.AddrPort) *Refusal {
	at := placeAt(host, to.Port())
	ip := placeAt(to.Addr().String(), to.Port())
	switch {
	case covered(p.Deny, at), covered(p.Deny, ip):
		return &Refusal{CodeDenied, fmt.Sprintf("%s may not be opened", at)}
	case p.Network == Public && isPrivateIP(ip.ip) && !p.named(at) && !covered(p.Allow, ip):
		return &Refusal{CodePrivate, fmt.Sprintf("%s leads into a private network, which may not be opened", at.host)}
	}
	return nil
}
