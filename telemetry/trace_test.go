package telemetry_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"fara/telemetry"
	"fara/trajectory"
)

func TestRunIsATreeOfStepsModelCallsAndActions(t *testing.T) {
	c := collect(t)
	c.tell(t, telemetry.Config{Version: "1.2.3"}, whole())
	run := c.one(t, "invoke_agent fara")
	if got := hex.EncodeToString(run.TraceId); got != telemetry.TraceID(task.Run) || len(run.ParentSpanId) != 0 {
		t.Errorf("got trace %s below %x, want %s at the top", got, run.ParentSpanId, telemetry.TraceID(task.Run))
	}
	steps := c.find("step")
	if len(steps) != 6 {
		t.Fatalf("got %d steps, want 6: the beginning and five turns", len(steps))
	}
	for i, s := range steps {
		if !bytes.Equal(s.ParentSpanId, run.SpanId) || attr(s, "fara.step") != fmt.Sprint(i) {
			t.Errorf("step %d: got parent %x and number %s, want the run and %d", i, s.ParentSpanId, attr(s, "fara.step"), i)
		}
		if i > 0 && s.StartTimeUnixNano != steps[i-1].EndTimeUnixNano {
			t.Errorf("step %d does not begin where the one before ends", i)
		}
	}
	for name, step := range map[string]int{
		"execute_tool visit_url": 0, "execute_tool type": 2, "wait_for_person": 3, "paused": 4, "execute_tool read_page_answer_question": 4, "verify assertions": 5,
	} {
		if s := c.one(t, name); !bytes.Equal(s.ParentSpanId, steps[step].SpanId) {
			t.Errorf("%s does not stand in step %d", name, step)
		}
	}
	calls := c.find("chat fara1.5:9b")
	if len(calls) != 7 {
		t.Fatalf("got %d model calls, want 7: six turns and a page that was read", len(calls))
	}
	for _, s := range c.spans {
		if !bytes.Equal(s.TraceId, run.TraceId) || s.StartTimeUnixNano > s.EndTimeUnixNano || s.EndTimeUnixNano > run.EndTimeUnixNano {
			t.Errorf("%s: trace %x from %d to %d, want the run's and within it", s.Name, s.TraceId, s.StartTimeUnixNano, s.EndTimeUnixNano)
		}
	}
	if c.resource["service.name"] != "fara" || c.resource["service.version"] != "1.2.3" || c.paths[0] != "/v1/traces" {
		t.Errorf("got resource %v at %s", c.resource, c.paths[0])
	}
}

func TestModelCallsFollowTheConventionsForGenerativeAI(t *testing.T) {
	c := collect(t)
	c.tell(t, telemetry.Config{}, whole())
	call := c.find("chat fara1.5:9b")[0]
	wantAttrs(t, call, map[string]string{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "ollama", "gen_ai.request.model": "fara1.5:9b", "gen_ai.response.model": "fara1.5:9b-q4",
		"gen_ai.usage.input_tokens": "1000", "gen_ai.usage.output_tokens": "20", "gen_ai.response.finish_reasons": "[stop]", "gen_ai.request.temperature": "0",
		"server.address": "gpu-box", "server.port": "11434", "fara.retries": "1", "fara.proposal.kind": "none", "error.type": "no_call", "fara.error.class": "model_reply",
	})
	if call.Kind != tracepb.Span_SPAN_KIND_CLIENT || call.EndTimeUnixNano-call.StartTimeUnixNano != uint64(500*time.Millisecond) {
		t.Errorf("got kind %v and %d ns, want a client's of half a second", call.Kind, call.EndTimeUnixNano-call.StartTimeUnixNano)
	}
	wantAttrs(t, c.one(t, "execute_tool visit_url"), map[string]string{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "visit_url"})
	wantAttrs(t, c.one(t, "invoke_agent fara"), map[string]string{
		"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": task.Run, "fara.run.status": "success", "fara.run.reason": "terminate",
		"fara.run.verified": "[assertions]", "gen_ai.usage.input_tokens": "5000", "fara.dialect": "fara-1.5",
	})
}

func TestStepsTellWhatWasDecidedAndWhatCameOfIt(t *testing.T) {
	c := collect(t)
	c.tell(t, telemetry.Config{}, whole())
	steps := c.find("step")
	for i, want := range map[int]map[string]string{
		1: {"fara.run.id": task.Run, "fara.trace.id": telemetry.TraceID(task.Run), "fara.state.version": "4", "fara.proposal.kind": "call", "gen_ai.tool.name": "left_click",
			"fara.action.id": task.Run + "/1", "gen_ai.request.model": "fara1.5:9b", "gen_ai.provider.name": "ollama", "fara.decision.code": "default", "fara.decision.allowed": "true", "fara.decision.by": "rule", "fara.result": "done", "fara.next": "observe",
			"fara.retries": "2", "gen_ai.usage.input_tokens": "2000", "fara.observation.source": "browser", "fara.observation.origin": "https://shop.example:8443", "fara.observation.sha256": "abc"},
		2: {"fara.result": "failed", "fara.error.class": "action", "error.type": "page", "fara.decision.code": "approved", "fara.decision.by": "person", "fara.decision.classes": "[credentials]"},
		3: {"fara.result": "refused", "fara.error.class": "policy", "error.type": "approval_declined"},
		4: {"fara.result": "done", "gen_ai.tool.name": "read_page_answer_question", "gen_ai.usage.output_tokens": "50"},
		5: {"fara.next": "end", "fara.run.status": "success", "fara.run.reason": "terminate", "gen_ai.tool.name": "terminate"},
	} {
		wantAttrs(t, steps[i], want)
	}
	wantAttrs(t, c.one(t, "wait_for_person"), map[string]string{"fara.wait.for": "approval", "fara.reply.choice": "no", "fara.reply.by": "person", "fara.decision.classes": "[buy]"})
	if run, step := attr(c.one(t, "invoke_agent fara"), "fara.config.digest"), attr(steps[1], "fara.config.digest"); run != step || len(run) != 16 {
		t.Errorf("got settings %q of the run and %q of its step, want one digest", run, step)
	}
	if a, b := attr(steps[1], "fara.arguments.digest"), attr(steps[3], "fara.arguments.digest"); a == b || len(a) != 32 {
		t.Errorf("got digests %q and %q of different arguments", a, b)
	}
}

func TestNoWordsOfPeopleAndPagesAreInSpans(t *testing.T) {
	c := collect(t)
	c.tell(t, telemetry.Config{}, whole())
	if bytes.Contains(c.raw, []byte(canary)) {
		for _, s := range c.spans {
			if bytes.Contains([]byte(s.String()), []byte(canary)) {
				t.Errorf("words of the run are in span %s: %s", s.Name, s)
			}
		}
		t.Error("words of the run were sent")
	}
}

func TestEqualArgumentsHaveEqualDigestsInOneRunOnly(t *testing.T) {
	digest := func(c *collector) []string {
		var out []string
		for _, s := range c.find("execute_tool left_click") {
			out = append(out, attr(s, "fara.arguments.digest"))
		}
		return out
	}
	events := slices.DeleteFunc(whole(), func(e trajectory.Event) bool { return e.Step != 1 })
	again := slices.Clone(events)
	for i := range again {
		again[i].Step, again[i].At = 2, again[i].At.Add(time.Minute)
	}
	one, other := collect(t), collect(t)
	one.tell(t, telemetry.Config{}, append(events, again...))
	other.tell(t, telemetry.Config{}, events)
	a, b := digest(one), digest(other)
	if len(a) != 2 || a[0] != a[1] {
		t.Errorf("the same call twice: got digests %v, want equal ones", a)
	}
	if len(b) != 1 || b[0] == a[0] {
		t.Errorf("the same call in another run: got digest %v, want another than %v", b, a)
	}
}

func TestRunThatBreaksOffAndGoesOnIsOneTrace(t *testing.T) {
	events := whole()
	c := collect(t)
	c.tell(t, telemetry.Config{}, events[:9]) // in the middle of a click
	if s := c.one(t, "execute_tool left_click"); s.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR || attr(s, "fara.result") != "none" {
		t.Errorf("the click of unknown outcome: got status %v and result %s", s.Status, attr(s, "fara.result"))
	}
	first := c.one(t, "invoke_agent fara")
	if first.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR {
		t.Errorf("a run without an ending: got status %v, want an error", first.Status)
	}
	resumed := trajectory.Event{Kind: trajectory.KindResumed, Seq: 9, Step: 1, At: events[9].At, Resumed: &trajectory.Resumed{Why: "restart"}}
	c.tell(t, telemetry.Config{}, append([]trajectory.Event{resumed}, events[10:]...))
	runs := c.find("invoke_agent fara")
	if len(runs) != 2 || !bytes.Equal(runs[0].TraceId, runs[1].TraceId) || attr(runs[1], "fara.run.resumed") != "true" || attr(runs[0], "fara.run.resumed") != "false" {
		t.Fatalf("got %d spans of the run; want two in one trace, the second resumed", len(runs))
	}
}

func TestEndingsThatAreFaultsAreMarked(t *testing.T) {
	for status, want := range map[trajectory.Status]tracepb.Status_StatusCode{
		trajectory.Success: tracepb.Status_STATUS_CODE_UNSET, trajectory.NeedsApproval: tracepb.Status_STATUS_CODE_UNSET,
		trajectory.WaitingForUser: tracepb.Status_STATUS_CODE_UNSET, trajectory.Stuck: tracepb.Status_STATUS_CODE_ERROR,
		trajectory.ModelUnavailable: tracepb.Status_STATUS_CODE_ERROR, trajectory.Blocked: tracepb.Status_STATUS_CODE_ERROR,
	} {
		var s story
		s.observed(1)
		s.ended(1, status, "why")
		c := collect(t)
		c.tell(t, telemetry.Config{}, s.events)
		if run := c.one(t, "invoke_agent fara"); run.Status.GetCode() != want {
			t.Errorf("%s: got %v, want %v", status, run.Status.GetCode(), want)
		}
	}
}

func TestEveryKindOfEventIsTakenInWhateverOrder(t *testing.T) {
	log, err := os.ReadFile(filepath.Join("..", "trajectory", "testdata", "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	events, _, err := trajectory.ParseEvents(log)
	if err != nil {
		t.Fatal(err)
	}
	events = append(events, whole()...)
	random := rand.New(rand.NewPCG(1, 2))
	c := collect(t)
	metrics := telemetry.NewMetrics()
	for range 100 {
		random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		for i := range events { // time goes on all the same
			events[i].At = began.Add(time.Duration(i) * time.Second)
		}
		c.tell(t, telemetry.Config{}, events)
		take := metrics.Run()
		for _, e := range events {
			take(e)
		}
	}
	open := map[string]bool{"": true} // the spans that there are, by id
	for _, s := range c.spans {
		open[string(s.SpanId)] = true
	}
	for _, s := range c.spans {
		if s.EndTimeUnixNano < s.StartTimeUnixNano || !open[string(s.ParentSpanId)] {
			t.Fatalf("%s: from %d to %d below %x, which was not sent", s.Name, s.StartTimeUnixNano, s.EndTimeUnixNano, s.ParentSpanId)
		}
	}
}
