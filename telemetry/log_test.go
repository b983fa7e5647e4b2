package telemetry_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"fara/telemetry"
	"fara/trajectory"
)

func TestLogLinesTellTheirRunAndStep(t *testing.T) {
	var out bytes.Buffer
	var lines telemetry.Lines
	log := slog.New(lines.Handler(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
			return slog.Attr{}
		}
		return a
	}})))
	named := log.With("part", "browser")
	say := func(want string, how func()) {
		t.Helper()
		out.Reset()
		how()
		if got := strings.TrimSpace(out.String()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	say("msg=before", func() { log.Info("before") })
	lines.Begin("r1", "")
	say("msg=begun run=r1 step=0", func() { log.Info("begun") })
	lines.Event(trajectory.Event{Step: 7})
	say("msg=later run=r1 step=7 err=no", func() { log.Info("later", "err", "no") })
	say("msg=own run=r1 step=3", func() { log.Info("own", "step", 3) })
	say("msg=own run=r1 step=4", func() { log.With("step", 4).Info("own") })
	say("msg=named run=r1 step=7 part=browser", func() { named.Info("named") })
	say("msg=group run=r1 step=7 part=browser g.step=1 g.a=b", func() { named.WithGroup("g").With("step", 1).Info("group", "a", "b") })
	lines.Begin("r2", telemetry.TraceID("r2"))
	say("msg=traced run=r2 step=0 trace="+telemetry.TraceID("r2"), func() { log.Info("traced") })
}

func TestEachRunHasATraceOfItsOwn(t *testing.T) {
	a, b := telemetry.TraceID("r1"), telemetry.TraceID("r2")
	if len(a) != 32 || a == b || a != telemetry.TraceID("r1") {
		t.Errorf("got %s and %s, want two ids of 32 digits that stay", a, b)
	}
}
