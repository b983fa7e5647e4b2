package wire

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"syscall"
	"testing"
)

func TestEndpointIsReadAsPeopleWriteIt(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "http://127.0.0.1",
		"8000":                     "http://127.0.0.1:8000",
		":8000":                    "http://127.0.0.1:8000",
		" :8000/v1 ":               "http://127.0.0.1:8000/v1",
		"localhost":                "http://localhost",
		"gpu-box:8000":             "http://gpu-box:8000",
		"0.0.0.0:8000":             "http://127.0.0.1:8000",
		"http://0.0.0.0":           "http://127.0.0.1",
		"[::]:8000":                "http://127.0.0.1:8000",
		"::1":                      "http://[::1]",
		"[::1]:8000":               "http://[::1]:8000",
		"http://:8000":             "http://127.0.0.1:8000",
		"https://example.org/v1":   "https://example.org/v1",
		"https://me:pw@host/v1":    "https://me:pw@host/v1",
		"HTTP://Host:1":            "http://Host:1",
		"10.0.0.5":                 "http://10.0.0.5",
		"http://127.0.0.1:11434//": "http://127.0.0.1:11434//",
	} {
		got, err := Endpoint(in, "x")
		if err != nil || got.String() != want {
			t.Errorf("%q: got %v and error %v, want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"ftp://host", "http://", "http://a b", "host:port", "http://host:0", "99999", "host:99999", "http:/host", "ws://h:1", "me:secret@host:x"} {
		got, err := Endpoint(in, "http://127.0.0.1:1")
		if err == nil || !strings.Contains(err.Error(), "http://127.0.0.1:1") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v and error %v, want one that says how to write it", in, got, err)
		}
	}
}

func TestContainerIsKnownByItsMark(t *testing.T) {
	for mark, want := range map[string]bool{"/.dockerenv": true, "/run/.containerenv": true, "": false} {
		if got := inContainer(func(path string) bool { return path == mark }); got != want {
			t.Errorf("%q: got %v, want %v", mark, got, want)
		}
	}
}

func TestAdviceNamesTheOtherScheme(t *testing.T) {
	u, _ := url.Parse("https://box:8000/v1")
	got := Advice(u, errors.New("http: server gave HTTP response to HTTPS client"), "start it")
	if want := "http://box:8000"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %s in it", got, want)
	}
	if got := Advice(u, fmt.Errorf("dial: %w", syscall.ECONNREFUSED), "start it"); got != "start it" {
		t.Errorf("a refusal elsewhere: got %q, want that it be started", got)
	}
	for message, want := range map[string]bool{
		"Client sent an HTTP request to an HTTPS server.":    true,
		"400 The plain HTTP request was sent to HTTPS port":  true,
		"This model's maximum context length is 8192 tokens": false,
	} {
		if got := WantsTLS(message); got != want {
			t.Errorf("%q: got %v, want %v", message, got, want)
		}
	}
}
