package chrome

import (
	"errors"
	"net"
	"net/url"
	"syscall"
)

// plainNetwork says what an error of Go's network means, in the words for the
// browser's name of the same thing.
func plainNetwork(err error) string {
	var dns *net.DNSError
	var network net.Error
	switch {
	case errors.As(err, &dns) && !dns.IsTimeout:
		return plainFailure("net::ERR_NAME_NOT_RESOLVED")
	case errors.Is(err, syscall.ECONNREFUSED):
		return plainFailure("net::ERR_CONNECTION_REFUSED")
	case errors.Is(err, syscall.ECONNRESET):
		return plainFailure("net::ERR_CONNECTION_RESET")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return plainFailure("net::ERR_ADDRESS_UNREACHABLE")
	case errors.As(err, &network) && network.Timeout():
		return plainFailure("net::ERR_CONNECTION_TIMED_OUT")
	}
	return err.Error()
}

// oneWayOut are the flags that leave a browser no way past its proxy: not to this
// machine, not by looking a name up, not by calls that pages make to each other.
func oneWayOut(proxy string) []string {
	if proxy == "" {
		return nil
	}
	flags := []string{"--proxy-server=" + proxy, "--proxy-bypass-list=<-loopback>", "--webrtc-ip-handling-policy=disable_non_proxied_udp"}
	if u, err := url.Parse(proxy); err == nil && u.Hostname() != "" {
		flags = append(flags, "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE "+u.Hostname())
	}
	return flags
}
