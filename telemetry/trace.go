package telemetry

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"fara/trajectory"
)

// Trace makes spans of one run's events: the run, its steps, and in them the
// calls of the model, the actions and the waits for a person. Model calls and
// actions have the attributes of OpenTelemetry's conventions for generative AI,
// the rest is below "fara.". It belongs to one goroutine.
type Trace struct {
	tracer trace.Tracer
	task   trajectory.Task
	// key makes digests of what was typed that nobody can look up in a list.
	key []byte

	run, step open
	// acting and waiting are what the step is in the middle of.
	acting, waiting open
	now             step
	// last is when the last event was.
	last time.Time
}

// open is a span that has not ended; its zero value is none.
type open struct {
	trace.Span
	ctx context.Context
}

func (o open) is() bool { return o.Span != nil }

// step is what a step has come to so far.
type step struct {
	number   int
	action   string // what the model proposed
	digest   string // of its arguments
	asked    time.Time
	decision []attribute.KeyValue
	result   result
	code     string // why, when it is not done
	retries  int
	in, out  int // tokens
}

// result is what came of a step, in classes that exclude each other.
type result string

// The results.
const (
	resultNone     result = "none"      // nothing yet
	resultDone     result = "done"      // the action was done
	resultFailed   result = "failed"    // the page or the browser did not take it
	resultRefused  result = "refused"   // the runtime did not allow it
	resultBadReply result = "bad_reply" // no reply could be used
)

// Trace begins the trace of a run, also of one that goes on: both then have the
// same trace's id.
func (c *Collector) Trace(task trajectory.Task) *Trace {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return &Trace{tracer: c.provider.Tracer("fara"), task: task, key: key}
}

// Event takes the run's next event.
func (t *Trace) Event(e trajectory.Event) {
	if !t.run.is() {
		t.begin(e)
	}
	if e.Ended == nil && (!t.step.is() || e.Step != t.now.number) {
		t.endStep("observe", nil)
		t.beginStep(e)
	}
	t.take(e)
	t.last = e.At
	if e.Ended != nil {
		t.finish(*e.Ended)
	}
}

// Close ends what is still open, as it is when a run breaks off without an ending.
func (t *Trace) Close() {
	if !t.run.is() {
		return
	}
	t.endStep("none", nil)
	t.run.SetStatus(codes.Error, "the run has no ending")
	t.run.End(trace.WithTimestamp(t.last))
	t.run = open{}
}

// start begins a span below another one.
func (t *Trace) start(in open, name string, at time.Time, kind trace.SpanKind, about ...attribute.KeyValue) open {
	ctx := in.ctx
	if ctx == nil {
		ctx = context.WithValue(context.Background(), runKey{}, t.task.Run)
	}
	about = append(about, attribute.String("fara.run.id", t.task.Run), attribute.Int("fara.step", t.now.number))
	ctx, span := t.tracer.Start(ctx, name, trace.WithTimestamp(at), trace.WithSpanKind(kind), trace.WithAttributes(about...))
	return open{span, ctx}
}

func (t *Trace) begin(e trajectory.Event) {
	t.last = e.At
	t.run = t.start(open{}, "invoke_agent fara", e.At, trace.SpanKindInternal, append(t.identity(),
		attribute.String("gen_ai.operation.name", "invoke_agent"),
		attribute.String("gen_ai.agent.name", "fara"),
		attribute.String("gen_ai.conversation.id", t.task.Run),
		attribute.String("fara.trace.id", TraceID(t.task.Run)),
		attribute.Bool("fara.run.resumed", e.Started == nil),
	)...)
}

func (t *Trace) beginStep(e trajectory.Event) {
	t.now = step{number: e.Step, result: resultNone, asked: t.last}
	t.step = t.start(t.run, "step", t.last, trace.SpanKindInternal, append(t.identity(),
		attribute.String("fara.trace.id", TraceID(t.task.Run)),
		attribute.Int("fara.state.version", e.Seq),
		attribute.String("fara.action.id", t.actionID()))...)
}

// actionID names a step's action among those of all runs.
func (t *Trace) actionID() string { return fmt.Sprintf("%s/%d", t.task.Run, t.now.number) }

// endStep ends the step that is under way, if one is. next is what comes after it.
func (t *Trace) endStep(next string, end *trajectory.Result) {
	if !t.step.is() {
		return
	}
	t.endActing(resultNone, "")
	t.endWaiting()
	about := []attribute.KeyValue{
		attribute.String("fara.result", string(t.now.result)),
		attribute.String("fara.next", next),
		attribute.Int("fara.retries", t.now.retries),
	}
	if t.now.in+t.now.out > 0 {
		about = append(about, tokens(t.now.in, t.now.out)...)
	}
	if end != nil {
		about = append(about, stop(*end)...)
	}
	t.step.SetAttributes(about...)
	fail(t.step.Span, t.now.result, t.now.code)
	t.step.End(trace.WithTimestamp(t.last))
	t.step = open{}
}

// finish ends the run's span with how the run ended.
func (t *Trace) finish(r trajectory.Result) {
	t.endStep("end", &r)
	t.run.SetAttributes(append(append(stop(r), tokens(r.Usage.PromptTokens, r.Usage.CompletionTokens)...),
		attribute.Int("fara.run.steps", r.Steps),
		attribute.Int("fara.run.model_calls", r.Usage.Calls),
		attribute.Int("fara.run.bad_replies", r.Usage.BadReplies),
		attribute.Int("fara.run.rejections", r.Rejections),
		attribute.Int("fara.run.effects", len(r.Effects)),
		attribute.StringSlice("fara.run.verified", r.Verified),
		attribute.Int("fara.retries", r.Usage.Retries),
	)...)
	switch r.Status {
	case trajectory.Success, trajectory.WaitingForUser, trajectory.NeedsApproval, trajectory.Cancelled:
	default:
		t.run.SetAttributes(attribute.String("error.type", string(r.Status)))
		t.run.SetStatus(codes.Error, string(r.Status)+": "+r.Reason)
	}
	t.run.End(trace.WithTimestamp(t.last))
	t.run = open{}
}

// fail marks a span as one in which something went wrong; the three ways it can
// are told apart.
func fail(span trace.Span, how result, code string) {
	class := map[result]string{resultFailed: "action", resultRefused: "policy", resultBadReply: "model_reply"}[how]
	if class == "" {
		return
	}
	span.SetAttributes(attribute.String("error.type", code), attribute.String("fara.error.class", class))
	span.SetStatus(codes.Error, class+": "+code)
}

// endActing ends the action that is under way, if one is.
func (t *Trace) endActing(how result, code string) {
	if !t.acting.is() {
		return
	}
	if how == resultNone {
		t.acting.SetStatus(codes.Error, "it is not known whether it was done")
	}
	t.acting.SetAttributes(attribute.String("fara.result", string(how)))
	fail(t.acting.Span, how, code)
	t.acting.End(trace.WithTimestamp(t.last))
	t.acting = open{}
}

func (t *Trace) endWaiting(about ...attribute.KeyValue) {
	if !t.waiting.is() {
		return
	}
	t.waiting.SetAttributes(about...)
	t.waiting.End(trace.WithTimestamp(t.last))
	t.waiting = open{}
}
