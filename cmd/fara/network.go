package main

import (
	"cmp"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/net/http/httpproxy"

	"fara/env"
	"fara/env/chrome"
	"fara/policy"
	"fara/wall"
)

// siteFlags say where a run may go, and what it may do there.
type siteFlags struct {
	allow, deny []string
	private     bool
	rules       ruleFlags
}

func (s *siteFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&s.allow, "allow-site", nil, "open pages of this `site` and of --url only (may be repeated, or list several with commas)")
	f.StringArrayVar(&s.deny, "deny-site", nil, "ask nothing of this `site`: example.com, *.example.com, example.com:8080, 10.0.0.0/8 (like --allow-site)")
	f.BoolVar(&s.private, "allow-private-network", false, "let the model open addresses of the local network")
	s.rules.register(f)
}

// policy puts together what a run may do. given are the addresses that the user
// wrote, trusted are those and what stands in for them. Sites of flags and file add
// up; else a flag wins over the file.
func (s *siteFlags) policy(given, trusted []string) (policy.Policy, error) {
	p, err := s.rules.base()
	if err != nil {
		return p, err
	}
	allow, err := parseSites("--allow-site", s.allow)
	if err != nil {
		return p, err
	}
	deny, err := parseSites("--deny-site", s.deny)
	if err != nil {
		return p, err
	}
	p.Allow, p.Deny = append(p.Allow, allow...), append(p.Deny, deny...)
	if s.rules.flags.Changed("allow-private-network") {
		p.Network = map[bool]policy.Network{false: policy.Public, true: policy.Any}[s.private]
	}
	p.Trusted = given
	if err := p.Contradiction(); err != nil {
		return p, usage("the rules contradict each other: %w; leave one of the two out", err)
	}
	p.Trusted = trusted
	return p, nil
}

// parseSites reads a flag's sites. Nothing between commas is an error: a list
// that came out empty by mistake must not allow everything.
func parseSites(flag string, texts []string) ([]policy.Site, error) {
	var sites []policy.Site
	for text := range strings.SplitSeq(strings.Join(texts, ","), ",") {
		if len(texts) == 0 {
			break
		}
		site, err := policy.ParseSite(text)
		if err != nil {
			return nil, usage("%s: %w", flag, err)
		}
		sites = append(sites, site)
	}
	return sites, nil
}

// checkProxy looks at --proxy without repeating it: it may hold a password.
func (b *browserFlags) checkProxy() error {
	if b.proxy == "" {
		return nil
	}
	u, err := url.Parse(b.proxy)
	if err != nil || u.Host == "" { // "host:port"
		u, err = url.Parse("http://" + b.proxy)
	}
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" {
		return usage("--proxy is no address of a proxy; write it as http://host:port or socks5://user:password@host:port")
	}
	if u.Scheme == "socks" {
		u.Scheme = "socks5"
	}
	if !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
		return usage("--proxy cannot be %s:; use http, https or socks5", u.Scheme)
	}
	b.proxy = u.String()
	return nil
}

// upstream is the proxy behind our own: --proxy, or else the system's. Addresses
// of this machine are reached without one.
func (b *browserFlags) upstream(getenv func(string) string) func(*url.URL) (*url.URL, error) {
	variable := func(name, capital string) string { return cmp.Or(getenv(name), getenv(capital)) }
	all := variable("all_proxy", "ALL_PROXY")
	cfg := httpproxy.Config{
		HTTPProxy: cmp.Or(variable("http_proxy", "HTTP_PROXY"), all), HTTPSProxy: cmp.Or(variable("https_proxy", "HTTPS_PROXY"), all),
		NoProxy: variable("no_proxy", "NO_PROXY") + ",.localhost",
	}
	if b.proxy != "" {
		cfg = httpproxy.Config{HTTPProxy: b.proxy, HTTPSProxy: b.proxy, NoProxy: ".localhost"}
	}
	return cfg.ProxyFunc()
}

// guarded is a browser with its way out.
type guarded struct {
	*chrome.Browser
	way *wall.Wall // nil when the browser is somebody else's
}

// Close ends the browser, then its way out.
func (g guarded) Close() error {
	err := g.Browser.Close()
	if g.way != nil {
		err = errors.Join(err, g.way.Close())
	}
	return err
}

// raise puts up the wall that holds a browser to the rules.
func (b *browserFlags) raise(rules policy.Policy, getenv func(string) string) (*wall.Wall, error) {
	return wall.Open(wall.Config{
		Connect: func(host string, port uint16) error { return allowed(rules.Connect(host, port)) },
		Address: func(host string, to netip.AddrPort) error { return allowed(rules.Address(host, to)) },
		Proxy:   b.upstream(getenv),
	})
}

// allowed makes an error of a refusal, and none of none.
func allowed(r *policy.Refusal) error {
	if r == nil {
		return nil
	}
	return r
}

// explain says what a wall knows of an address that could not be opened.
func explain(w *wall.Wall) func(address string) error {
	return func(address string) error {
		u, err := url.Parse(address)
		if err != nil {
			return nil
		}
		port := u.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
		}
		n, _ := strconv.ParseUint(port, 10, 16)
		err = w.Failure(u.Hostname(), uint16(n))
		var refusal *policy.Refusal
		if errors.As(err, &refusal) {
			return &env.ActionError{Code: env.Refused, Text: refusal.Error(), Err: refusal}
		}
		return err
	}
}
