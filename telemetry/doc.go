// Package telemetry tells the tools that people watch systems with what a run
// does: OpenTelemetry traces to a collector, Prometheus metrics, and the run and
// step in log lines.
//
// All of it is made from the run's events alone, which are the truth; nothing here
// changes a run, holds it up for longer than Collector.Close says, or ends it. What
// people type and what pages say stays out: spans and metrics hold names, numbers,
// stable codes and digests, and a page only by its origin.
package telemetry
