package wall

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"golang.org/x/net/proxy"
)

// tunnel joins the browser with a server, whatever they speak.
func (w *Wall) tunnel(rw http.ResponseWriter, r *http.Request, host string, port uint16) {
	address := net.JoinHostPort(host, strconv.Itoa(int(port)))
	server, err := w.dial(r.Context(), address, port)
	if err != nil {
		if r.Context().Err() == nil {
			w.fail(rw, host, port, cause(err))
		}
		return
	}
	defer server.Close()
	w.failures.clear(host, port)
	client, buffered, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	if n := buffered.Reader.Buffered(); n > 0 { // sent ahead
		if _, err := io.CopyN(server, buffered, int64(n)); err != nil {
			return
		}
	}
	stop := context.AfterFunc(w.life, func() { client.Close(); server.Close() })
	defer stop()
	join(client, server)
}

// join carries bytes both ways until the browser is done, or both are. A browser
// never closes half of a connection; a server may, and what the browser still
// has to say is carried on.
func join(client, server net.Conn) {
	var back sync.WaitGroup
	back.Go(func() {
		_, err := io.Copy(client, server)
		if c, ok := client.(*net.TCPConn); ok && err == nil {
			_ = c.CloseWrite()
			return
		}
		client.Close()
	})
	_, _ = io.Copy(server, client)
	client.Close()
	server.Close()
	back.Wait()
}

// dial connects to an address, by the proxy that is meant for it.
func (w *Wall) dial(ctx context.Context, address string, port uint16) (net.Conn, error) {
	target := &url.URL{Scheme: "https", Host: address}
	if port == 80 {
		target.Scheme = "http"
	}
	by, err := w.cfg.Proxy(target)
	if err != nil {
		return nil, &proxyError{err.Error()}
	}
	if by == nil {
		return w.dialDirect(ctx, "tcp", address)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, w.cfg.DialLimit, errSilent)
	defer cancel()
	conn, err := through(ctx, by, address)
	if err != nil {
		return nil, &proxyError{"the proxy " + by.Host + " does not lead there: " + err.Error()}
	}
	return conn, nil
}

// through connects to an address by a proxy, which looks up its name.
func through(ctx context.Context, by *url.URL, address string) (net.Conn, error) {
	if by.Scheme == "socks5" || by.Scheme == "socks5h" {
		var auth *proxy.Auth
		if by.User != nil {
			auth = &proxy.Auth{User: by.User.Username()}
			auth.Password, _ = by.User.Password()
		}
		socks, err := proxy.SOCKS5("tcp", proxyAddress(by), auth, &net.Dialer{})
		if err != nil {
			return nil, err
		}
		return socks.(proxy.ContextDialer).DialContext(ctx, "tcp", address)
	}
	return throughHTTP(ctx, by, address)
}

// reading is a connection whose first bytes were read already.
type reading struct {
	net.Conn
	from *bufio.Reader
}

// Read implements io.Reader.
func (r *reading) Read(p []byte) (int, error) { return r.from.Read(p) }
