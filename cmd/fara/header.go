package main

import (
	"net/http"
	"regexp"
	"strings"
	"unicode"
)

// headerName is what RFC 9110 lets a field be called.
var headerName = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$")

// header reads lines as "Name: value" and "Name: env:VARIABLE". No error repeats a
// value, which may be a key.
func header(lines []string, getenv func(string) string) (http.Header, error) {
	h := http.Header{}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !headerName.MatchString(name) {
			return nil, usage(`--cdp-header is no "Name: value" nor "Name: env:VARIABLE"`)
		}
		if variable, ok := strings.CutPrefix(value, "env:"); ok {
			if value = getenv(variable); value == "" {
				return nil, usage("--cdp-header %s: the variable %s is not set", name, variable)
			}
		}
		if value == "" || strings.ContainsFunc(value, unicode.IsControl) {
			return nil, usage("--cdp-header %s has no value that can be sent", name)
		}
		h.Add(name, value)
	}
	return h, nil
}
