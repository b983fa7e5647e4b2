package env

import (
	"net/url"
	"strings"
)

// WithoutUser is an address without the name and password that may stand in it,
// for everything that is printed, logged or stored. What is no address but has
// an @ is not repeated at all.
func WithoutUser(address string) string {
	u, err := url.Parse(address)
	switch {
	case err == nil && u.User == nil:
		return address
	case err == nil:
		u.User = nil
		return u.String()
	case strings.Contains(address, "@"):
		return "(an address that cannot be read)"
	}
	return address
}
