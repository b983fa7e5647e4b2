package telemetry

import (
	"context"
	"errors"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// moody is an exporter that does as told.
type moody struct {
	answers []error
	got     []int // spans in each request
}

func (m *moody) ExportSpans(_ context.Context, spans []sdk.ReadOnlySpan) error {
	m.got = append(m.got, len(spans))
	err := m.answers[0]
	m.answers = m.answers[1:]
	return err
}

func (m *moody) Shutdown(context.Context) error { return nil }

func TestSpansWaitForACollectorThatComesBack(t *testing.T) {
	busy, no := errors.New("busy"), &refusal{"no"}
	inner := &moody{answers: []error{busy, busy, nil, no, nil}}
	warned := 0
	life, end := context.WithCancel(t.Context())
	p := &patient{next: inner, warn: func(error) { warned++ }, life: life, end: end}
	for range 5 {
		if err := p.ExportSpans(t.Context(), make([]sdk.ReadOnlySpan, 3)); err != nil {
			t.Errorf("got %v; what goes wrong is warned of, and not passed on", err)
		}
	}
	want := []int{3, 6, 9, 3, 3} // kept twice, taken, refused for good, taken
	for i, n := range want {
		if inner.got[i] != n {
			t.Errorf("request %d: got %d spans, want %d of %v", i, inner.got[i], n, want)
		}
	}
	if warned != 1 {
		t.Errorf("got %d warnings, want 1", warned)
	}
}

func TestOnlySoManySpansWait(t *testing.T) {
	inner := &moody{answers: []error{errors.New("busy"), errors.New("busy"), nil}}
	life, end := context.WithCancel(t.Context())
	p := &patient{next: inner, warn: func(error) {}, life: life, end: end}
	for range 3 {
		_ = p.ExportSpans(t.Context(), make([]sdk.ReadOnlySpan, keep)) // never fails
	}
	if got := inner.got[2]; got != 2*keep {
		t.Errorf("got %d spans, want %d: the newest that waited and the new ones", got, 2*keep)
	}
}
