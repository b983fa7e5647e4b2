package replay

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"fara/env"
)

// Base puts one origin in the place of another, as for a site that is now on another
// port: both are schemes with a host, such as "http://127.0.0.1:8080".
type Base struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// ParseBase reads OLD=NEW.
func ParseBase(text string) (Base, error) {
	before, after, ok := strings.Cut(text, "=")
	if !ok {
		return Base{}, fmt.Errorf("%q is not OLD=NEW, as in http://127.0.0.1:8080=http://127.0.0.1:9090", env.WithoutUser(text))
	}
	old, err := origin(before)
	if err != nil {
		return Base{}, err
	}
	now, err := origin(after)
	return Base{Old: old, New: now}, err
}

// origin is the scheme and host of an address that has nothing else.
func origin(address string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil:
		return "", errors.New("it is no address; write it as http://host:port")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil:
		return "", fmt.Errorf("%q is not an origin; write it as http://host:port", env.WithoutUser(address))
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%q has more than scheme, host and port; leave the rest out", env.WithoutUser(address))
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}

// moved is an address of the run as it is now.
func moved(address string, bases []Base) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	for _, b := range bases {
		if u.Scheme+"://"+strings.ToLower(u.Host) != b.Old {
			continue
		}
		now, err := url.Parse(b.New)
		if err != nil {
			return address
		}
		u.Scheme, u.Host = now.Scheme, now.Host
		return u.String()
	}
	return address
}

// sameAddress reports whether two addresses are of the same page as far as a replay
// goes: scheme, host and path. What stands behind them differs from visit to visit.
func sameAddress(a, b string) bool { return place(a) == place(b) }

func place(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	if u.Scheme == "blob" { // a new name each time
		return "blob:"
	}
	path := u.EscapedPath()
	if path == "" && u.Host != "" {
		path = "/"
	}
	return u.Scheme + ":" + u.Opaque + "//" + strings.ToLower(u.Host) + path
}
