package ingest_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"fara/env"
	"fara/trajectory"
)

// tars builds a GUIAgentData file; each turn is a reply with what was parsed of it.
func tars(t *testing.T, status string, turns ...obj) string {
	conversation := []obj{{"from": "human", "value": "Buy tea.", "timing": obj{"start": 1764547200000, "end": 1764547200000, "cost": 0}}}
	for i, turn := range turns {
		shot := shade(t, 2880, 1800, uint8(10*i))
		conversation = append(conversation, obj{
			"from": "human", "value": "<image>", "screenshotBase64": base64.StdEncoding.EncodeToString(shot),
			"screenshotContext": obj{"size": obj{"width": 2880, "height": 1800}, "mime": "image/png", "scaleFactor": 2},
			"timing":            obj{"start": 1764547201000 + 10000*i, "end": 1764547202000 + 10000*i, "cost": 1000},
		}, obj{
			"from": "gpt", "value": turn["value"], "predictionParsed": turn["parsed"],
			"screenshotContext": obj{"size": obj{"width": 2880, "height": 1800}, "scaleFactor": 2},
			"timing":            obj{"start": 1764547202000 + 10000*i, "end": 1764547205000 + 10000*i, "cost": 3000},
		})
	}
	dir := t.TempDir()
	put(t, dir, "report.json", obj{
		"version": 1, "systemPrompt": "You are an agent.", "instruction": "Buy tea.", "modelName": "tars-local", "status": status,
		"logTime": 1764547200000, "conversations": conversation,
	})
	return filepath.Join(dir, "report.json")
}

func parsed(kind string, inputs obj) []obj {
	return []obj{{"reflection": nil, "thought": "So.", "action_type": kind, "action_inputs": inputs}}
}

// at is a box of one point, as the parser of UI-TARS writes it.
func at(x, y float64) string { return fmt.Sprintf("[%v,%v,%v,%v]", x, y, x, y) }

func TestUITarsFileBecomesARun(t *testing.T) {
	// 2880x1800 is sent as 2884x1792 on a grid of 28.
	click := "Thought: So.\nAction: click(start_box='(721,448)')"
	path := tars(t, "end",
		obj{"value": click, "parsed": parsed("click", obj{"start_box": at(721.0/2884, 448.0/1792), "start_coords": []float64{720, 450}})},
		obj{"value": "Thought: So.\nAction: finished(content='done')", "parsed": parsed("finished", obj{"content": "done"})},
	)
	run, _ := take(t, path)
	want := []string{"0 run_started", "1 observed", "1 proposed", "1 acting", "1 acted", "2 observed", "2 proposed", "2 run_ended"}
	if got := kinds(run); !slices.Equal(got, want) {
		t.Errorf("events: got %q, want %q", got, want)
	}
	seen := run.Events[1].Observed
	if seen.Size != (env.Size{W: 2884, H: 1792}) || seen.Viewport != (env.Size{W: 1440, H: 900}) || seen.Captured != (env.Size{W: 2880, H: 1800}) {
		t.Errorf("sizes: %+v", seen)
	}
	if got, err := run.Load(seen.Frame); err != nil || !bytes.Equal(got, shade(t, 2880, 1800, 0)) {
		t.Errorf("the frame is not the screenshot's very bytes: %v", err)
	}
	p := run.Events[2].Proposed
	if p.Raw != click || p.Call.Coordinate.X != 721 || p.Latency.Seconds() != 3 {
		t.Errorf("the reply: %+v", p)
	}
	if got, want := *run.Events[3].Acting.Action.Point, (env.Point{X: 360, Y: 225}); got != want {
		t.Errorf("the point on the page: got %v, want %v", got, want)
	}
	if r := run.Result; r.Status != trajectory.Success || r.Answer != "done" || r.Claim != "success" {
		t.Errorf("result: %+v", r)
	}
	if run.Events[0].Started.System != "You are an agent." || len(run.Task.Imported.Notes) != 0 {
		t.Errorf("system %q, notes %q", run.Events[0].Started.System, run.Task.Imported.Notes)
	}
}

func TestUITarsPointsOfOldModelsAreThousandths(t *testing.T) {
	run, _ := take(t, tars(t, "max_loop",
		obj{"value": "Thought: So.\nAction: click(start_box='(250,500)')", "parsed": parsed("click", obj{"start_box": at(0.25, 0.5)})}))
	if got, want := *run.Events[3].Acting.Action.Point, (env.Point{X: 360, Y: 450}); got != want {
		t.Errorf("the point on the page: got %v, want %v", got, want)
	}
	if c := run.Events[2].Proposed.Call.Coordinate; c.X != 250 || c.Y != 500 {
		t.Errorf("the model's point: got %v", c)
	}
}

func TestUITarsBoxesDragsAndSeveralActionsAreKept(t *testing.T) {
	run, _ := take(t, tars(t, "error",
		obj{"value": "Thought: So.\nAction: drag(start_box='(288,179)', end_box='(577,358)')", "parsed": parsed("drag", obj{"start_box": at(288.0/2884, 179.0/1792), "end_box": at(577.0/2884, 358.0/1792)})},
		obj{"value": "not to be read", "parsed": parsed("click", obj{"start_box": "[0.5,0.5,0.6,0.6]"})},
		obj{"value": "Thought: So.\nAction: type(content='tea')\n\nhotkey(key='enter')", "parsed": append(parsed("type", obj{"content": "tea"}), parsed("hotkey", obj{"key": "enter"})...)},
	))
	var acts []env.Action
	for _, e := range run.Events {
		if e.Acting != nil {
			acts = append(acts, e.Acting.Action)
		}
	}
	if len(acts) != 4 {
		t.Fatalf("actions: got %+v, want 4", acts)
	}
	if d := acts[0]; d.Kind != env.LeftClickDrag || d.From == nil || d.From.X > 145 || d.Point.X < 280 {
		t.Errorf("the drag: %+v", d)
	}
	if c := acts[1]; c.Kind != env.LeftClick || c.Point.X < 791 || c.Point.X > 793 || c.Point.Y < 494 || c.Point.Y > 496 {
		t.Errorf("the middle of the box: %+v", c)
	}
	if acts[2].Text != "tea" || acts[3].Kind != env.Key {
		t.Errorf("the two actions of one reply: %+v", acts[2:])
	}
	if run.Result.Status != trajectory.Error || run.Result.Steps != 3 {
		t.Errorf("result: %+v", run.Result)
	}
}

func TestUITarsStatusesAreMappedHonestly(t *testing.T) {
	for status, want := range map[string][2]string{
		"end": {"success", "terminate"}, "max_loop": {"budget_exhausted", "max_steps"}, "call_user": {"waiting_for_user", "question"},
		"user_stopped": {"cancelled", "aborted"}, "running": {"cancelled", "imported_unfinished"}, "error": {"error", "imported_error"},
	} {
		run, _ := take(t, tars(t, status, obj{"value": "Thought: Which?\nAction: call_user()", "parsed": parsed("call_user", obj{})}))
		if r := run.Result; string(r.Status) != want[0] || r.Reason != want[1] {
			t.Errorf("%s: got %s/%s, want %v", status, r.Status, r.Reason, want)
		}
	}
}
