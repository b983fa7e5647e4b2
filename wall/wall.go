package wall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"sync"
	"time"
)

const (
	headerLimit = 30 * time.Second // for a request's header to arrive
	idleLimit   = 5 * time.Minute  // for a connection that nothing asks anything of
	idleConns   = 64               // to servers, in all
)

// Config says what passes. Its zero value lets everything pass.
type Config struct {
	// Connect says whether a connection to a host, a name or an address without
	// brackets, may be asked for: nil, or why not. It is asked for every request
	// and tunnel, from several goroutines. nil lets all pass.
	Connect func(host string, port uint16) error
	// Address says whether a host may be reached at this address: nil, or why not.
	// It is asked right before that address, and no other, is connected to; an
	// address that may not be is passed over for the host's next one. It is not
	// asked when Proxy looks up the name. nil lets all pass.
	Address func(host string, to netip.AddrPort) error
	// Proxy gives the proxy ("http", "https", "socks5", with user and password)
	// that a target is reached by, or nil for none. nil uses none.
	Proxy func(target *url.URL) (*url.URL, error)
	// Resolver looks up names; nil means the system's.
	Resolver *net.Resolver
	// DialLimit is how long a connection may take to come about; 0 means 25 s,
	// which is less than a browser waits for its proxy.
	DialLimit time.Duration
	// Logger is told what is refused; nil means silent.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.Connect == nil {
		c.Connect = func(string, uint16) error { return nil }
	}
	if c.Address == nil {
		c.Address = func(string, netip.AddrPort) error { return nil }
	}
	if c.Proxy == nil {
		c.Proxy = func(*url.URL) (*url.URL, error) { return nil, nil }
	}
	if c.DialLimit == 0 {
		c.DialLimit = 25 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// Wall is a running proxy. Its methods may be called by several goroutines.
type Wall struct {
	cfg      Config
	listener net.Listener
	server   *http.Server
	direct   *http.Transport
	relayed  *http.Transport // by Config.Proxy
	forward  *httputil.ReverseProxy
	failures failures

	life context.Context // ends with Close
	end  context.CancelFunc
	work sync.WaitGroup // the server, and requests and tunnels under way

	mu     sync.Mutex
	ending bool // no request is begun any more
}

// Open puts a wall up on a free port of this machine. Close takes it down.
func Open(cfg Config) (*Wall, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the browser's way out: %w", err)
	}
	w := &Wall{cfg: cfg.withDefaults(), listener: listener}
	w.life, w.end = context.WithCancel(context.Background())
	w.direct = &http.Transport{DialContext: w.dialDirect}
	w.relayed = &http.Transport{
		DialContext: (&net.Dialer{Timeout: w.cfg.DialLimit}).DialContext,
		Proxy:       func(r *http.Request) (*url.URL, error) { return w.cfg.Proxy(r.URL) },
	}
	for _, t := range []*http.Transport{w.direct, w.relayed} {
		t.DisableCompression = true
		t.MaxIdleConns, t.MaxIdleConnsPerHost, t.IdleConnTimeout = idleConns, idleConns, idleLimit
	}
	silent := log.New(io.Discard, "", 0)
	w.forward = &httputil.ReverseProxy{
		Rewrite: asItCame, Transport: roundTripper(w.send), ErrorHandler: w.notSent, FlushInterval: -1, ErrorLog: silent,
	}
	w.server = &http.Server{
		Handler: w, ReadHeaderTimeout: headerLimit, IdleTimeout: idleLimit, ErrorLog: silent,
		BaseContext: func(net.Listener) context.Context { return w.life }, DisableGeneralOptionsHandler: true,
	}
	w.work.Go(func() { _ = w.server.Serve(listener) }) // ends with ErrServerClosed
	return w, nil
}

// URL is the proxy's address, "http://127.0.0.1:port".
func (w *Wall) URL() string { return "http://" + w.listener.Addr().String() }

// Failure is why the last connection to a host could not be made: what Connect
// or Address said, or the network's own error. It is nil when the last one could
// be made, and for hosts that none was asked for lately.
func (w *Wall) Failure(host string, port uint16) error { return w.failures.of(host, port) }

// Close breaks off what is under way and returns when all of it has ended. It may
// be called several times.
func (w *Wall) Close() error {
	w.mu.Lock()
	w.ending = true
	w.mu.Unlock()
	w.end()
	err := w.server.Close()
	w.work.Wait()
	w.direct.CloseIdleConnections()
	w.relayed.CloseIdleConnections()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// ServeHTTP takes one request of the browser.
func (w *Wall) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	ending := w.ending
	if !ending {
		w.work.Add(1)
	}
	w.mu.Unlock()
	if ending {
		panic(http.ErrAbortHandler)
	}
	defer w.work.Done()
	scheme, address := r.URL.Scheme, r.URL.Host
	if r.Method == http.MethodConnect {
		scheme, address = "https", r.Host
	}
	host, port, err := split(scheme, address)
	if err != nil {
		http.Error(rw, "this is a browser's way out and no web server", http.StatusBadRequest)
		return
	}
	if err := w.cfg.Connect(host, port); err != nil {
		w.fail(rw, host, port, err)
		return
	}
	if r.Method == http.MethodConnect {
		w.tunnel(rw, r, host, port)
		return
	}
	w.forward.ServeHTTP(rw, r)
}

// fail answers a request whose connection is not made. There is no body, so that
// a browser shows an error and not a page; what the error was is for Failure.
func (w *Wall) fail(rw http.ResponseWriter, host string, port uint16, err error) {
	w.failures.set(host, port, err)
	status := http.StatusForbidden
	var network net.Error
	var proxied *proxyError
	if errors.As(err, &network) || errors.As(err, &proxied) {
		status = http.StatusBadGateway
	}
	w.cfg.Logger.Debug("not connected", "host", host, "port", port, "err", err)
	rw.Header().Set("Content-Length", "0")
	rw.Header()["Date"] = nil
	rw.WriteHeader(status)
}
