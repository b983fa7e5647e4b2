package wire

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

// bareNumber is a port that stands for this machine, with a path perhaps.
var bareNumber = regexp.MustCompile(`^:?(\d{1,5})(/.*)?$`)

// Endpoint reads a server's address as people write it: without a scheme, as a
// port alone (8000, :8000), as an IPv6 number without brackets, or as where a
// server listens (0.0.0.0) rather than where it is reached. Its host is never
// empty; its port is when none was given. An empty text is this machine.
//
// The error says how to write it, as in example.
func Endpoint(text, example string) (*url.URL, error) {
	address := strings.TrimSpace(text)
	switch {
	case strings.Contains(address, "://"):
	case bareNumber.MatchString(address):
		address = "http://127.0.0.1:" + strings.TrimPrefix(address, ":")
	case strings.Count(address, ":") > 1 && net.ParseIP(address) != nil:
		address = "http://[" + address + "]"
	default:
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || strings.HasSuffix(u.Host, ":") || u.Host == "" && text != "" || !isPort(u.Port()) {
		if strings.Contains(text, "@") {
			text = "the endpoint" // it may hold a password
		}
		return nil, fmt.Errorf("%q is no address of a model server; write it like %s", text, example)
	}
	switch u.Hostname() {
	case "", "0.0.0.0", "::":
		u.Host = At("127.0.0.1", u.Port())
	}
	return u, nil
}

func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return text == "" || err == nil && n > 0 && n < 1<<16
}

// At joins a host and a port for a URL; an empty port is left out.
func At(host, port string) string {
	if port != "" {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// Advice says what to do when a server at u could not be reached, as far as that
// can be known; start is the advice when nothing listens there.
func Advice(u *url.URL, err error, start string) string {
	switch {
	case err == nil:
		return ""
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fmt.Sprintf("the server there speaks http, not https; write http://%s", u.Host)
	case !errors.Is(err, syscall.ECONNREFUSED):
		return ""
	case OnThisMachine(u.Hostname()) && inContainer(exists):
		return fmt.Sprintf("%s; inside a container %s is the container itself: a server on the host is http://%s",
			start, u.Hostname(), At("host.docker.internal", u.Port()))
	}
	return start
}

// inContainer reports whether this program runs in one, by the files that mark it.
func inContainer(exists func(path string) bool) bool {
	return exists("/.dockerenv") || exists("/run/.containerenv")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// httpOnHTTPS is what servers say to plain HTTP at a port for TLS.
var httpOnHTTPS = regexp.MustCompile(`(?i)HTTP request (was sent )?to (an )?HTTPS (server|port)`)

// WantsTLS reports whether a refusal says that the server speaks https alone.
func WantsTLS(message string) bool { return httpOnHTTPS.MatchString(message) }
