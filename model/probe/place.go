package probe

import (
	"net/url"
	"regexp"
	"strings"

	"fara/model/wire"
)

// place is where a server may be: the root of Ollama's API and the versioned base
// of OpenAI's.
type place struct {
	server     *url.URL
	root, base string
}

// usualPorts are where Ollama, vLLM, llama.cpp, LM Studio and SGLang listen, and
// the web's own.
var usualPorts = []string{"11434", "8000", "8080", "1234", "30000", "80"}

var (
	// method is what people paste behind an API's base.
	method = regexp.MustCompile(`/+((chat/)?completions|models|responses)?/*$`)
	// version is the API's part of a path.
	version = regexp.MustCompile(`/(api(/.*)?|v\d.*)$`)
)

// candidates gives the places that an endpoint may mean, the likeliest first.
func candidates(endpoint string) ([]place, error) {
	u, err := wire.Endpoint(endpoint, "http://127.0.0.1:11434")
	if err != nil {
		return nil, err
	}
	ports := usualPorts
	switch {
	case u.Port() != "":
		ports = []string{u.Port()}
	case u.Scheme == "https":
		ports = []string{""}
	}
	var places []place
	for _, port := range ports {
		places = append(places, newPlace(u, port))
	}
	return places, nil
}

func newPlace(u *url.URL, port string) place {
	server := &url.URL{Scheme: u.Scheme, User: u.User, Host: wire.At(u.Hostname(), port)}
	path := method.ReplaceAllString(u.Path, "")
	before := version.ReplaceAllString(path, "")
	at := func(path string) string { return server.String() + path }
	p := place{server: server, root: at(before), base: at(before + "/v1")}
	if named := strings.TrimPrefix(path, before); strings.Contains(named, "/v") {
		p.base = at(path)
	}
	return p
}
