package control

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Server takes requests until it is closed.
type Server struct {
	// Address is where: host and port, the real one where any was asked for.
	Address string
	// Token has to be in every request, as "Authorization: Bearer TOKEN". It is good
	// as long as the server is.
	Token string

	host string // as it was asked for
	http *http.Server
	done chan struct{}
}

// Serve lets a run be steered over HTTP at an address host:port. A port alone, with
// a colon before it or none, is this machine's own. The error says what is wrong
// with the address.
//
// Pages in a browser, the run's own among them, reach this machine too: a request
// that says it comes from one is refused, like one that lacks the token or that
// names a host that this server is not.
func Serve(address string, c *Control) (*Server, error) {
	host, port, err := split(address)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address", err)
	}
	s := &Server{Address: listener.Addr().String(), Token: rand.Text(), host: host, done: make(chan struct{})}
	s.http = &http.Server{
		Handler: s.guard(c.handler()), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10,
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listener) // ends with Close
	}()
	return s, nil
}

// Close ends the server; requests under way get a second to finish.
func (s *Server) Close() {
	limit, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(limit) != nil {
		s.http.Close()
	}
	<-s.done
}

// guard lets in who may steer.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, longest)
		switch site := r.Header.Get("Sec-Fetch-Site"); {
		case len(r.Header.Values("Origin")) > 0, site != "" && site != "none":
			refuse(w, http.StatusForbidden, errors.New("pages may not steer a run"))
		case !s.means(r.Host):
			refuse(w, http.StatusForbidden, fmt.Errorf("this is not the server %q; use http://%s", r.Host, s.Address))
		case !s.knows(r.Header.Values("Authorization")):
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, errors.New(`the token is missing or wrong; send the header "Authorization: Bearer TOKEN" with the token that fara printed`))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// means reports whether a request's host is this server: names that somebody else
// has lead here are not.
func (s *Server) means(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") || strings.EqualFold(host, s.host) {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}

// knows reports whether a request has the token.
func (s *Server) knows(headers []string) bool {
	if len(headers) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(strings.TrimSpace(token)), []byte(s.Token)) == 1
}

// split reads an address to listen at.
func split(address string) (host, port string, err error) {
	address = strings.TrimSpace(address)
	if _, err := strconv.Atoi(address); err == nil {
		address = ":" + address
	}
	host, port, err = net.SplitHostPort(address)
	if err != nil {
		return "", "", errors.New("write it as host:port, or as a port alone for this machine")
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", "", fmt.Errorf("%q is no port; it takes 0 to 65535, 0 being any that is free", port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return host, port, nil
}
