package policy

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// place is a host as browsers understand it, however it was written, and a port.
type place struct {
	host string     // lower case, punycode, no dot at the end; an address in its plain form
	ip   netip.Addr // the host when that is an address, else invalid
	port uint16
}

// String gives the host, with the port when it is not the web's.
func (p place) String() string {
	if p.port == 80 || p.port == 443 || p.port == 0 {
		return p.host
	}
	if p.ip.Is6() {
		return netip.AddrPortFrom(p.ip, p.port).String()
	}
	return p.host + ":" + strconv.Itoa(int(p.port))
}

func placeOf(u *url.URL) place {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	n, _ := strconv.ParseUint(port, 10, 16) // what is none cannot be connected to
	return placeAt(u.Hostname(), uint16(n))
}

func placeAt(host string, port uint16) place {
	host = plainHost(host)
	ip, err := netip.ParseAddr(host)
	if err != nil {
		ip = parseIPv4(host)
	}
	if ip.IsValid() {
		ip = ip.Unmap().WithZone("")
		host = ip.String()
	}
	return place{host, ip, port}
}

// plainHost writes a host as browsers understand it: full-width digits, soft
// hyphens and other dots are ways to write an address so that nobody knows it.
// What cannot be written so stays as it is.
func plainHost(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return strings.TrimRight(strings.ToLower(host), ".")
}

// parseIPv4 reads what browsers take for an IPv4 address: one to four numbers,
// decimal, octal (0177) or hexadecimal (0x7f), of which the last fills all bytes
// that are left. So 127.1, 0x7f000001 and 2130706433 are 127.0.0.1. The result is
// invalid for everything else.
func parseIPv4(host string) netip.Addr {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}
	}
	var value uint64
	for i, part := range parts {
		n, ok := parseNumber(part)
		last := i == len(parts)-1
		bits := 8
		if last {
			bits = 8 * (4 - i)
		}
		if !ok || n >= 1<<bits {
			return netip.Addr{}
		}
		value = value<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)})
}

func parseNumber(s string) (uint64, bool) {
	base := 10
	switch {
	case s == "0x":
		return 0, true
	case strings.HasPrefix(s, "0x"):
		base, s = 16, s[2:]
	case len(s) > 1 && s[0] == '0':
		base, s = 8, s[1:]
	}
	if strings.HasPrefix(s, "+") {
		return 0, false
	}
	n, err := strconv.ParseUint(s, base, 64)
	return n, err == nil
}

// endsInNumber finds hosts that browsers hold for addresses, well-formed or not.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	_, number := parseNumber(last)
	return number || last != "" && strings.Trim(last, "0123456789") == ""
}

// below reports whether a host is a domain or one of its subdomains.
func below(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}
