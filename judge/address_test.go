package judge_test

import (
	"testing"

	"fara/env"
	"fara/judge"
)

func TestAddressesAreComparedByTheirParts(t *testing.T) {
	for _, c := range []struct{ address, text, want string }{
		{"about:blank", "url is about:blank", "yes"},
		{"about:blank", "url is /blank", "no"},
		{"data:text/html,hi", "url is data:*", "yes"},
		{"https://a.test/data:x", "url is data:*", "no"},
		{"file:///tmp/Page.html", "url is file:///tmp/*.html", "yes"},
		{"file:///tmp/Page.html", "url is file:///tmp/page.html", "no"},
		{"http://localhost:8080/x", "url is localhost:8080/x", "yes"},
		{"http://localhost:8080/x", "url is localhost/x", "no"},
		{"http://localhost:8080/x", "url is http://localhost:*/x", "yes"},
		{"http://localhost/x", "url is localhost/x", "yes"},
		{"http://[::1]:80/x", "url is http://[::1]/x", "yes"},
		{"http://a.test:443/", "url is http://a.test", "no"},
		{"https://a.test", "url is https://a.test/", "yes"},
		{"https://a.test/?q=1", "url is https://a.test", "yes"},
		{"https://a.test/?q=1", "url is https://a.test/?", "no"},
		{"https://a.test/?q=blue+tea&p=2", "url is /?q=blue tea*", "yes"},
		{"https://a.test/?q=blue+tea&p=2", "url is /?q=blue%20tea*", "yes"},
		{"https://a.test/#/done", "url is /#/done", "yes"},
		{"https://a.test/#/done", "url is /#/cart", "no"},
		{"https://a.test/caf%C3%A9/", "url is /café", "yes"},
		{"https://a.test/100%", "url contains 100%", "yes"},
		{"https://a.test/%zz", "url is /%zz", "no"}, // such an address has no parts
		{"https://a.test/%zz", "url contains %zz", "yes"},
		{"https://me@a.test/x", "url is https://a.test/x", "yes"},
		{"https://a.test.evil.test/x", "url is https://a.test*/x", "yes"}, // as it is written
		{"https://evil.test/?https://a.test/x", "url is https://a.test/*", "no"},
		{"https://evil.test/https://a.test/", "url is https://a.test/*", "no"},
		{"https://www.a.test/x", "url is *.a.test/x", "yes"},
		{"https://a.test/x/y/z", "url is /x/*", "yes"},
		{"https://a.test/x", "url is /x/*", "no"},
	} {
		e := &judge.Evidence{Evidence: env.Evidence{URL: c.address}}
		if got := result(t, c.text, judge.Case{Evidence: e}); got != c.want {
			t.Errorf("%s held to %s: got %s, want %s", c.address, c.text, got, c.want)
		}
	}
}
