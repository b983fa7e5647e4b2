package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// sending bounds one request to a collector.
const sending = 10 * time.Second

// client sends spans as OTLP over HTTP in the binary form. The library's own client
// for this brings all of gRPC with it, which makes the program 3 MB larger; its
// exporter, which this is a part of, does not.
type client struct {
	target string
	shown  string // target without what must not be repeated
	header http.Header
	zip    bool
	http   *http.Client
}

// refusal is an answer that another try would not change.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// Start does nothing: there is no connection to make beforehand.
func (c *client) Start(context.Context) error { return nil }

// Stop does nothing; close does.
func (c *client) Stop(context.Context) error { return nil }

func (c *client) close() { c.http.CloseIdleConnections() }

// UploadTraces sends spans in one request. The message is that of the protocol's
// request, which differs from this one in nothing but its name.
func (c *client) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return &refusal{"spans: " + err.Error()}
	}
	if c.zip {
		body = zipped(body)
	}
	ctx, cancel := context.WithTimeout(ctx, sending)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target, bytes.NewReader(body))
	if err != nil {
		return &refusal{err.Error()}
	}
	for name, values := range c.header {
		req.Header[name] = values
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 4096)) // what it says of a success is of no use
	return answer(resp, said)
}

// answer is what an answer means; nil when the spans were taken.
func answer(resp *http.Response, said []byte) error {
	if resp.StatusCode/100 == 2 {
		return nil
	}
	text := resp.Status
	if kind := resp.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/plain") {
		text += ": " + strings.Join(strings.Fields(string(said[:min(len(said), 200)])), " ")
	}
	again := []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}
	if slices.Contains(again, resp.StatusCode) {
		return fmt.Errorf("%s", text)
	}
	return &refusal{text}
}

func zipped(body []byte) []byte {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	w.Write(body) // a buffer never fails
	w.Close()
	return buf.Bytes()
}
