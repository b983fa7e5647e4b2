package policy_test

import (
	"testing"

	"fara/policy"
)

func TestShowAllowsWhatAPageMakesItself(t *testing.T) {
	for address, code := range map[string]string{
		"": "", "about:blank": "", "about:srcdoc": "", "chrome-error://chromewebdata/": "",
		"https://example.com/": "", "blob:https://example.com/1-2": "", "blob:null/1-2": "", "data:text/html,x": "",
		"blob:http://127.0.0.1:9/1-2": policy.CodePrivate, "http://127.0.0.1:9/": policy.CodePrivate,
		"file:///etc/passwd": policy.CodeScheme, "chrome://settings/": policy.CodeScheme,
	} {
		got := ""
		if r := (policy.Policy{}).Show(address); r != nil {
			got = r.Code
		}
		if got != code {
			t.Errorf("Show(%q): got %q, want %q", address, got, code)
		}
	}
}

func TestVisitAllowsPublicPagesAndTheStartHost(t *testing.T) {
	local := policy.Policy{Trusted: []string{"http://127.0.0.1:8080/shop", "http://search.local/?q=%s"}}
	for _, c := range []struct {
		policy  policy.Policy
		address string
		code    string
	}{
		{policy.Policy{}, "https://example.com/a?b", ""},
		{policy.Policy{}, "HTTP://EXAMPLE.COM/", ""},
		{policy.Policy{}, "about:blank", ""},
		{policy.Policy{}, "https://8.8.8.8/", ""},
		{policy.Policy{}, "https://192.example.org/", ""},

		{policy.Policy{}, "file:///etc/passwd", policy.CodeScheme},
		{policy.Policy{}, "javascript:alert(1)", policy.CodeScheme},
		{policy.Policy{}, "data:text/html,x", policy.CodeScheme},
		{policy.Policy{}, "chrome://settings", policy.CodeScheme},
		{policy.Policy{}, "view-source:https://example.com", policy.CodeScheme},
		{policy.Policy{}, "ftp://example.com/", policy.CodeScheme},
		{policy.Policy{}, "about:config", policy.CodeScheme},
		{policy.Policy{}, "http://[::1", policy.CodeScheme},

		{policy.Policy{}, "http://127.0.0.1:11434/api/tags", policy.CodePrivate},
		{policy.Policy{}, "http://localhost/", policy.CodePrivate},
		{policy.Policy{}, "http://LOCALHOST./", policy.CodePrivate},
		{policy.Policy{}, "http://a.localhost/", policy.CodePrivate},
		{policy.Policy{}, "http://[::1]/", policy.CodePrivate},
		{policy.Policy{}, "http://[::ffff:10.0.0.1]/", policy.CodePrivate},
		{policy.Policy{}, "http://192.168.0.1/", policy.CodePrivate},
		{policy.Policy{}, "http://169.254.169.254/latest/meta-data", policy.CodePrivate},
		{policy.Policy{}, "http://0.0.0.0/", policy.CodePrivate},
		{policy.Policy{}, "http://router/", policy.CodePrivate},
		{policy.Policy{}, "http://printer.local/", policy.CodePrivate},
		{policy.Policy{}, "http://2130706433/", policy.CodePrivate},
		{policy.Policy{}, "http://127.1/", policy.CodePrivate},
		{policy.Policy{}, "http://0x7f.0.0.0x1/", policy.CodePrivate},

		{policy.Policy{}, "http://１２７.０.０.１/", policy.CodePrivate},
		{policy.Policy{}, "http://x.l\u00adocalhost/", policy.CodePrivate},
		{policy.Policy{}, "http://foo.ⓛocalhost/", policy.CodePrivate},
		{policy.Policy{}, "http://169.254.169.254。/", policy.CodePrivate},
		{policy.Policy{}, "http://127.0.0.1\u00ad/", policy.CodePrivate},
		{policy.Policy{}, "http://localhost.localdomain/", policy.CodePrivate},
		{policy.Policy{}, "http://[64:ff9b:1::7f00:1]/", policy.CodePrivate},
		{policy.Policy{}, "http://[::ffff:0:127.0.0.1]/", policy.CodePrivate},
		{policy.Policy{}, "http://[::ffff:0:8.8.8.8]/", ""},
		{policy.Policy{}, "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/", policy.CodePrivate},
		{policy.Policy{}, "http://[2001:4860:4860::8888]/", ""},
		{policy.Policy{}, "http://100.64.0.1/", policy.CodePrivate},
		{policy.Policy{}, "http://224.0.0.1/", policy.CodePrivate},
		{policy.Policy{}, "http://bücher.example/", ""},
		{local, "http://search.local/?q=tea", ""},

		{policy.Policy{Network: policy.Any}, "http://192.168.0.1/", ""},
		{policy.Policy{Network: policy.Any}, "file:///etc/passwd", policy.CodeScheme},
		{local, "http://127.0.0.1:9999/other", ""},
		{local, "https://127.0.0.1/", ""},
		{local, "http://localhost:8080/", policy.CodePrivate},
		{local, "ftp://127.0.0.1/", policy.CodeScheme},
		{policy.Policy{Trusted: []string{"file:///home/me/a.html"}}, "file:///home/me/a.html", ""},
		{policy.Policy{Trusted: []string{"file:///home/me/a.html"}}, "file:///home/me/.ssh/id_rsa", policy.CodeScheme},
	} {
		got := ""
		if r := c.policy.Visit(c.address); r != nil {
			got = r.Code
			if r.Text == "" {
				t.Errorf("Visit(%q): the refusal %s has no text", c.address, got)
			}
		}
		if got != c.code {
			t.Errorf("Visit(%q) from %q: got %q, want %q", c.address, c.policy.Trusted, got, c.code)
		}
	}
}
