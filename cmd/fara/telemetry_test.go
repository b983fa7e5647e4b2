package main

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fara/telemetry"
	"fara/trajectory"
)

// short is the least that a run can be.
func short() []trajectory.Event {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return []trajectory.Event{
		{Kind: trajectory.KindObserved, Seq: 0, Step: 1, At: at, Observed: &trajectory.Observed{}},
		{Kind: trajectory.KindEnded, Seq: 1, Step: 1, At: at.Add(time.Second), Ended: &trajectory.Result{Status: trajectory.Success, Reason: "terminate"}},
	}
}

func TestTracesAndMetricsComeWithTheirFlags(t *testing.T) {
	var bodies atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		bodies.Add(n)
	}))
	defer collector.Close()
	var stderr, log bytes.Buffer
	flags := telemetryFlags{otel: collector.URL, metrics: "0"}
	w, err := flags.open(&stderr, slog.New(slog.NewTextHandler(&log, nil)), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	event, end := w.follow(trajectory.Task{Run: "r1"})
	for _, e := range short() {
		event(e)
	}
	end()
	said := regexp.MustCompile(`^metrics at (http://127\.0\.0\.1:\d+/metrics)\n$`).FindStringSubmatch(stderr.String())
	if said == nil {
		t.Fatalf("got %q", stderr.String())
	}
	resp, err := http.Get(said[1])
	if err != nil {
		t.Fatal(err)
	}
	scrape, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if want := `fara_runs_ended_total{reason="terminate",status="success"} 1`; !strings.Contains(string(scrape), want) {
		t.Errorf("the scrape lacks %s:\n%s", want, scrape)
	}
	slog.New(w.lines.Handler(slog.NewTextHandler(&log, nil))).Warn("hello")
	if want := "run=r1 step=1 trace=" + telemetry.TraceID("r1"); !strings.Contains(log.String(), want) {
		t.Errorf("got log %q, want %s in it", log.String(), want)
	}
	w.close()
	if bodies.Load() == 0 {
		t.Error("the collector got nothing")
	}
	if _, err := http.Get(said[1]); err == nil {
		t.Error("metrics are served after the end")
	}
}

func TestWithoutFlagsThereIsNoTelemetry(t *testing.T) {
	var stderr, log bytes.Buffer
	// The variables alone turn nothing on.
	w, err := (&telemetryFlags{}).open(&stderr, slog.New(slog.NewTextHandler(&log, nil)), func(string) string { return "http://127.0.0.1:1" })
	if err != nil {
		t.Fatal(err)
	}
	event, end := w.follow(trajectory.Task{Run: "r1"})
	for _, e := range short() {
		event(e)
	}
	end()
	slog.New(w.lines.Handler(slog.NewTextHandler(&log, nil))).Warn("hello")
	w.close()
	if w.collector != nil || w.metrics != nil || w.server != nil || stderr.Len() > 0 {
		t.Errorf("got %+v and %q, want nothing", w, stderr.String())
	}
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "run=r1 step=1") || strings.Contains(got, "trace=") {
		t.Errorf("got log %q, want one line with run and step", got)
	}
}

func TestWrongTelemetryFlagsAreWrongUsage(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct {
		flags telemetryFlags
		want  string
	}{
		{telemetryFlags{otel: "host:4317"}, "--otel"},
		{telemetryFlags{otel: "ftp://host"}, "--otel"},
		{telemetryFlags{metrics: "nine"}, "--metrics"},
		{telemetryFlags{otel: "host:4318", metrics: taken.Addr().String()}, "--metrics"},
	} {
		var stderr bytes.Buffer
		w, err := c.flags.open(&stderr, nil, os.Getenv)
		if w != nil || codeOf(err) != exitUsage || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want wrong usage of %s", c.flags, err, c.want)
		}
	}
}
