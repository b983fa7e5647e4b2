package judge

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// address is an address as a check gives it: what it leaves out is not compared.
type address struct {
	text string
	// opaque is the whole of an address that has no host, such as about:blank.
	opaque                      *regexp.Regexp
	scheme                      string
	host, path, query, fragment *regexp.Regexp // nil is not compared
}

// parseAddress reads an address with * for any characters: with or without its
// scheme, beginning with / on any site; without ? the query is not compared,
// without # the fragment is not, and behind a site that ends with * no path is.
func parseAddress(text string) (address, error) {
	a := address{text: text}
	rest := text
	if scheme, after, ok := strings.Cut(text, "://"); ok {
		a.scheme, rest = strings.ToLower(scheme), after
		if strings.ContainsAny(scheme, "/?# ") || scheme == "" {
			return a, errors.New("it has no scheme before ://")
		}
	} else if opaqueScheme.MatchString(text) {
		a.opaque = glob(text)
		return a, nil
	}
	rest, fragment, hasFragment := strings.Cut(rest, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	host, path, hasPath := strings.Cut(rest, "/")
	if strings.ContainsAny(rest, " ") {
		return a, errors.New("it has a space in it; write %20, or * for any characters")
	}
	switch {
	case host != "" && a.scheme == "" && !strings.ContainsAny(host, ".:*") && host != "localhost":
		return a, fmt.Errorf("%q is no site; a path on any site begins with /", host)
	case host != "":
		a.host = glob(strings.ToLower(withoutPort(a.scheme, host)))
	case a.scheme != "" && a.scheme != "file":
		return a, errors.New("it names no host; begin with / for any site")
	}
	if hasPath || !strings.HasSuffix(host, "*") {
		a.path = glob(pathOf(path))
	}
	if hasQuery {
		a.query = glob(unescaped(query))
	}
	if hasFragment {
		a.fragment = glob(unescaped(fragment))
	}
	return a, nil
}

var opaqueScheme = regexp.MustCompile(`^(about|blob|chrome|data|javascript|mailto|view-source):`)

// matches reports whether a page's or a request's address is such a one.
func (a address) matches(other string) bool {
	if a.opaque != nil {
		return a.opaque.MatchString(other)
	}
	u, err := url.Parse(other)
	if err != nil || u.Opaque != "" {
		return false
	}
	raw, _, _ := strings.Cut(other, "#")
	_, query, _ := strings.Cut(raw, "?")
	_, fragment, _ := strings.Cut(other, "#")
	scheme := strings.ToLower(u.Scheme)
	return (a.scheme == "" || a.scheme == scheme) &&
		(a.host == nil || a.host.MatchString(strings.ToLower(withoutPort(scheme, u.Host)))) &&
		(a.path == nil || a.path.MatchString(pathOf(strings.TrimPrefix(u.EscapedPath(), "/")))) &&
		(a.query == nil || a.query.MatchString(unescaped(query))) &&
		(a.fragment == nil || a.fragment.MatchString(unescaped(fragment)))
}

// pathOf is a path without the slashes at its ends and without escapes.
func pathOf(path string) string {
	path = strings.TrimSuffix(path, "/")
	if plain, err := url.PathUnescape(path); err == nil {
		return plain
	}
	return path
}

func unescaped(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

func withoutPort(scheme, host string) string {
	switch scheme {
	case "http":
		return strings.TrimSuffix(host, ":80")
	case "https":
		return strings.TrimSuffix(host, ":443")
	}
	return host
}

// glob is a pattern for the whole of a text, with * for any characters.
func glob(pattern string) *regexp.Regexp {
	parts := strings.Split(pattern, "*")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	return regexp.MustCompile(`(?s)^` + strings.Join(parts, `.*`) + `$`)
}
