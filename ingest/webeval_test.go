package ingest_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fara/env"
	"fara/trajectory"
)

// traj builds webeval's folder of a run of three actions.
func traj(t *testing.T, lines []obj) string {
	dir := filepath.Join(t.TempDir(), "Allrecipes--3")
	put(t, dir, "web_surfer.log", linesOf(t, lines))
	put(t, dir, "Allrecipes--3_final_answer.json", obj{
		"final_answer": "It bakes 40 minutes.", "env_state_json": "<no_answer>", "is_aborted": false, "is_rel_paths": true,
		"screenshots": []string{"screenshot0.png"}, "token_usage": obj{"fara": obj{"prompt_tokens": 900, "completion_tokens": 30}},
	})
	put(t, dir, "times.json", obj{"start_time": 1764547200.5, "end_time": 1764547260.5, "duration": 60.0})
	put(t, dir, "scores/gpt_eval.json", obj{"score": 1, "gpt_response_text": "SUCCESS"})
	put(t, dir, "task_data.json", obj{"task_summary": "How long does it bake?", "init_url": "https://recipes.test/"})
	for i := range 4 {
		put(t, dir, fmt.Sprintf("screenshot%d.png", i), shade(t, 1440, 900, uint8(10*i)))
	}
	return dir
}

var linesOf = lines

// surfed are the three actions, as structured lines with traces between them.
func surfed() []obj {
	at := func(s int) string { return fmt.Sprintf("2025-12-01T00:00:%02d.000000", s) }
	event := func(s int, args obj) obj {
		return obj{"timestamp": at(s), "type": "WebSurferEvent", "source": "FaraAgent", "url": "https://recipes.test/", "action": "computer_use", "arguments": args, "message": "computer_use( … )"}
	}
	trace := func(s int, text string) obj {
		return obj{"timestamp": at(s), "type": "OtherEvent", "message": text}
	}
	return []obj{
		trace(1, "\nThought #1: Click it.\nAction #1: executing tool 'left_click' with arguments {\"action\": \"left_click\", \"coordinate\": [1074, 37]}"),
		event(2, obj{"action": "left_click", "coordinate": []int{1074, 37}, "thoughts": "Click it."}),
		trace(9, "Observation#1: I clicked at coordinates (1083.0, 37.2)."),
		event(12, obj{"action": "type", "coordinate": []int{714, 448}, "text": "cake", "thoughts": "Search."}),
		trace(19, "Observation#2: I typed 'cake'."),
		event(22, obj{"action": "terminate", "status": "success", "thoughts": "It bakes 40 minutes."}),
	}
}

func TestWebEvalFolderBecomesARun(t *testing.T) {
	run, _ := take(t, traj(t, surfed()))
	want := []string{
		"0 run_started", "1 observed", "1 proposed", "1 acting", "1 acted", "2 observed", "2 proposed", "2 acting", "2 acted",
		"3 observed", "3 proposed", "4 observed", "4 verdict", "4 run_ended",
	}
	if got := kinds(run); !slices.Equal(got, want) {
		t.Errorf("events: got %q, want %q", got, want)
	}
	r := run.Result
	if r.Status != trajectory.Success || r.Answer != "It bakes 40 minutes." || r.Claim != "success" || r.Usage.PromptTokens != 900 || r.Timings.Total != time.Minute {
		t.Errorf("result: %+v", r)
	}
	if len(r.Verdicts) != 1 || r.Verdicts[0].By != "gpt_eval" || !r.Verdicts[0].Accepted {
		t.Errorf("verdicts: %+v", r.Verdicts)
	}
	if run.Task.Task != "How long does it bake?" || run.Task.Sample.Task != "Allrecipes--3" || run.Task.Dialect != "fara-7b" {
		t.Errorf("task: %+v", run.Task)
	}
}

func TestWebEvalPointsCountPixelsOfTheSentPicture(t *testing.T) {
	run, _ := take(t, traj(t, surfed()))
	var acts []env.Action
	for _, e := range run.Events {
		if e.Acting != nil {
			acts = append(acts, e.Acting.Action)
		}
		if e.Observed != nil && e.Observed.Size != (env.Size{W: 1428, H: 896}) {
			t.Errorf("the sent picture: got %v, want 1428x896", e.Observed.Size)
		}
		if e.Proposed != nil && e.Proposed.Raw != "" {
			t.Errorf("the log holds no replies, and the run has %q", e.Proposed.Raw)
		}
	}
	// A published log of the same click has (1083.025, 37.165).
	if p := acts[0].Point; p.X < 1083.02 || p.X > 1083.03 || p.Y < 37.16 || p.Y > 37.17 {
		t.Errorf("the click: got %v,%v, want 1083.025,37.165", p.X, p.Y)
	}
	if !acts[1].Enter || acts[1].Text != "cake" {
		t.Errorf("typing presses Enter unless it says otherwise: %+v", acts[1])
	}
}

func TestWebEvalTracesAreReadWhereNothingElseIsThere(t *testing.T) {
	var traces []obj
	for i, l := range surfed() {
		if i == 0 || l["action"] == nil {
			traces = append(traces, l)
		}
	}
	traces = append(traces, obj{"timestamp": "x", "message": "\nThought #2: 40 minutes.\nAction #2: executing tool 'stop_execution' with arguments {\"action\": \"stop_execution\"}"})
	run, _ := take(t, traj(t, traces))
	if run.Result.Steps != 2 || run.Result.Claim != "success" {
		t.Errorf("steps %d, claim %q", run.Result.Steps, run.Result.Claim)
	}
}

func TestUnansweredWebEvalIsNoSuccess(t *testing.T) {
	dir := traj(t, surfed()[:3])
	put(t, dir, "Allrecipes--3_final_answer.json", obj{"final_answer": "<no_answer>", "is_aborted": false})
	run, _ := take(t, dir)
	if r := run.Result; r.Status != trajectory.BudgetExhausted || r.Answer != "" || r.Claim != "" {
		t.Errorf("result: %+v", r)
	}
	put(t, dir, "Allrecipes--3_final_answer.json", obj{"final_answer": "<no_answer>", "is_aborted": true})
	run, _ = take(t, dir)
	if r := run.Result; r.Status != trajectory.Cancelled || r.Reason != "aborted" {
		t.Errorf("result: %+v", r)
	}
}

func TestTaskThatWebEvalDoesNotHoldIsLeftEmpty(t *testing.T) {
	dir := traj(t, surfed())
	put(t, dir, "task_data.json", obj{})
	run, _ := take(t, dir)
	if run.Task.Task != "" || !strings.Contains(strings.Join(run.Task.Imported.Notes, "\n"), "the task's words") {
		t.Errorf("task %q, notes %q", run.Task.Task, run.Task.Imported.Notes)
	}
}
