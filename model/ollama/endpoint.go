package ollama

import (
	"net/url"
	"regexp"

	"fara/model/wire"
)

// defaultPort is where Ollama listens.
const defaultPort = "11434"

// apiPath is what people paste behind a server's address.
var apiPath = regexp.MustCompile(`/+((api|v1)(/.*)?)?$`)

// normalise gives the root that the API's paths are joined to. As in Ollama's own
// settings an address without a scheme and a port means port 11434; so does one of
// this machine without a port.
func normalise(endpoint string) (*url.URL, error) {
	u, err := wire.Endpoint(endpoint, "http://127.0.0.1:11434")
	if err != nil {
		return nil, err
	}
	if u.Port() == "" && u.Scheme == "http" {
		u.Host = wire.At(u.Hostname(), defaultPort)
	}
	return &url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: apiPath.ReplaceAllString(u.Path, "")}, nil
}
