package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"fara/agent"
	"fara/env"
	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

// native answers with a native call.
func native(id, arguments string) modeltest.Answer {
	return modeltest.Say(model.Reply{Text: "I do it.", Calls: []model.ToolCall{{ID: id, Name: "computer_use", Arguments: arguments}}})
}

var withTools = modeltest.Config{Capabilities: []string{"completion", "vision", "tools"}}

func TestNativeCallsAreFollowedAndStayInTheHistory(t *testing.T) {
	for _, api := range []modeltest.API{modeltest.Ollama, modeltest.OpenAI} {
		for _, name := range []string{"fara-1.5", "qwen3-vl", "json"} {
			b := newBench(t)
			b.cfg.Dialect, b.cfg.Replies, b.cfg.NumCtx = speaking(t, name), agent.NativeTools, 16384
			b.model = modeltest.NewEndlessScript(modeltest.Text(""))
			brain := modeltest.NewScript(
				native("", `{"action": "left_click", "coordinate": [500, 250]}`), native("call_x", `{"action": "scroll", "pixels": -500}`),
				native("", `{"action": "terminate", "status": "success", "answer": "4 euro"}`))
			b.over(t, api, withTools, brain)
			r := b.run(t)
			want(t, r, trajectory.Success, "terminate")
			if acts := b.page.Actions(); r.Answer != "4 euro" || len(acts) != 3 || acts[1].Kind != env.LeftClick || acts[2].DY <= 0 {
				t.Errorf("%s, %s: got answer %q and %+v", api, name, r.Answer, acts)
			}
			last := b.model.Requests()[2]
			var roles []string
			for _, m := range last.Messages {
				roles = append(roles, string(m.Role))
			}
			if got := strings.Join(roles, " "); got != "system user assistant tool user assistant tool user" || len(last.Tools) == 0 {
				t.Errorf("%s, %s: the last request has the roles %s and the tools %s", api, name, got, last.Tools)
			}
			if p := b.last(t, trajectory.KindProposed).Proposed; len(p.Calls) != 1 || p.Call == nil || p.Call.Action != "terminate" {
				t.Errorf("%s, %s: on record is %+v", api, name, p)
			}
		}
	}
}

func TestToolCallsThatAServerCannotReadAreDoneWithout(t *testing.T) {
	for _, api := range []modeltest.API{modeltest.Ollama, modeltest.OpenAI} {
		b := newBench(t)
		b.cfg.Replies, b.cfg.NumCtx = agent.NativeTools, 16384
		b.model = modeltest.NewEndlessScript(modeltest.Text(""))
		brain := modeltest.NewEndlessScript(func(ctx context.Context, req model.Request) (model.Reply, error) {
			if req.Tools != nil {
				return model.Reply{}, &model.Error{Kind: model.ErrServer, Status: 500, Message: "error parsing tool call: raw='{\"action\"', err=unexpected end of JSON input"}
			}
			return done("4 euro")(ctx, req)
		})
		b.over(t, api, withTools, brain)
		r := b.run(t)
		want(t, r, trajectory.Success, "terminate")
		if learned := b.last(t, trajectory.KindAdapted).Adapted; !learned.NoTools || !strings.Contains(learned.System, "<tools>") || r.Steps != 1 {
			t.Errorf("%s: got %+v after %d steps, want the tools given up within one", api, learned, r.Steps)
		}
	}
}

func TestConstrainedRepliesGoWithTheirSchema(t *testing.T) {
	flat := `{"thoughts": "I click.", "action": "left_click", "coordinate": [500, 250]}`
	nested := `{"thoughts": "I click.", "name": "computer_use", "arguments": {"action": "left_click", "coordinate": [500, 250]}}`
	for name, reply := range map[string]string{"json": flat, "fara-1.5": nested, "qwen3-vl": nested} {
		b := newBench(t, modeltest.Text(reply+" and more "+reply))
		b.cfg.Dialect, b.cfg.MaxSteps = speaking(t, name), 1
		if name != "json" { // which is constrained unless something else is said
			b.cfg.Replies = agent.Constrained
		}
		b.run(t)
		if acts := b.page.Actions(); len(acts) != 2 || *acts[1].Point != (env.Point{X: 720, Y: 224}) {
			t.Errorf("%s: got %+v", name, acts)
		}
		var schema map[string]any
		if err := json.Unmarshal(b.model.Requests()[0].Schema, &schema); err != nil || len(schema) == 0 {
			t.Errorf("%s: the schema is %s, %v", name, b.model.Requests()[0].Schema, err)
		}
		p := b.last(t, trajectory.KindProposed).Proposed
		if p.Thoughts != "I click." || strings.Count(p.Raw, "left_click") != 1 {
			t.Errorf("%s: got thoughts %q in %q, want the reply stopped behind its object", name, p.Thoughts, p.Raw)
		}
	}
}

func TestFormsThatADialectDoesNotHaveAreFoundBeforehand(t *testing.T) {
	for _, replies := range []agent.Replies{agent.NativeTools, agent.Constrained} {
		b := newBench(t)
		b.cfg.Dialect, b.cfg.Replies = speaking(t, "ui-tars-1.5"), replies
		if err := b.cfg.Check(); err == nil || !strings.Contains(err.Error(), "ui-tars-1.5") {
			t.Errorf("%s: got %v, want an error that names the dialect", replies, err)
		}
	}
}
