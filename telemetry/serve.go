package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Server answers scrapes until it is closed.
type Server struct {
	// Address is where: host and port, the real one where any was asked for.
	Address string

	http *http.Server
	done chan struct{}
}

// Serve answers at /metrics of an address host:port. A port alone, with a colon
// before it or none, is this machine's own. The error says what is wrong with the
// address.
func Serve(address string, m *Metrics) (*Server, error) {
	at, err := listenAt(address)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	s := &Server{
		Address: listener.Addr().String(),
		http:    &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second},
		done:    make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listener) // ends with Close
	}()
	return s, nil
}

// Close ends the server; a scrape under way gets a second to finish.
func (s *Server) Close() {
	limit, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(limit) != nil {
		s.http.Close()
	}
	<-s.done
}

// listenAt is an address to listen at.
func listenAt(address string) (string, error) {
	address = strings.TrimSpace(address)
	if _, err := strconv.Atoi(address); err == nil {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", errors.New("write it as host:port, or as a port alone for this machine")
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", fmt.Errorf("%q is no port; it takes 0 to 65535, 0 being any that is free", port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}
