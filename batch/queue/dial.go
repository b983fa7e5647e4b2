package queue

import (
	"context"
	"net"
	"sync"
)

// dialer is how a connection reaches a server.
type dialer func(network, address string) (net.Conn, error)

// Dial implements nats.CustomDialer.
func (d dialer) Dial(network, address string) (net.Conn, error) { return d(network, address) }

// dialWith is a dialer whose attempts end with ctx, in the middle of greeting a silent
// server too, until release was called. Afterwards, when lost connections are made
// again, each has only a limit of its own.
func dialWith(ctx context.Context) (d dialer, release func()) {
	var mu sync.Mutex
	var stops []func() bool
	released := false
	d = func(network, address string) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		limits := net.Dialer{Timeout: requestLimit}
		if released {
			return limits.Dial(network, address)
		}
		conn, err := limits.DialContext(ctx, network, address)
		if err == nil {
			stops = append(stops, context.AfterFunc(ctx, func() { _ = conn.Close() }))
		}
		return conn, err
	}
	return d, func() {
		mu.Lock()
		defer mu.Unlock()
		for _, stop := range stops {
			stop()
		}
		released, stops = true, nil
	}
}
