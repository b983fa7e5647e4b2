package openai

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

var (
	// method is what people paste behind the base of the API.
	method = regexp.MustCompile(`/+(chat/completions|completions|models|api/(generate|chat|tags))?/*$`)
	// versioned is a path that already leads to a version of the API.
	versioned = regexp.MustCompile(`/v\d`)
)

// normalise gives the base that chat/completions is joined to. A path that names
// no version gets the usual /v1.
func normalise(endpoint string) (string, error) {
	endpoint = cmp.Or(strings.TrimSpace(endpoint), "http://127.0.0.1:8000")
	if !strings.Contains(endpoint, "://") {
		endpoint = "http://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%q is no address of a model server; write it like http://127.0.0.1:8000/v1", endpoint)
	}
	path := method.ReplaceAllString(u.Path, "")
	if !versioned.MatchString(path) {
		path += "/v1"
	}
	// 0.0.0.0 is where a server listens, not where one connects to.
	host := strings.Replace(u.Host, "0.0.0.0", "127.0.0.1", 1)
	return (&url.URL{Scheme: u.Scheme, Host: host, Path: path}).String(), nil
}
