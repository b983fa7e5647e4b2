package telemetry

import (
	"context"
	"crypto/rand"
	"crypto/sha256"

	"go.opentelemetry.io/otel/trace"
)

// TraceID is the id of a run's trace in hex: it follows from the run's id, so that
// whoever knows one finds the other.
func TraceID(run string) string { return traceID(run).String() }

func traceID(run string) trace.TraceID {
	sum := sha256.Sum256([]byte("fara run " + run))
	return trace.TraceID(sum[:16])
}

// runKey is where a context has the id of the run that a trace is begun for.
type runKey struct{}

// ids gives the ids of spans, and of traces by their run.
type ids struct{}

// NewIDs gives the trace's id and one for its first span.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	run, _ := ctx.Value(runKey{}).(string)
	id := traceID(run)
	return id, ids{}.NewSpanID(ctx, id)
}

// NewSpanID gives an id for one more span.
func (ids) NewSpanID(context.Context, trace.TraceID) trace.SpanID {
	var id trace.SpanID
	rand.Read(id[:]) // never fails
	return id
}
