package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/pflag"

	"fara/telemetry"
	"fara/trajectory"
)

// telemetryFlags say who is told what runs do. Without them nobody is.
type telemetryFlags struct {
	otel, metrics string
}

func (t *telemetryFlags) register(f *pflag.FlagSet) {
	f.StringVar(&t.otel, "otel", "", "send OpenTelemetry traces to the collector at this `address` (OTLP over HTTP: host:4318; default: none)")
	f.StringVar(&t.metrics, "metrics", "", "serve Prometheus metrics at this `address` while the run lasts: a port for this machine alone, or host:port (default: none)")
}

// watchers are those who are told.
type watchers struct {
	// lines has log lines tell of the run and its step.
	lines     telemetry.Lines
	collector *telemetry.Collector // nil is none
	metrics   *telemetry.Metrics   // nil is none
	server    *telemetry.Server
	borrowed  bool // collector and metrics belong to a batch
}

// another gives those who are told of one more run of a batch.
func (w *watchers) another() *watchers {
	return &watchers{collector: w.collector, metrics: w.metrics, borrowed: true}
}

// open makes ready what was asked for; the caller closes it. The error is wrong
// usage, and then there is nothing to close.
func (t *telemetryFlags) open(stderr io.Writer, log *slog.Logger, getenv func(string) string) (*watchers, error) {
	w := &watchers{}
	if t.otel != "" {
		var err error
		if w.collector, err = telemetry.Open(telemetry.Config{Endpoint: t.otel, Version: version, Getenv: getenv, Logger: log}); err != nil {
			return nil, usage("--otel: %w", err)
		}
	}
	if t.metrics == "" {
		return w, nil
	}
	w.metrics = telemetry.NewMetrics()
	var err error
	if w.server, err = telemetry.Serve(t.metrics, w.metrics); err != nil {
		w.metrics = nil
		w.close()
		return nil, usage("--metrics: %w", err)
	}
	fmt.Fprintf(stderr, "metrics at http://%s/metrics\n", w.server.Address)
	return w, nil
}

// follow gives what takes the events of a run, and what to call at its end.
func (w *watchers) follow(task trajectory.Task) (event func(trajectory.Event), end func()) {
	events := []func(trajectory.Event){w.lines.Event}
	end = func() {}
	trace := ""
	if w.collector != nil {
		t := w.collector.Trace(task)
		events, end, trace = append(events, t.Event), t.Close, telemetry.TraceID(task.Run)
	}
	if w.metrics != nil {
		events = append(events, w.metrics.Run())
	}
	w.lines.Begin(task.Run, trace)
	return func(e trajectory.Event) {
		for _, take := range events {
			take(e)
		}
	}, end
}

// close sends what is left, within 2 s, and ends what was begun.
func (w *watchers) close() {
	if w.borrowed {
		return
	}
	if w.collector != nil {
		w.collector.Close()
	}
	if w.server != nil {
		w.server.Close()
	}
}
