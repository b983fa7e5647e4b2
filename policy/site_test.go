package policy_test

import (
	"net/netip"
	"strings"
	"testing"

	"fara/policy"
)

func sites(t *testing.T, texts ...string) []policy.Site {
	t.Helper()
	var out []policy.Site
	for _, text := range texts {
		s, err := policy.ParseSite(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func code(r *policy.Refusal) string {
	if r == nil {
		return ""
	}
	return r.Code
}

func TestDeniedSiteIsRefusedInEverySpelling(t *testing.T) {
	p := policy.Policy{Network: policy.Any, Deny: sites(t, "evil.example", "*.half.example", "bücher.example", "203.0.114.7", "[2001:db8::7]", "127.0.0.0/8", "port.example:8080")}
	for address, want := range map[string]string{
		"http://evil.example/":               policy.CodeDenied,
		"HTTPS://EVIL.Example/x":             policy.CodeDenied,
		"http://evil.example./":              policy.CodeDenied,
		"http://evil.example:81/":            policy.CodeDenied,
		"http://a.b.evil.example/":           policy.CodeDenied,
		"http://good.example@evil.example/":  policy.CodeDenied,
		"http://ｅｖｉｌ.example/":               policy.CodeDenied,
		"http://evil。example/":               policy.CodeDenied,
		"http://ev\u00adil.example/":         policy.CodeDenied,
		"blob:http://evil.example/1-2":       policy.CodeScheme,
		"view-source:http://evil.example/":   policy.CodeScheme,
		"filesystem:http://evil.example/t/x": policy.CodeScheme,
		"http://ev%69l.example/":             policy.CodeScheme, // not read at all
		"http://half.example/":               "",
		"http://x.half.example/":             policy.CodeDenied,
		"http://notevil.example/":            "",
		"http://evil.example.org/":           "",
		"http://evil.example@good.example/":  "",
		"http://xn--bcher-kva.example/":      policy.CodeDenied,
		"http://BÜCHER.example/":             policy.CodeDenied,
		"http://203.0.114.7/":                policy.CodeDenied,
		"http://3405804039/":                 policy.CodeDenied,
		"http://0xCB007207/":                 policy.CodeDenied,
		"http://0313.0.0162.07/":             policy.CodeDenied,
		"http://203.0.29191/":                policy.CodeDenied,
		"http://203.0.114.7./":               policy.CodeDenied,
		"http://[::ffff:203.0.114.7]/":       policy.CodeDenied,
		"http://[2001:DB8:0::7]/":            policy.CodeDenied,
		"http://203.0.114.8/":                "",
		"http://127.1:9/":                    policy.CodeDenied,
		"http://0x7f.1/":                     policy.CodeDenied,
		"http://017700000001/":               policy.CodeDenied,
		"http://port.example/":               "",
		"http://port.example:8080/":          policy.CodeDenied,
	} {
		if got := code(p.Visit(address)); got != want {
			t.Errorf("Visit(%q): got %q, want %q", address, got, want)
		}
	}
	if got := code(p.Show("blob:http://evil.example/1-2")); got != policy.CodeDenied {
		t.Errorf("a denied site's blob is shown: %q", got)
	}
}

func TestAllowListLeavesOnlyItsSitesAndTheStart(t *testing.T) {
	p := policy.Policy{
		Trusted: []string{"https://www.start.example/a"},
		Allow:   sites(t, "shop.example", "10.1.0.0/16", "intranet:8080"),
		Deny:    sites(t, "ads.shop.example", "tracker.start.example"),
	}
	for address, want := range map[string]string{
		"https://shop.example/":           "",
		"https://pay.shop.example/":       "",
		"https://ads.shop.example/":       policy.CodeDenied,
		"https://evil-shop.example/":      policy.CodeNotAllowed,
		"https://shop.example.evil.test/": policy.CodeNotAllowed,
		"https://www.start.example/":      "",
		"http://start.example:99/":        "",
		"http://help.start.example/":      "",
		"http://tracker.start.example/":   policy.CodeDenied,
		"http://restart.example/":         policy.CodeNotAllowed,
		"http://10.1.2.3/":                "",
		"http://10.2.0.1/":                policy.CodePrivate,
		"http://intranet:8080/":           "",
		"http://intranet/":                policy.CodePrivate,
		"about:blank":                     "",
		"file:///etc/passwd":              policy.CodeScheme,
	} {
		if got := code(p.Visit(address)); got != want {
			t.Errorf("Visit(%q): got %q, want %q", address, got, want)
		}
	}
	p.Network = policy.Any
	if got := code(p.Visit("http://10.2.0.1/")); got != policy.CodeNotAllowed {
		t.Errorf("with every network: got %q, want %q", got, policy.CodeNotAllowed)
	}
	if r := p.Visit("http://x.test/"); !strings.Contains(r.Error(), "shop.example") || !strings.Contains(r.Error(), policy.CodeNotAllowed) {
		t.Errorf("the refusal does not say what may be opened: %v", r)
	}
}

func TestConnectLetsPagesUsePublicHosts(t *testing.T) {
	p := policy.Policy{Trusted: []string{"http://127.0.0.1:8080/"}, Allow: sites(t, "shop.example", "intra.example"), Deny: sites(t, "ads.example", "198.51.100.0/24")}
	for host, want := range map[string]string{
		"shop.example": "", "cdn.example": "", "ads.example": policy.CodeDenied, "x.ads.example.": policy.CodeDenied,
		"127.0.0.1": "", "localhost": policy.CodePrivate, "192.168.0.1": policy.CodePrivate, "::1": policy.CodePrivate,
		"[::1]": policy.CodePrivate, "198.51.100.9": policy.CodeDenied, "printer": policy.CodePrivate, "8.8.8.8": "",
		"64:ff9b::a00:1": policy.CodePrivate, "2002:7f00:1::": policy.CodePrivate, "::127.0.0.1": policy.CodePrivate,
		"168.63.129.16": policy.CodePrivate, "fec0::1": policy.CodePrivate, "::ffff:192.168.0.1": policy.CodePrivate,
	} {
		if got := code(p.Connect(host, 443)); got != want {
			t.Errorf("Connect(%q): got %q, want %q", host, got, want)
		}
	}
}

func TestNameThatLeadsIntoAPrivateNetworkIsRefused(t *testing.T) {
	p := policy.Policy{Trusted: []string{"http://start.example/"}, Allow: sites(t, "intra.example:8080", "10.9.0.0/16"), Deny: sites(t, "203.0.114.0/24")}
	for _, c := range []struct{ host, to, want string }{
		{"cdn.example", "8.8.8.8:80", ""},
		{"cdn.example", "127.0.0.1:80", policy.CodePrivate},
		{"cdn.example", "[::1]:80", policy.CodePrivate},
		{"cdn.example", "[::ffff:10.0.0.1]:80", policy.CodePrivate},
		{"cdn.example", "[fe80::1%25eth0]:80", policy.CodePrivate},
		{"cdn.example", "10.9.0.1:80", ""},
		{"cdn.example", "203.0.114.3:80", policy.CodeDenied},
		{"start.example", "10.0.0.1:80", ""},
		{"intra.example", "10.0.0.1:8080", ""},
		{"intra.example", "10.0.0.1:22", policy.CodePrivate},
	} {
		to, err := netip.ParseAddrPort(strings.Replace(c.to, "%25", "%", 1))
		if err != nil {
			t.Fatal(err)
		}
		if got := code(p.Address(c.host, to)); got != c.want {
			t.Errorf("Address(%q, %s): got %q, want %q", c.host, c.to, got, c.want)
		}
	}
	p.Network = policy.Any
	if r := p.Address("cdn.example", netip.MustParseAddrPort("127.0.0.1:80")); r != nil {
		t.Errorf("with every network: got %v", r)
	}
}

func TestParseSiteReadsWhatPeopleWrite(t *testing.T) {
	for text, want := range map[string]string{
		"example.com": "example.com", " Example.COM. ": "example.com", "*.example.com": "*.example.com", "example.com/": "example.com",
		"https://example.com/a?b": "example.com", "http://example.com:81/": "example.com:81", "example.com:8080": "example.com:8080",
		".example.com": "example.com", ".example.com:81": "example.com:81", "localhost": "localhost", "localhost:3000": "localhost:3000", "bücher.example": "xn--bcher-kva.example",
		"127.1": "127.0.0.1", "[::1]": "::1", "::1": "::1", "[::1]:80": "[::1]:80", "[::ffff:10.0.0.1]": "10.0.0.1",
		"10.1.2.3/8": "10.0.0.0/8", "fd00::/8": "fd00::/8", "::ffff:10.0.0.0/104": "10.0.0.0/8", "my_host.example": "my_host.example",
	} {
		s, err := policy.ParseSite(text)
		if err != nil || s.String() != want {
			t.Errorf("ParseSite(%q): got %q, %v, want %q", text, s, err, want)
			continue
		}
		if again, err := policy.ParseSite(s.String()); err != nil || again != s {
			t.Errorf("ParseSite(%q): got %q, %v, want the same site again", s, again, err)
		}
	}
	for _, text := range []string{
		"", " ", "*", "*.", ".", "ex*mple.com", "*.10.0.0.1", "example.com/docs", "me@example.com", "https://me:pw@example.com", "example.com:0",
		"example.com:70000", "example.com:web", "http://", "1.2.3.4.5", "256.1.1.1", "10.0.0.0/99", "a b", "exa..mple", "..example.com", "*..example.com",
	} {
		if s, err := policy.ParseSite(text); err == nil {
			t.Errorf("ParseSite(%q): got %q, want an error", text, s)
		} else if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "example.com:8080") {
			t.Errorf("ParseSite(%q): %q is not one line that says what to write", text, err)
		}
	}
}

func TestContradictionIsFound(t *testing.T) {
	for _, c := range []struct {
		trusted, allow, deny string
		wants                []string // nothing: no contradiction
	}{
		{"", "example.com", "example.com", []string{"example.com"}},
		{"", "shop.example.com", "example.com", []string{"shop.example.com", "example.com"}},
		{"", "EXAMPLE.com.", "example.com", []string{"example.com"}},
		{"", "10.1.0.0/16", "10.0.0.0/8", []string{"10.1.0.0/16", "10.0.0.0/8"}},
		{"", "127.0.0.1", "127.1", []string{"127.0.0.1"}},
		{"", "example.com:81", "example.com", []string{"example.com:81"}},
		{"", "*.example.com", "*.example.com", []string{"*.example.com"}},
		{"https://example.com/x", "", "example.com", []string{"example.com"}},
		{"https://a.example.com/x", "", "*.example.com", []string{"a.example.com"}},
		{"http://127.0.0.1:5/", "", "127.0.0.0/8", []string{"127.0.0.0/8"}},

		{"", "example.com", "ads.example.com", nil},
		{"", "example.com", "*.example.com", nil},
		{"", "example.com", "example.com:81", nil},
		{"", "10.0.0.0/8", "10.1.0.0/16", nil},
		{"https://example.com/", "", "*.example.com", nil},
		{"https://example.com/", "", "example.com:81", nil},
		{"https://example.com/", "other.test", "", nil},
	} {
		p := policy.Policy{}
		if c.trusted != "" {
			p.Trusted = []string{c.trusted}
		}
		if c.allow != "" {
			p.Allow = sites(t, c.allow)
		}
		if c.deny != "" {
			p.Deny = sites(t, c.deny)
		}
		err := p.Contradiction()
		if (err == nil) != (c.wants == nil) {
			t.Errorf("%+v: got %v", c, err)
			continue
		}
		for _, w := range c.wants {
			if !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%+v: got %q, want one line with %q", c, err, w)
			}
		}
	}
}
