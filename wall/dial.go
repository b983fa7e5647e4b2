package wall

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
)

// refusedAddress carries what Config.Address said through the dialer.
type refusedAddress struct{ why error }

func (r *refusedAddress) Error() string { return r.why.Error() }

func (r *refusedAddress) Unwrap() error { return r.why }

// errSilent is the cause of a connection that did not come about in time.
var errSilent error = silence{}

// silence is a network error for a host that does not answer.
type silence struct{}

func (silence) Error() string   { return "the host does not answer" }
func (silence) Timeout() bool   { return true }
func (silence) Temporary() bool { return true }

// dialDirect connects to a host and port itself. The address is checked at the
// last moment, when the dialer has nothing between it and the connection.
func (w *Wall) dialDirect(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := split("", address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, w.cfg.DialLimit, errSilent)
	defer cancel()
	dialer := net.Dialer{Resolver: w.cfg.Resolver}
	dialer.ControlContext = func(_ context.Context, _, to string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(to)
		if err == nil {
			err = w.cfg.Address(host, at)
		}
		if err != nil {
			return &refusedAddress{err}
		}
		return nil
	}
	conn, err := dialer.DialContext(ctx, network, net.JoinHostPort(known(host), strconv.Itoa(int(port))))
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		err = &net.OpError{Op: "dial", Net: network, Err: errSilent}
	}
	if err == nil {
		w.failures.clear(host, port)
	}
	return conn, err
}

// known gives names that mean this machine the one that every system knows.
func known(host string) string {
	plain := strings.ToLower(strings.TrimSuffix(host, "."))
	if plain == "localhost" || strings.HasSuffix(plain, ".localhost") {
		return "localhost"
	}
	return host
}

// isDial reports whether an error comes from making a connection.
func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect" || op.Op == "socks connect")
}

// cause is what was refused rather than the dialer's words around it.
func cause(err error) error {
	var refused *refusedAddress
	if errors.As(err, &refused) {
		return refused.why
	}
	return err
}
