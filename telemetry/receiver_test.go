package telemetry_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"fara/telemetry"
	"fara/trajectory"
)

// collector is a real OTLP/HTTP receiver that remembers what it got.
type collector struct {
	*httptest.Server

	mu       sync.Mutex
	spans    []*tracepb.Span
	resource map[string]string
	raw      []byte
	headers  []http.Header
	paths    []string
}

func collect(t *testing.T) *collector {
	t.Helper()
	for _, name := range []string{"OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER"} {
		t.Setenv(name, "") // the library takes them from wherever the test runs
	}
	c := &collector{resource: map[string]string{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			http.Error(w, "bad gzip", http.StatusBadRequest)
			return
		}
		body, _ = io.ReadAll(z)
	}
	var data tracepb.TracesData
	if err := proto.Unmarshal(body, &data); err != nil {
		http.Error(w, "bad message", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw, c.headers, c.paths = append(c.raw, body...), append(c.headers, r.Header), append(c.paths, r.URL.Path)
	for _, rs := range data.ResourceSpans {
		for _, a := range rs.Resource.Attributes {
			c.resource[a.Key] = a.Value.GetStringValue()
		}
		for _, ss := range rs.ScopeSpans {
			c.spans = append(c.spans, ss.Spans...)
		}
	}
}

// tell sends a run's events and waits until all of it is there.
func (c *collector) tell(t *testing.T, cfg telemetry.Config, events []trajectory.Event) {
	t.Helper()
	if cfg.Endpoint == "" {
		cfg.Endpoint = c.URL
	}
	to, err := telemetry.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	trace := to.Trace(task)
	for _, e := range events {
		trace.Event(e)
	}
	trace.Close()
	to.Close()
}

// find gives the spans of a name, by when they began.
func (c *collector) find(name string) []*tracepb.Span {
	var out []*tracepb.Span
	for _, s := range c.spans {
		if s.Name == name {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *tracepb.Span) int { return int(int64(a.StartTimeUnixNano) - int64(b.StartTimeUnixNano)) })
	return out
}

func (c *collector) one(t *testing.T, name string) *tracepb.Span {
	t.Helper()
	all := c.find(name)
	if len(all) != 1 {
		t.Fatalf("got %d spans %q, want 1", len(all), name)
	}
	return all[0]
}

func attr(s *tracepb.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return show(a.Value)
		}
	}
	return "(none)"
}

func show(v *commonpb.AnyValue) string {
	switch x := v.Value.(type) {
	case *commonpb.AnyValue_StringValue:
		return x.StringValue
	case *commonpb.AnyValue_IntValue:
		return fmt.Sprint(x.IntValue)
	case *commonpb.AnyValue_BoolValue:
		return fmt.Sprint(x.BoolValue)
	case *commonpb.AnyValue_DoubleValue:
		return fmt.Sprint(x.DoubleValue)
	case *commonpb.AnyValue_ArrayValue:
		var all []string
		for _, v := range x.ArrayValue.Values {
			all = append(all, show(v))
		}
		return fmt.Sprint(all)
	}
	return "?"
}

func wantAttrs(t *testing.T, s *tracepb.Span, want map[string]string) {
	t.Helper()
	for key, value := range want {
		if got := attr(s, key); got != value {
			t.Errorf("span %q: %s is %q, want %q", s.Name, key, got, value)
		}
	}
}
