package main

import (
	"strings"
	"testing"
)

func TestHeaderTakesValuesFromTheEnvironment(t *testing.T) {
	getenv := func(name string) string { return map[string]string{"KEY": "s3cret"}[name] }
	h, err := header([]string{"Authorization: Bearer a:b", "X-Key:env:KEY", "x-key: two"}, getenv)
	if err != nil || h.Get("Authorization") != "Bearer a:b" || strings.Join(h["X-Key"], "|") != "s3cret|two" {
		t.Errorf("got %v, %v", h, err)
	}
}

func TestHeaderErrorsRepeatNoValue(t *testing.T) {
	for _, line := range []string{"s3cret", "Bad Name: s3cret", "A: s3c\nret", "A: env:NOTHING", "A:", ": s3cret"} {
		h, err := header([]string{line}, func(string) string { return "" })
		if err == nil {
			t.Errorf("%q: got %v, want an error", line, h)
		} else if strings.Contains(err.Error(), "s3c") || !strings.Contains(err.Error(), "--cdp-header") {
			t.Errorf("%q: the error is %v", line, err)
		}
	}
}
