package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"fara/env"
	"fara/policy"
)

// rulesOf gives what flags come to, {{file}} in them standing for a policy file.
func rulesOf(t *testing.T, file string, args ...string) (policy.Policy, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	var s siteFlags
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	s.register(f)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "{{file}}", path)
	}
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return s.policy([]string{"https://start.example/"}, []string{"https://start.example/", "https://find.example/?q=%s"})
}

const fullPolicy = `# what this run may do
sites:
  allow: [shop.example, bank.example]
  deny: ads.example
private_network: true
schemes: https
approve: never
rules:
  - class: [buy, pay]
    site: shop.example
    do: ask
  - {class: delete, do: deny}
`

func TestFlagsAndPolicyFileAddUp(t *testing.T) {
	sites := func(p policy.Policy) string {
		return strings.Join(policy.SiteNames(p.Allow), " ") + " | " + strings.Join(policy.SiteNames(p.Deny), " ")
	}
	for _, c := range []struct {
		file, sites string
		args        []string
		mode        policy.Approve
		network     policy.Network
		rules       int
	}{
		{fullPolicy, " | ", nil, policy.Risky, policy.Public, 0},
		{fullPolicy, " | ", []string{"--approve", "always"}, policy.Always, policy.Public, 0},
		{fullPolicy, "shop.example bank.example | ads.example", []string{"--policy", "{{file}}"}, policy.Never, policy.Any, 2},
		{fullPolicy, "shop.example bank.example new.example | ads.example bad.example", []string{"--policy", "{{file}}", "--allow-site", "new.example", "--deny-site", "bad.example"}, policy.Never, policy.Any, 2},
		{fullPolicy, "shop.example bank.example | ads.example", []string{"--policy", "{{file}}", "--approve", "risky"}, policy.Risky, policy.Any, 2},
		{fullPolicy, "shop.example bank.example | ads.example", []string{"--policy", "{{file}}", "--allow-private-network=false"}, policy.Never, policy.Public, 2},
		{"schemes: [http, https]", " | ", []string{"--policy", "{{file}}", "--allow-private-network"}, policy.Risky, policy.Any, 0},
		{`{"approve": "always", "rules": []}`, " | ", []string{"--policy", "{{file}}"}, policy.Always, policy.Public, 0},
	} {
		p, err := rulesOf(t, c.file, slices.Clone(c.args)...)
		if err != nil || sites(p) != c.sites || p.Approve != c.mode || p.Network != c.network || len(p.Rules) != c.rules {
			t.Errorf("%v with %q: got sites %q, %s, network %v, %d rules, %v, want %q, %s, %v, %d", c.args, c.file, sites(p), p.Approve, p.Network, len(p.Rules), err, c.sites, c.mode, c.network, c.rules)
		}
	}
}

func TestDenyWinsOverEveryAllow(t *testing.T) {
	p, err := rulesOf(t, "sites:\n  deny: part.shop.example\nrules:\n  - {class: pay, do: allow}\n", "--policy", "{{file}}", "--allow-site", "shop.example", "--approve", "never")
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Visit("https://part.shop.example/"); r == nil || r.Code != policy.CodeDenied {
		t.Errorf("the file denies a part of the flag's site: got %v", r)
	}
	if r := p.Visit("https://shop.example/"); r != nil {
		t.Errorf("the rest of the site: got %v", r)
	}
}

func TestWrongPoliciesAreOneLine(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct {
		file  string
		args  []string
		wants []string
	}{
		{"sites:\n  allow: shop.example\nrules:\n  - class: byu\n    do: ask\n", nil, []string{"rules.yaml:4: ", `no class "byu"`, "submit, buy, pay"}},
		{"approve: sometimes\n", nil, []string{"rules.yaml:1: ", "never, risky, always"}},
		{"rulez: []\n", nil, []string{"rules.yaml:1: ", "no field rulez", "sites, private_network, schemes, approve, rules"}},
		{"rules:\n  - class: buy\n    do: maybe\n", nil, []string{"rules.yaml:3: ", "allow, ask, deny"}},
		{"rules:\n  - class: buy\n", nil, []string{"rules.yaml:2: ", "do is missing here"}},
		{"sites:\n  allow: [a.example]\n  deny: [a.example]\n", nil, []string{"rules.yaml:2: ", "a.example is allowed here, and denied"}},
		{"sites:\n  allow: [a.example]\n", []string{"--deny-site", "a.example"}, []string{"contradict", "a.example"}},
		{"sites:\n  deny: [a.example]\n", []string{"--allow-site", "a.example"}, []string{"contradict", "a.example"}},
		{"sites:\n  deny: [start.example]\n", []string{"--url", "https://start.example/"}, []string{"contradict", "start.example"}},
		{"schemes: https\n", []string{"--url", "http://start.example/"}, []string{"contradict", "https"}},
		{"{\n", nil, []string{"rules.yaml:"}},
		{"", nil, []string{"rules.yaml:1: ", "empty"}},
		{"# nothing\n", nil, []string{"rules.yaml:1: ", "comments"}},
		{"x\x00y", nil, []string{"rules.yaml:1: ", "UTF-8"}},
		{"approve: risky\n", []string{"--approve", "perhaps"}, []string{"--approve", "perhaps", "never, risky or always"}},
		{"", []string{"--policy", filepath.Join(dir, "none.yaml")}, []string{"--policy", "none.yaml"}},
		{"", []string{"--policy", dir}, []string{"--policy"}},
		{"", []string{"--policy", ""}, []string{"--policy"}},
	} {
		path := filepath.Join(dir, "rules.yaml")
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "out")
		got := call{args: append([]string{"run", "x", "--out", out, "--policy", path}, c.args...)}.run(t)
		got.oneLine(t, exitUsage, append(c.wants, "fara")...)
		if _, err := os.Stat(out); err == nil {
			t.Errorf("case %d: a folder was made", i)
		}
	}
}

func TestRunKeepsItsRulesWhenTheFileChanges(t *testing.T) {
	var s siteFlags
	s.register(pflag.NewFlagSet("resume", pflag.ContinueOnError))
	s.rules.file, s.rules.text = "gone.yaml", []byte("rules:\n  - {class: delete, do: deny}\n")
	p, err := s.policy(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	hit := &env.Element{Tag: "button", Role: "button", Type: "button", Name: "Delete"}
	if d := p.Judge(env.Action{Kind: env.LeftClick, Point: &env.Point{}}, hit, "https://a.example/"); d.Do != policy.Deny || d.Code != policy.CodeRuleDeny {
		t.Errorf("got %+v, want what the run's own rules say", d)
	}
}
