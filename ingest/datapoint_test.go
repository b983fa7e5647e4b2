package ingest_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fara/env"
	"fara/trajectory"
)

func TestDataPointBecomesARunAsTheLoopWouldHaveWrittenIt(t *testing.T) {
	run, _ := take(t, bought(t).end("complete", "bought green tea"))
	want := []string{
		"0 run_started",
		"1 observed", "1 proposed", "1 acting", "1 acted",
		"2 observed", "2 proposed", "2 asked", "2 replied", "2 acted",
		"3 observed", "3 observed", "3 proposed", "3 run_ended",
	}
	if got := kinds(run); !slices.Equal(got, want) {
		t.Errorf("events: got %q, want %q", got, want)
	}
	r := run.Result
	if r.Status != trajectory.Success || r.Reason != "terminate" || r.Claim != "success" || r.Answer != "bought green tea" || len(r.Verified) != 0 || r.Steps != 3 {
		t.Errorf("result: %+v", r)
	}
	if r.Usage.PromptTokens != 15000 || r.Usage.CompletionTokens != 120 || r.Usage.Calls != 3 {
		t.Errorf("usage: %+v", r.Usage)
	}
	task := run.Task
	if task.Task != "Buy tea." || task.URL != "https://shop.test/" || task.Sample == nil || task.Sample.Task != "shop--7" || string(task.Sample.Meta["level"]) != `"easy"` || string(task.Sample.Meta["run_id"]) != `"r-9"` {
		t.Errorf("task: %+v, sample %+v", task, task.Sample)
	}
	if !slices.Contains(task.Imported.Notes, "times stand in the source without a zone and are taken for UTC") {
		t.Errorf("notes: %q", task.Imported.Notes)
	}
	if got, want := run.Events[1].At, time.Date(2026, 3, 1, 10, 0, 2, 250e6, time.UTC); !got.Equal(want) {
		t.Errorf("the first picture: got %v, want %v", got, want)
	}
}

func TestDataPointKeepsPointsPicturesAndReplies(t *testing.T) {
	p := bought(t)
	run, _ := take(t, p.end("complete", "bought green tea"))
	var seen *trajectory.Observed
	for _, e := range run.Events {
		switch {
		case e.Observed != nil:
			seen = e.Observed
		case e.Proposed != nil && e.Step == 1:
			if e.Proposed.Raw != said("The tea.", `{"action": "left_click", "coordinate": [500, 250]}`) || e.Proposed.Request != "" || e.Proposed.Thoughts != "The tea." {
				t.Errorf("the reply: %+v", e.Proposed)
			}
			if c := e.Proposed.Call.Coordinate; c.X != 500 || c.Y != 250 {
				t.Errorf("the model's point: got %v, want 500,250", c)
			}
			got, err := run.Load(seen.Frame)
			if err != nil || !bytes.Equal(got, shade(t, 1440, 900, 10)) {
				t.Errorf("the frame is not the screenshot's very bytes: %v", err)
			}
			if seen.Captured != (env.Size{W: 1440, H: 900}) || seen.Size != (env.Size{W: 1440, H: 896}) || seen.Viewport != (env.Size{W: 1440, H: 900}) {
				t.Errorf("sizes: captured %v, sent %v, viewport %v", seen.Captured, seen.Size, seen.Viewport)
			}
		case e.Acting != nil:
			if got, want := *e.Acting.Action.Point, (env.Point{X: 720, Y: 225}); got != want {
				t.Errorf("the point on the page: got %v, want %v", got, want)
			}
		case e.Replied != nil:
			if e.Replied.Text != "green" || e.Replied.By != trajectory.Person {
				t.Errorf("the answer: %+v", e.Replied)
			}
		}
	}
	// Greys 10, 20 and 30, each stored once.
	if _, err := run.Load("frames/3.png"); err != nil {
		t.Error(err)
	}
	if _, err := run.Load("frames/4.png"); err == nil {
		t.Error("a picture was stored twice")
	}
}

func TestDataPointStatusesAreMappedHonestly(t *testing.T) {
	for _, c := range []struct {
		status any
		want   trajectory.Status
		reason string
		claim  string
	}{
		{"complete", trajectory.Success, "terminate", "success"},
		{"max_rounds", trajectory.BudgetExhausted, "max_steps", ""},
		{"timed_out", trajectory.BudgetExhausted, "deadline", ""},
		{"aborted", trajectory.Cancelled, "aborted", ""},
		{"running", trajectory.Cancelled, "imported_unfinished", ""},
		{"exploded", trajectory.Error, "imported_status", ""},
	} {
		p := newPoint(t)
		p.step("", obj{"action": "scroll", "pixels": -500}, 10, 20, "")
		var answer any
		if c.status == "complete" {
			p.step("", obj{"action": "terminate", "answer": "x"}, 20, 20, "")
			answer = "x"
		}
		run, _ := take(t, p.end(c.status, answer))
		r := run.Result
		if r.Status != c.want || r.Reason != c.reason || r.Claim != c.claim || r.Resume != "" || r.Message == "" {
			t.Errorf("%v: got %s/%s, claim %q, resume %q, %q", c.status, r.Status, r.Reason, r.Claim, r.Resume, r.Message)
		}
	}
}

func TestWaitingDataPointKeepsItsQuestion(t *testing.T) {
	p := newPoint(t)
	p.step("", obj{"action": "ask_user_question", "question": "Green or black?"}, 10, 10, "")
	run, _ := take(t, p.end("waiting_for_user", nil))
	if r := run.Result; r.Status != trajectory.WaitingForUser || r.Question != "Green or black?" {
		t.Errorf("result: %+v", r)
	}
}

func TestTornLogIsReadToItsLastWholeLine(t *testing.T) {
	p := bought(t)
	dir := p.end("running", nil)
	whole := lines(t, p.events)
	put(t, dir, "solver_log/events.jsonl", whole[:len(whole)-40])
	run, _ := take(t, dir)
	if run.Result.Steps != 3 || !slices.Contains(run.Task.Imported.Notes, "solver_log/events.jsonl ends in a line that broke off, which is left out") {
		t.Errorf("steps %d, notes %q", run.Result.Steps, run.Task.Imported.Notes)
	}
}

func TestDataPointIsReadFromOneFileOrFromThePieces(t *testing.T) {
	p := bought(t)
	pieces, _ := take(t, p.end("complete", "bought green tea"))
	q := bought(t)
	put(t, q.dir, "data_point.json", obj{
		"task":       obj{"task_id": "shop--7", "instruction": "Buy tea.", "environment_config": obj{"start_page": "https://shop.test/"}},
		"solver_log": obj{"events": q.events, "status": "complete", "outcome": obj{"answer": "bought green tea"}}, "metadata": obj{"created_at": "2026-03-01T10:00:00.000001"},
	})
	one, _ := take(t, q.dir)
	if a, b := kinds(pieces), kinds(one); !slices.Equal(a, b) {
		t.Errorf("from the pieces %q, from one file %q", a, b)
	}
	if one.Task.Sample.Task != "shop--7" || one.Result.Answer != pieces.Result.Answer {
		t.Errorf("from one file: task %+v, answer %q", one.Task.Sample, one.Result.Answer)
	}
}

func TestTornDataPointFileIsNothingWhereTheLogIs(t *testing.T) {
	dir := bought(t).end("complete", "bought green tea")
	put(t, dir, "data_point.json", `{"task": {"task_id": "sho`)
	run, _ := take(t, dir)
	if run.Result.Steps != 3 || run.Task.Task != "Buy tea." || !slices.Contains(run.Task.Imported.Notes, "data_point.json cannot be read and is left out; the log says the same") {
		t.Errorf("steps %d, task %q, notes %q", run.Result.Steps, run.Task.Task, run.Task.Imported.Notes)
	}
	if err := os.Remove(filepath.Join(dir, "solver_log/events.jsonl")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := try(t, dir); err == nil || !strings.Contains(err.Error(), "data_point.json") {
		t.Errorf("without the log: %v", err)
	}
}

func TestVerifiersWordsBecomeVerdicts(t *testing.T) {
	p := bought(t)
	dir := p.end("complete", "bought green tea")
	put(t, dir, "verification.jsonl", lines(t, []obj{
		{"result_type": "base", "score": 0.9, "reasoning": "the cart shows it", "verifier_name": "mm_rubric"},
		{"result_type": "mm", "score": 0.2, "reasoning": "no", "verifier_name": "outcome"},
		{"result_type": "base", "score": nil, "reasoning": "timed out", "verifier_name": "slow"},
	}))
	run, _ := take(t, dir)
	got := run.Result.Verdicts
	if len(got) != 3 || len(run.Result.Verified) != 0 {
		t.Fatalf("verdicts: %+v, verified %v", got, run.Result.Verified)
	}
	if !got[0].Accepted || got[0].By != "mm_rubric" || got[0].Answer != "bought green tea" || got[1].Accepted || got[1].Unsure || !got[2].Unsure {
		t.Errorf("verdicts: %+v", got)
	}
}

func TestRecordedActionCountsWhereTheReplySaysAnother(t *testing.T) {
	p := newPoint(t)
	p.step(said("x", `{"action": "left_click", "coordinate": [1, 1]}`), obj{"action": "left_click", "coordinate": []int{900, 900}}, 10, 20, "")
	run, _ := take(t, p.end("max_rounds", nil))
	for _, e := range run.Events {
		if e.Proposed != nil && e.Proposed.Call.Coordinate.X != 900 {
			t.Errorf("the call: %+v", e.Proposed.Call)
		}
	}
	if n := run.Task.Imported.Notes; !slices.Contains(n, "step 1: the recorded action is not what the reply says; the action counts") {
		t.Errorf("notes: %q", n)
	}
}

func TestBrokenReplyKeepsItsWordsAndItsAction(t *testing.T) {
	p := newPoint(t)
	p.step("not a call", obj{"action": "terminate", "answer": "not a call"}, 10, 10, "")
	run, _ := take(t, p.end("complete", "not a call"))
	for _, e := range run.Events {
		if e.Proposed != nil && (e.Proposed.Raw != "not a call" || e.Proposed.Call == nil || e.Proposed.Call.Action != "terminate") {
			t.Errorf("the reply: %+v", e.Proposed)
		}
	}
}
