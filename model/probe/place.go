package probe

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// place is where a server may be: the root of Ollama's API and the versioned base
// of OpenAI's.
type place struct {
	host, port string
	root, base string
}

// usualPorts are where Ollama, vLLM, llama.cpp, LM Studio and SGLang listen, and
// the web's own.
var usualPorts = []string{"11434", "8000", "8080", "1234", "30000", "80"}

var (
	// method is what people paste behind an API's base.
	method = regexp.MustCompile(`/+((chat/)?completions|models)?/*$`)
	// version is the API's part of a path.
	version = regexp.MustCompile(`/(api(/.*)?|v\d.*)$`)
)

// candidates gives the places that an endpoint may mean, the likeliest first.
func candidates(endpoint string) ([]place, error) {
	endpoint = cmp.Or(strings.TrimSpace(endpoint), "127.0.0.1")
	if !strings.Contains(endpoint, "://") {
		endpoint = "http://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is no address of a model server; write it like http://127.0.0.1:11434", endpoint)
	}
	ports := usualPorts
	switch {
	case u.Port() != "":
		ports = []string{u.Port()}
	case u.Scheme == "https":
		ports = []string{"443"}
	}
	var places []place
	for _, port := range ports {
		places = append(places, newPlace(u, port))
	}
	return places, nil
}

func newPlace(u *url.URL, port string) place {
	p := place{host: u.Hostname(), port: port}
	if p.host == "0.0.0.0" || p.host == "::" { // where a server listens, not where one connects to
		p.host = "127.0.0.1"
	}
	path := method.ReplaceAllString(u.Path, "")
	before := version.ReplaceAllString(path, "")
	server := u.Scheme + "://" + net.JoinHostPort(p.host, port)
	if u.Scheme == "https" && port == "443" {
		server = strings.TrimSuffix(server, ":443")
	}
	p.root = server + before
	p.base = server + before + "/v1"
	if named := strings.TrimPrefix(path, before); strings.Contains(named, "/v") {
		p.base = server + path
	}
	return p
}
