package agent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fara/agent"
	"fara/env"
	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

func TestRunGoesFromTheFirstPageToTheAnswer(t *testing.T) {
	b := newBench(t, click(500, 250), done("4 euro"))
	var seenAtFirstVisit int
	b.page.OnPerform = func(_ context.Context, n int, a env.Action) (env.Outcome, error) {
		if n == 1 {
			seenAtFirstVisit = len(b.model.Requests())
			b.page.Go(a.URL, "Shop")
		} else {
			b.page.Change()
		}
		return env.Outcome{Text: "did it"}, nil
	}
	r := b.run(t)
	want(t, r, trajectory.Success, "terminate")
	if r.Answer != "4 euro" || r.Steps != 2 || len(r.Verified) != 0 || r.Claim != "success" {
		t.Errorf("got %+v", r)
	}
	if seenAtFirstVisit != 0 {
		t.Errorf("the model was asked %d times before the first page", seenAtFirstVisit)
	}
	acts := b.page.Actions()
	if len(acts) != 2 || acts[0].Kind != env.VisitURL || acts[0].URL != start || acts[1].Kind != env.LeftClick || *acts[1].Point != (env.Point{X: 720, Y: 224}) {
		t.Errorf("actions: got %+v", acts)
	}
	if n := b.page.Observations(); n != 2 {
		t.Errorf("got %d pictures for 2 steps, want one each", n)
	}
	var kinds []trajectory.Kind
	for _, e := range b.events(t) {
		kinds = append(kinds, e.Kind)
	}
	wantKinds := []trajectory.Kind{
		trajectory.KindStarted, trajectory.KindDecided, trajectory.KindActing, trajectory.KindActed,
		trajectory.KindObserved, trajectory.KindProposed, trajectory.KindDecided, trajectory.KindActing, trajectory.KindActed,
		trajectory.KindObserved, trajectory.KindProposed, trajectory.KindEnded,
	}
	if !slices.Equal(kinds, wantKinds) {
		t.Errorf("events: got %v, want %v", kinds, wantKinds)
	}
}

func TestIntentIsOnDiskBeforeTheEffect(t *testing.T) {
	b := newBench(t, click(1, 1), done("x"))
	checked := 0
	b.page.OnPerform = func(_ context.Context, _ int, a env.Action) (env.Outcome, error) {
		events := b.events(t)
		if last := events[len(events)-1]; last.Kind != trajectory.KindActing || last.Acting.Action.Kind != a.Kind {
			t.Errorf("during %s the last event on disk is %s", a.Kind, last.Kind)
		}
		if _, err := os.Stat(filepath.Join(b.writer.Dir(), "result.json")); err == nil {
			t.Error("there is a result while the run goes on")
		}
		checked++
		return env.Outcome{}, nil
	}
	b.run(t)
	if checked != 2 {
		t.Errorf("got %d effects, want 2", checked)
	}
}

func TestFrameSentIsTheFrameStored(t *testing.T) {
	b := newBench(t, click(1, 1), done("x"))
	b.run(t)
	for i, req := range b.model.Requests() {
		msg := req.Messages[len(req.Messages)-1]
		if len(msg.Images) != 1 {
			t.Fatalf("request %d: the newest message has %d frames", i, len(msg.Images))
		}
		stored, err := os.ReadFile(filepath.Join(b.writer.Dir(), "frames", []string{"1.png", "2.png"}[i]))
		if err != nil || string(stored) != string(msg.Images[0].Data) {
			t.Errorf("request %d: the stored frame differs from the sent one: %v", i, err)
		}
	}
}

func TestWithoutAPageTheModelIsToldToOpenOne(t *testing.T) {
	b := newBench(t, done("x"))
	b.cfg.URL = ""
	b.run(t)
	if n := len(b.page.Actions()); n != 0 {
		t.Errorf("got %d actions before the model was asked", n)
	}
	if text := b.model.Requests()[0].Messages[1].Text; !strings.Contains(text, "No page is open yet") {
		t.Errorf("the first turn says %q", text)
	}
}

func TestFailuresAreToldAndTheRunGoesOn(t *testing.T) {
	b := newBench(t, click(1, 1), done("x"))
	b.page.FailPerform = map[int]error{2: env.Fail(env.PageFailed, "the page did not take it")}
	want(t, b.run(t), trajectory.Success, "terminate")
	turn := b.model.Requests()[1].Messages
	if text := turn[len(turn)-1].Text; !strings.Contains(text, "The last action failed: the page did not take it") {
		t.Errorf("the next turn says %q", text)
	}
}

func TestPointOutsideTheScreenNeverReachesTheBrowser(t *testing.T) {
	b := newBench(t, click(1200, 5), done("x"))
	b.run(t)
	if n := len(b.page.Actions()); n != 1 {
		t.Errorf("got %d actions, want only the first visit", n)
	}
	turn := b.model.Requests()[1].Messages
	if text := turn[len(turn)-1].Text; !strings.Contains(text, "outside the screen") {
		t.Errorf("the next turn says %q", text)
	}
}

func TestUnchangedScreenIsTold(t *testing.T) {
	b := newBench(t, click(1, 1), call("wait", `{"action": "wait", "time": 0}`), done("x"))
	b.page.Still = true
	b.run(t)
	var told []bool
	for _, req := range b.model.Requests() {
		text := req.Messages[len(req.Messages)-1].Text
		told = append(told, strings.Contains(text, "exactly as it did before"))
	}
	// After a click that did nothing yes; after a wait nothing else was expected.
	if !slices.Equal(told, []bool{false, true, false}) {
		t.Errorf("told: got %v", told)
	}
}

func TestAnAgentRunsOnce(t *testing.T) {
	b := newBench(t, done("x"))
	a := agent.New(b.cfg, b.page, b.model, nil, b.writer)
	if _, err := a.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(t.Context()); !errors.Is(err, agent.ErrRanBefore) {
		t.Errorf("second run: got %v", err)
	}
}

func TestRecoveryIsOnRecord(t *testing.T) {
	b := newBench(t, done("x"))
	b.page.Note(env.Note{Kind: env.NoteRecovered, Text: "The page crashed and was opened again."})
	b.run(t)
	if e := b.last(t, trajectory.KindRecovered); e.Recovered.Text == "" {
		t.Errorf("got %+v", e)
	}
	if text := b.model.Requests()[0].Messages[1].Text; !strings.Contains(text, "crashed") {
		t.Errorf("the model is told %q", text)
	}
}

func TestGenerationStopsWhenTheCallIsComplete(t *testing.T) {
	rest := strings.Repeat(" and so on", 1000)
	b := newBench(t, modeltest.Text("x\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"terminate\", \"answer\": \"ok\"}}\n</tool_call>"+rest))
	want(t, b.run(t), trajectory.Success, "terminate")
	p := b.last(t, trajectory.KindProposed).Proposed
	if p.Finish != model.FinishUntil || len(p.Raw) > len(rest)/10 {
		t.Errorf("finish %s after %d characters, want %s soon after the call", p.Finish, len(p.Raw), model.FinishUntil)
	}
}
