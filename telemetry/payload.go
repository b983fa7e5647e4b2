package telemetry

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"fara/model"
	"fara/trajectory"
)

// take puts an event's payload where it belongs.
func (t *Trace) take(e trajectory.Event) {
	switch e.Kind {
	case trajectory.KindObserved:
		t.observed(e.Observed)
	case trajectory.KindProposed:
		t.proposed(e.At, e.Proposed)
	case trajectory.KindAdapted:
		t.note(e, "adapted",
			attribute.Int("fara.max_images", e.Adapted.MaxImages), attribute.Int("fara.num_ctx", e.Adapted.NumCtx),
			attribute.Int("fara.max_pixels", e.Adapted.MaxPixels))
	case trajectory.KindDecided:
		t.decided(e, e.Decided)
	case trajectory.KindActing:
		t.begun(e.At, string(e.Acting.Action.Kind))
	case trajectory.KindActed:
		t.acted(e.At, e.Acted)
	case trajectory.KindAsked:
		t.asked(e.At, e.Asked)
	case trajectory.KindReplied:
		t.last = e.At
		t.endWaiting(attribute.String("fara.reply.by", string(e.Replied.By)), attribute.String("fara.reply.choice", string(e.Replied.Choice)))
	case trajectory.KindVerdict:
		t.verdict(e.At, e.Verdict)
	case trajectory.KindPaused:
		t.endWaiting()
		t.waiting = t.start(t.step, "paused", e.At, trace.SpanKindInternal,
			attribute.String("fara.wait.for", "release"), attribute.String("fara.pause.why", e.Paused.Why), attribute.String("fara.reply.by", string(e.Paused.By)))
	case trajectory.KindResumed:
		t.last = e.At
		t.endWaiting()
		t.note(e, "resumed", attribute.String("fara.resume.why", e.Resumed.Why),
			attribute.Bool("fara.resume.hands", e.Resumed.Hands), attribute.Bool("fara.resume.uncertain", e.Resumed.Uncertain != nil))
	case trajectory.KindWarned:
		t.note(e, "warned", attribute.String("fara.warning", e.Warned.Code))
	case trajectory.KindFact, trajectory.KindRecovered:
		t.note(e, string(e.Kind))
	}
}

// note adds something that takes no time to the step.
func (t *Trace) note(e trajectory.Event, name string, about ...attribute.KeyValue) {
	t.step.AddEvent(name, trace.WithTimestamp(e.At), trace.WithAttributes(append(about, attribute.Int("fara.seq", e.Seq))...))
}

func (t *Trace) observed(o *trajectory.Observed) {
	t.step.SetAttributes(
		attribute.String("fara.observation.source", "browser"),
		attribute.String("fara.observation.origin", origin(o.URL)),
		attribute.String("fara.observation.frame", o.Frame),
		attribute.String("fara.observation.sha256", o.SHA256),
		attribute.Bool("fara.observation.unchanged", o.Unchanged),
	)
}

// proposed is a call of the model that has ended.
func (t *Trace) proposed(at time.Time, p *trajectory.Proposed) {
	kind, code := "call", ""
	switch {
	case p.Truncated != "":
		kind, code = "truncated", "truncated"
	case p.Problem != nil:
		kind, code = "none", p.Problem.Reason
	}
	about := []attribute.KeyValue{
		attribute.String("fara.proposal.kind", kind),
		attribute.String("fara.request.sha256", p.Request),
		attribute.StringSlice("fara.request.frames", p.Frames),
		attribute.Int("fara.request.estimated_tokens", p.EstimatedTokens),
		attribute.Int("fara.reply.repairs", len(p.Repairs)),
	}
	if p.Finish != "" {
		about = append(about, attribute.StringSlice("gen_ai.response.finish_reasons", []string{string(p.Finish)}))
	}
	call := t.chat(t.step, at, p.Latency, p.Usage, p.Model, p.Server, about...)
	if code != "" {
		t.now.result, t.now.code = resultBadReply, code
		fail(call.Span, resultBadReply, code)
	}
	call.End(trace.WithTimestamp(at))
	t.now.asked = at
	t.step.SetAttributes(attribute.String("fara.proposal.kind", kind))
	if code == "" && p.Call != nil {
		t.now.result, t.now.code = resultNone, ""
		t.now.action, t.now.digest = p.Call.Action, t.digest(p.Call)
		t.step.SetAttributes(attribute.String("gen_ai.tool.name", t.now.action), attribute.String("fara.arguments.digest", t.now.digest))
	}
}

// chat is the span of a call of the model, which the caller ends, and counts what
// it cost as the step's.
func (t *Trace) chat(in open, at time.Time, took time.Duration, u model.Usage, name, server string, about ...attribute.KeyValue) open {
	t.now.retries += u.Retries
	t.now.in += u.PromptTokens
	t.now.out += u.CompletionTokens
	about = append(about, attribute.String("gen_ai.operation.name", "chat"))
	about = append(about, t.served(server)...)
	about = append(about, tokens(u.PromptTokens, u.CompletionTokens)...)
	about = append(about, attribute.Int("fara.retries", u.Retries))
	if name != "" {
		about = append(about, attribute.String("gen_ai.response.model", name))
	}
	return t.start(in, "chat "+t.task.Model, at.Add(-took), trace.SpanKindClient, about...)
}

func (t *Trace) decided(e trajectory.Event, d *trajectory.Decided) {
	t.now.decision = []attribute.KeyValue{
		attribute.Bool("fara.decision.allowed", d.Allowed),
		attribute.String("fara.decision.code", d.Code),
		attribute.StringSlice("fara.decision.classes", d.Classes),
		attribute.String("fara.decision.by", decider(d.By)),
	}
	t.step.SetAttributes(t.now.decision...)
	t.note(e, "decided", t.now.decision...)
	if !d.Allowed {
		t.now.result, t.now.code = resultRefused, d.Code
	}
}

func decider(by trajectory.By) string {
	if by == "" {
		return "rule"
	}
	return string(by)
}

// begun is an action under way.
func (t *Trace) begun(at time.Time, action string) {
	about := append([]attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "execute_tool"),
		attribute.String("gen_ai.tool.name", action),
		attribute.String("gen_ai.tool.type", "function"),
		attribute.String("gen_ai.tool.call.id", t.actionID()),
	}, t.now.decision...)
	if t.now.action == action {
		about = append(about, attribute.String("fara.arguments.digest", t.now.digest))
	}
	t.acting = t.start(t.step, "execute_tool "+action, at, trace.SpanKindInternal, about...)
}

// acted is what came of an action: of the one under way, or of one that the
// runtime did by itself.
func (t *Trace) acted(at time.Time, a *trajectory.Acted) {
	if !t.acting.is() && t.now.action != "" {
		t.begun(t.now.asked, t.now.action)
	}
	t.last = at
	t.now.result, t.now.code = resultDone, ""
	if a.Error != nil {
		t.now.result, t.now.code = resultFailed, a.Error.Reason
	}
	if r := a.Read; r != nil && r.Request != "" {
		call := t.chat(t.acting, at, r.Latency, r.Usage, "", "", attribute.String("fara.request.sha256", r.Request))
		call.End(trace.WithTimestamp(at))
	}
	t.endActing(t.now.result, t.now.code)
}

func (t *Trace) asked(at time.Time, a *trajectory.Asked) {
	about := []attribute.KeyValue{attribute.String("fara.wait.for", waitsFor(a))}
	if a.Approval != nil {
		about = append(about, attribute.StringSlice("fara.decision.classes", a.Approval.Classes))
	}
	if a.Captcha != "" {
		about = append(about, attribute.String("fara.captcha", a.Captcha))
	}
	t.endWaiting()
	t.waiting = t.start(t.step, "wait_for_person", at, trace.SpanKindInternal, about...)
}

func waitsFor(a *trajectory.Asked) string {
	switch {
	case a.Approval != nil:
		return "approval"
	case a.Captcha != "":
		return "captcha"
	}
	return "answer"
}

func (t *Trace) verdict(at time.Time, v *trajectory.Verdict) {
	held := 0
	for _, c := range v.Checks {
		if c.Holds {
			held++
		}
	}
	judged := t.start(t.step, "verify "+v.By, at.Add(-v.Latency), trace.SpanKindInternal,
		attribute.String("fara.verdict.by", v.By), attribute.Bool("fara.verdict.accepted", v.Accepted),
		attribute.Bool("fara.verdict.unsure", v.Unsure), attribute.String("fara.verdict.class", v.Class),
		attribute.Int("fara.verdict.checks", len(v.Checks)), attribute.Int("fara.verdict.checks_held", held))
	if v.Request != "" {
		call := t.chat(judged, at, v.Latency, v.Usage, "", "", attribute.String("fara.request.sha256", v.Request))
		call.End(trace.WithTimestamp(at))
	}
	judged.End(trace.WithTimestamp(at))
}
