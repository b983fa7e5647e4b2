package ollama

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// defaultPort is where Ollama listens.
const defaultPort = "11434"

// apiPath is what people paste behind a server's address.
var apiPath = regexp.MustCompile(`/+((api|v1)(/.*)?)?$`)

// normalise gives the root that the API's paths are joined to. As in Ollama's own
// settings an address without a scheme and a port means port 11434; so does one of
// this machine without a port.
func normalise(endpoint string) (*url.URL, error) {
	endpoint = strings.TrimSpace(endpoint)
	scheme := "http"
	if before, _, found := strings.Cut(endpoint, "://"); found {
		scheme = before
	} else {
		endpoint = scheme + "://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || scheme != "http" && scheme != "https" {
		return nil, fmt.Errorf("%q is no address of an Ollama server; write it like http://127.0.0.1:11434", endpoint)
	}
	host, port := u.Hostname(), u.Port()
	switch host {
	case "", "0.0.0.0", "::": // where a server listens, not where one connects to
		host = "127.0.0.1"
	}
	if port == "" && scheme == "http" {
		port = defaultPort
	}
	root := &url.URL{Scheme: scheme, Host: host, Path: apiPath.ReplaceAllString(u.Path, "")}
	if port != "" {
		root.Host = net.JoinHostPort(host, port)
	}
	return root, nil
}
