package wire

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Limits of a connection.
const (
	dialTimeout = 10 * time.Second
	idleTimeout = 90 * time.Second
)

// NewTransport gives the way to a model server. One server's calls share one, for
// its open connections.
//
// What is on this machine is never asked for through a proxy; the rest follows
// HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Names of this machine are tried in both
// families of addresses, whatever the hosts file says: servers tend to listen in
// one.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: proxy,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return dial(ctx, dialer, network, address)
		},
		TLSHandshakeTimeout: dialTimeout,
		IdleConnTimeout:     idleTimeout,
		MaxIdleConnsPerHost: 16,
		ForceAttemptHTTP2:   true,
	}
}

func proxy(req *http.Request) (*url.URL, error) {
	if OnThisMachine(req.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(req)
}

// OnThisMachine reports whether a host, without a port, is this machine by its
// name or number.
func OnThisMachine(host string) bool {
	return isLocalName(host) || isLocalNumber(host)
}

func isLocalName(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

func isLocalNumber(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// dial tries a local name in both families. The error is that of the first.
func dial(ctx context.Context, dialer *net.Dialer, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil || !isLocalName(host) {
		return dialer.DialContext(ctx, network, address)
	}
	conn, err := dialer.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
	if err == nil || !errors.Is(err, syscall.ECONNREFUSED) {
		return conn, err
	}
	if other, otherErr := dialer.DialContext(ctx, network, net.JoinHostPort("::1", port)); otherErr == nil {
		return other, nil
	}
	return nil, err
}
