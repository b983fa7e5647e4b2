package policy_test

import (
	"testing"

	"fara/env"
	"fara/policy"
)

func TestASecretOnItsSiteNeedsNoYesButWhatSendsItDoes(t *testing.T) {
	bound := func(act env.Action, _ *env.Element, page string) bool { return act.Text == "own" && page == shop }
	post := "https://shop.example/login"
	password := el("input", "Password", kind("password"), sends("post", post, blank("password", "Password")))
	typed := func(text string, enter bool) env.Action { return env.Action{Kind: env.Type, Text: text, Enter: enter} }
	deny, err := policy.Parse("rules", []byte("rules:\n  - {class: credentials, do: deny}\n"))
	if err != nil {
		t.Fatal(err)
	}
	ask, err := policy.Parse("rules", []byte("rules:\n  - {class: credentials, do: ask}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		p    policy.Policy
		act  env.Action
		page string
		do   policy.Do
		code string
	}{
		{"a secret on its site", policy.Policy{}, typed("own", false), shop, policy.Allow, policy.CodeBound},
		{"a secret elsewhere", policy.Policy{}, typed("own", false), "https://other.example/", policy.Ask, policy.CodeRisky},
		{"another text", policy.Policy{}, typed("guess", false), shop, policy.Ask, policy.CodeRisky},
		{"a secret and Enter, which sends it", policy.Policy{}, typed("own", true), shop, policy.Ask, policy.CodeRisky},
		{"when all is asked about", policy.Policy{Approve: policy.Always}, typed("own", false), shop, policy.Ask, policy.CodeAlways},
		{"when nothing is", policy.Policy{Approve: policy.Never}, typed("own", false), shop, policy.Allow, policy.CodeNever},
		{"a rule that denies", deny, typed("own", false), shop, policy.Deny, policy.CodeRuleDeny},
		{"a rule that asks", ask, typed("own", false), shop, policy.Ask, policy.CodeRuleAsk},
	} {
		c.p.Bound = bound
		if d := c.p.Judge(c.act, password, c.page); d.Do != c.do || d.Code != c.code {
			t.Errorf("%s: got %s (%s), want %s (%s)", c.what, d.Do, d.Code, c.do, c.code)
		}
	}
	if d := (policy.Policy{Bound: bound}).Judge(click, el("button", "Sign in", sends("post", post, fld("password", "Password"))), shop); d.Do != policy.Ask {
		t.Errorf("the button that sends it: got %s", d.Do)
	}
}

func TestASiteCoversPagesHoweverTheirAddressIsWritten(t *testing.T) {
	for site, pages := range map[string]map[string]bool{
		"a.test":         {"https://a.test/x": true, "http://A.TEST./": true, "https://b.a.test:8443/": true, "https://xa.test/": false, "https://a.test.evil.test/": false, "https://a.test@evil.test/": false, "about:blank": false, "": false, "blob:https://a.test/1": true, "data:text/html,a.test": false, "file:///a.test": false},
		"*.a.test":       {"https://a.test/": false, "https://b.a.test/": true},
		"127.0.0.1:8080": {"http://127.0.0.1:8080/": true, "http://127.0.0.1/": false, "http://0x7f.1:8080/": true, "http://localhost:8080/": false},
	} {
		s, err := policy.ParseSite(site)
		if err != nil {
			t.Fatal(err)
		}
		for page, want := range pages {
			if got := s.Covers(page); got != want {
				t.Errorf("%s covers %q: got %v, want %v", site, page, got, want)
			}
		}
	}
}
