package taskfile

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// scheme matches an address that begins with one; a port behind a bare host is none.
var scheme = regexp.MustCompile(`(?i)^[a-z][a-z0-9+.-]*:(?:[^0-9]|$)`)

// host matches names and numbers of machines, in any script.
var host = regexp.MustCompile(`^[\p{L}\p{M}\p{N}._-]+$|^[0-9a-fA-F:.]+$`)

// checkAddress finds what no page can have as its address. An empty one is fine: it
// is a blank page.
func checkAddress(address string) error {
	if address == "" {
		return nil
	}
	bare := !scheme.MatchString(address)
	if bare {
		address = "https://" + strings.TrimPrefix(address, "//")
	}
	u, err := url.Parse(address)
	var parse *url.Error
	switch {
	case errors.As(err, &parse):
		return parse.Err // without the address, which may hold a password
	case err != nil:
		return err
	}
	switch s := strings.ToLower(u.Scheme); {
	case s == "http" || s == "https":
		return checkHost(u, bare)
	case !slices.Contains([]string{"file", "about", "data"}, s):
		return fmt.Errorf("nothing that begins with %s: is a page", u.Scheme)
	}
	return nil
}

// checkHost finds what no machine is called. A single word is taken for one behind a
// scheme or with a port: alone it is more likely a remark, such as none.
func checkHost(u *url.URL, bare bool) error {
	name := u.Hostname()
	switch {
	case name == "":
		return errors.New("it names no host")
	case !host.MatchString(name):
		return fmt.Errorf("no host is called %q", name)
	case bare && !strings.ContainsAny(name, ".:") && u.Port() == "" && name != "localhost":
		return fmt.Errorf("%q is no host with a domain", name)
	}
	return nil
}
