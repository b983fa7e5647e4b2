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

// checkAddress finds what no page can have as its address. An empty one is fine: it
// is a blank page.
func checkAddress(address string) error {
	if address == "" {
		return nil
	}
	if !scheme.MatchString(address) {
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
	case (s == "http" || s == "https") && u.Host == "":
		return errors.New("it names no host")
	case !slices.Contains([]string{"http", "https", "file", "about", "data"}, s):
		return fmt.Errorf("nothing that begins with %s: is a page", u.Scheme)
	}
	return nil
}
