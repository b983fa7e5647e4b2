package wire

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"time"
)

// maxKept bounds what is kept of a refusal's body, in bytes.
const maxKept = 64 << 10

// longestAsked bounds what a server may ask for.
const longestAsked = 24 * time.Hour

// Exchange carries one call over HTTP and remembers the answer's head, and the
// body of a refusal, which client libraries tend to lose. It is used for one call
// and then thrown away.
type Exchange struct {
	// Transport makes the call; see NewTransport.
	Transport http.RoundTripper
	// Key is sent as a bearer token; empty sends none.
	Key string
	// Status is the answer's; 0 while there is none.
	Status int
	Header http.Header
	// Body is a refusal's body, its first 64 KiB; nil after success.
	Body []byte
}

// RoundTrip implements http.RoundTripper.
func (x *Exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if x.Key != "" {
		req.Header.Set("Authorization", "Bearer "+x.Key)
	}
	resp, err := x.Transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	x.Status, x.Header = resp.StatusCode, resp.Header
	if resp.StatusCode < http.StatusBadRequest {
		return resp, nil
	}
	// A body that breaks off still says more than none.
	x.Body, _ = io.ReadAll(io.LimitReader(resp.Body, maxKept))
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(x.Body))
	return resp, nil
}

// Client gives an HTTP client that uses the exchange.
func (x *Exchange) Client() *http.Client { return &http.Client{Transport: x} }

// RetryAfter is how long the server asked to be left alone, given in seconds or
// as a date; 0 when it did not ask.
func (x *Exchange) RetryAfter() time.Duration {
	value := x.Header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if !(seconds > 0) { // neither negative nor no number
			return 0
		}
		return time.Duration(min(seconds, longestAsked.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
