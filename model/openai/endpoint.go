package openai

import (
	"net/url"
	"regexp"

	"fara/model/wire"
)

// defaultPort is where vLLM listens.
const defaultPort = "8000"

var (
	// method is what people paste behind the base of the API.
	method = regexp.MustCompile(`/+(chat/completions|completions|models|responses|api(/(generate|chat|tags|version))?)?/*$`)
	// versioned is a path that already leads to a version of the API.
	versioned = regexp.MustCompile(`/v\d`)
)

// normalise gives the base that chat/completions is joined to. A path that names
// no version gets the usual /v1; no address at all is vLLM's.
func normalise(endpoint string) (*url.URL, error) {
	u, err := wire.Endpoint(endpoint, "http://127.0.0.1:8000/v1")
	if err != nil {
		return nil, err
	}
	if endpoint == "" {
		u.Host = wire.At(u.Hostname(), defaultPort)
	}
	path := method.ReplaceAllString(u.Path, "")
	if !versioned.MatchString(path) {
		path += "/v1"
	}
	return &url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: path}, nil
}
