package wall

import (
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
)

// roundTripper is a function that sends a request.
type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// asItCame undoes what the library takes out of a request that it forwards, hop by
// hop headers aside: those belong to the browser's connection to us.
func asItCame(r *httputil.ProxyRequest) {
	r.Out.Host = r.In.Host
	r.Out.Trailer = r.In.Trailer // the same map: it is filled when the body ends
	r.Out.URL.RawQuery, r.Out.URL.ForceQuery = r.In.URL.RawQuery, r.In.URL.ForceQuery
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = values
		}
	}
}

// send sends a plain request to its server, or to the proxy on the way there.
func (w *Wall) send(r *http.Request) (*http.Response, error) {
	by, err := w.cfg.Proxy(r.URL)
	if err != nil {
		return nil, &proxyError{err.Error()}
	}
	if by == nil {
		return w.direct.RoundTrip(r)
	}
	res, err := w.relayed.RoundTrip(r)
	if host, port, bad := split(r.URL.Scheme, r.URL.Host); err == nil && bad == nil {
		w.failures.clear(host, port)
	}
	if err != nil && isDial(err) {
		return nil, &proxyError{"the proxy " + by.Host + " cannot be reached: " + err.Error()}
	}
	if err == nil && res.StatusCode == http.StatusProxyAuthRequired {
		res.Body.Close()
		return nil, &proxyError{"the proxy " + by.Host + " asks for another user name and password"}
	}
	return res, err
}

// notSent answers a request that came to nothing. One that a server broke off is
// broken off here too: that is what the browser would have seen.
func (w *Wall) notSent(rw http.ResponseWriter, r *http.Request, err error) {
	host, port, _ := split(r.URL.Scheme, r.URL.Host)
	var proxied *proxyError
	if r.Context().Err() != nil || !isDial(err) && !errors.As(err, &proxied) {
		panic(http.ErrAbortHandler)
	}
	w.fail(rw, host, port, cause(err))
}

// split takes an address apart. The port is the scheme's when there is none.
func split(scheme, address string) (host string, port uint16, err error) {
	host, number, err := net.SplitHostPort(address)
	if err != nil && (scheme == "http" || scheme == "https") {
		host, number, err = net.SplitHostPort(address + map[string]string{"http": ":80", "https": ":443"}[scheme])
	}
	if err != nil || host == "" {
		return "", 0, errors.New("no host")
	}
	n, err := strconv.ParseUint(number, 10, 16)
	return host, uint16(n), err
}
