package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// closing bounds the wait for a collector at the end; what ends after it is cut off,
// which takes a moment too.
const closing = 1500 * time.Millisecond

// How many spans may wait to be sent, how many go in one request, and how long they
// are gathered for.
const (
	queue  = 4096
	batch  = 512
	gather = 5 * time.Second
)

var errLate = errors.New("it did not take the last ones in time")

// Config says where traces go.
type Config struct {
	// Endpoint is a collector's address for OTLP over HTTP: host:port, or an http or
	// https URL. Unless its path says so itself, traces go to /v1/traces below it. A
	// name and password in it are sent as basic authentication.
	Endpoint string
	// Version is this program's own.
	Version string
	// Getenv gives the variables OTEL_EXPORTER_OTLP_HEADERS, _COMPRESSION and
	// _CERTIFICATE (and those with _TRACES_ in them, which win). OTEL_SERVICE_NAME,
	// OTEL_RESOURCE_ATTRIBUTES and OTEL_TRACES_SAMPLER the library takes from the
	// process.
	Getenv func(string) string
	// Logger gets one warning when the collector does not take the spans; nil is
	// silent.
	Logger *slog.Logger
}

// Collector is where the traces of a process go. Several goroutines may use it.
type Collector struct {
	provider *sdk.TracerProvider
	exporter *patient
	client   *client
}

// Open prepares for sending spans. Nobody is spoken to before there are some, and
// never in the time of the run itself. The error says what is wrong with cfg.
func Open(cfg Config) (*Collector, error) {
	client, err := newClient(cfg)
	if err != nil {
		return nil, err
	}
	about, err := resource.New(context.Background(),
		resource.WithAttributes(attribute.String("service.name", "fara"), attribute.String("service.version", cfg.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	log := cfg.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	life, end := context.WithCancel(context.Background())
	exporter := &patient{
		next: otlptrace.NewUnstarted(client), life: life, end: end,
		warn: func(err error) {
			log.Warn("the trace collector takes no spans; the run goes on without", "endpoint", client.shown, "err", err)
		},
	}
	return &Collector{
		provider: sdk.NewTracerProvider(
			// All of it is given: what variables say of it may be anything, and the library
			// would rather panic than run with a queue of -1.
			sdk.WithBatcher(exporter, sdk.WithMaxQueueSize(queue), sdk.WithMaxExportBatchSize(batch), sdk.WithBatchTimeout(gather), sdk.WithExportTimeout(sending)),
			sdk.WithResource(about), sdk.WithIDGenerator(ids{})),
		exporter: exporter, client: client,
	}, nil
}

// Close sends what is left and lets go of the collector, within 2 s even when it
// hangs; what could not be sent by then is lost. All traces have to be closed
// before.
func (c *Collector) Close() {
	limit, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	err := c.provider.Shutdown(limit)
	c.exporter.end()
	if err != nil {
		c.exporter.failed(errLate)
	}
	c.client.close()
}
