package env_test

import (
	"testing"

	"fara/env"
)

func TestWithoutUserRepeatsNoPassword(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.test/x?y=1#z":     "https://a.test/x?y=1#z",
		"https://me:pw@a.test/x?y=1": "https://a.test/x?y=1",
		"https://token@a.test":       "https://a.test",
		"http://me:p w@a.test/":      "(an address that cannot be read)",
		"about:blank":                "about:blank",
		"":                           "",
		"not an address":             "not an address",
		"mail me@a.test":             "mail me@a.test",
	} {
		if got := env.WithoutUser(address); got != want {
			t.Errorf("WithoutUser(%q): got %q, want %q", address, got, want)
		}
	}
}
