package telemetry_test

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"fara/telemetry"
)

func getenv(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestEndpointsAreReadAsPeopleWriteThem(t *testing.T) {
	c := collect(t)
	host := strings.TrimPrefix(c.URL, "http://")
	for endpoint, path := range map[string]string{
		host: "/v1/traces", c.URL: "/v1/traces", c.URL + "/": "/v1/traces", c.URL + "/v1/traces": "/v1/traces", c.URL + "/otel/": "/otel/v1/traces",
	} {
		c.paths = nil
		c.tell(t, telemetry.Config{Endpoint: endpoint}, whole())
		if len(c.paths) == 0 || c.paths[0] != path {
			t.Errorf("%s: got paths %v, want %s", endpoint, c.paths, path)
		}
	}
}

func TestWrongEndpointsAndVariablesAreFoundAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		endpoint string
		vars     map[string]string
		want     string
	}{
		{"", nil, "names no host"},
		{"http://", nil, "names no host"},
		{"grpc://collector:4317", nil, "use OTLP over http"},
		{"collector:4317", nil, "4318"},
		{"http://col lector", nil, "cannot be read"},
		{"http://user:s3cr%zzt@host", nil, "cannot be read"},
		{"host:4318", map[string]string{"OTEL_EXPORTER_OTLP_COMPRESSION": "zstd"}, "zstd"},
		{"host:4318", map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "s3cret"}, "name=value"},
		{"host:4318", map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "a=s3cret%0d%0ab"}, "name=value"},
		{"host:4318", map[string]string{"OTEL_EXPORTER_OTLP_CERTIFICATE": file}, "holds no certificate"},
		{"host:4318", map[string]string{"OTEL_EXPORTER_OTLP_CERTIFICATE": file + "x"}, "no such file"},
	} {
		_, err := telemetry.Open(telemetry.Config{Endpoint: c.endpoint, Getenv: getenv(c.vars)})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cr") {
			t.Errorf("%q with %v: got %v, want %q", c.endpoint, c.vars, err, c.want)
		}
	}
}

func TestHeadersAndCompressionComeFromTheUsualVariables(t *testing.T) {
	c := collect(t)
	at := strings.Replace(c.URL, "http://", "http://me:pass@", 1)
	c.tell(t, telemetry.Config{Endpoint: at, Getenv: getenv(map[string]string{
		"OTEL_EXPORTER_OTLP_HEADERS": "lost=1", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": " x-key = a%20b ,x-other=c=d", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
	})}, whole())
	if len(c.find("step")) != 6 {
		t.Fatalf("got %d steps, want 6", len(c.find("step")))
	}
	h := c.headers[0]
	user, password, _ := (&http.Request{Header: h}).BasicAuth()
	if h.Get("x-key") != "a b" || h.Get("x-other") != "c=d" || h.Get("lost") != "" || user != "me" || password != "pass" {
		t.Errorf("got headers %v", h)
	}
}

// quietly runs with a collector that does not do its part, and gives how long the
// end took and what was logged.
func quietly(t *testing.T, endpoint string) (time.Duration, string) {
	t.Helper()
	var log bytes.Buffer
	to, err := telemetry.Open(telemetry.Config{Endpoint: endpoint, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	from := time.Now()
	for range 40 { // more spans than are sent at once, so that some are under way
		trace := to.Trace(task)
		for _, e := range whole() {
			trace.Event(e)
		}
		trace.Close()
	}
	if took := time.Since(from); took > time.Second {
		t.Errorf("the events took %v; the run was held up", took)
	}
	from = time.Now()
	to.Close()
	return time.Since(from), log.String()
}

// unleaked waits until no more goroutines are left than before.
func unleaked(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines are left of %d: %s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}

func TestCollectorThatDoesNotDoItsPartCostsLittleAndIsOneWarning(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	hang := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	t.Cleanup(func() { close(hang); hanging.Close() })
	mute, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing, ever
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mute.Close() })
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such tenant", http.StatusForbidden) }))
	t.Cleanup(refusing.Close)
	elsewhere := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound))
	t.Cleanup(elsewhere.Close)
	for name, endpoint := range map[string]string{
		"down": closed.Addr().String(), "hanging": hanging.URL, "mute": mute.Addr().String(), "refusing": refusing.URL, "elsewhere": elsewhere.URL, "unknown host": "nowhere.invalid:4318",
	} {
		before := runtime.NumGoroutine()
		took, log := quietly(t, endpoint)
		if took > 2*time.Second {
			t.Errorf("%s: the end took %v, want at most 2 s", name, took)
		}
		if n := strings.Count(log, "level=WARN"); n != 1 || strings.Count(log, "\n") != 1 {
			t.Errorf("%s: got %d warnings, want 1: %s", name, n, log)
		}
		unleaked(t, before+4) // the test server's own connections close when they like
	}
}

func TestNothingIsSpokenToBeforeThereAreSpans(t *testing.T) {
	c := collect(t)
	to, err := telemetry.Open(telemetry.Config{Endpoint: c.URL})
	if err != nil {
		t.Fatal(err)
	}
	to.Trace(task).Close()
	to.Close()
	if len(c.paths) != 0 {
		t.Errorf("got requests to %v, want none", c.paths)
	}
}

func TestVariablesOfTheLibraryCountAndOddOnesDoNoHarm(t *testing.T) {
	c := collect(t)
	t.Setenv("OTEL_SERVICE_NAME", "collecting")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "host.name=gpu1")
	for _, name := range []string{"OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_EXPORT_TIMEOUT"} {
		t.Setenv(name, "-5")
	}
	c.tell(t, telemetry.Config{}, whole())
	if c.resource["service.name"] != "collecting" || c.resource["host.name"] != "gpu1" || len(c.find("step")) != 6 {
		t.Errorf("got resource %v and %d steps, want the variables' and 6", c.resource, len(c.find("step")))
	}
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "nonsense")
	if _, err := telemetry.Open(telemetry.Config{Endpoint: c.URL}); err == nil || !strings.Contains(err.Error(), "OTEL_RESOURCE_ATTRIBUTES") {
		t.Errorf("got %v, want what is wrong with OTEL_RESOURCE_ATTRIBUTES", err)
	}
}
