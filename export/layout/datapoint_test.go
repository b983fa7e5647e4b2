package layout_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fara/export"
	"fara/export/exporttest"
	"fara/export/layout"
	"fara/model"
	"fara/trajectory"
)

func TestDataPointKeepsTheRulesOfItsReaders(t *testing.T) {
	odd(t, func(t *testing.T, run *export.Source) {
		dir := t.TempDir()
		p := readPoint(t, dir+"/"+add(t, layout.DataPoint(dir), run))
		want := calls(run)
		if len(p.actions) != len(want) {
			t.Fatalf("got %d actions, want %d", len(p.actions), len(want))
		}
		for i, proposed := range want {
			checkAction(t, run, p.actions[i], proposed)
		}
	})
}

// checkAction holds an action to the reply it was made from.
func checkAction(t *testing.T, run *export.Source, a pointAction, was *trajectory.Proposed) {
	t.Helper()
	var call model.Call
	arguments := a.Content.Arguments
	var more struct {
		Thoughts *string `json:"thoughts"`
	}
	if err := json.Unmarshal(arguments, &call); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(arguments, &more); err != nil || more.Thoughts == nil || *more.Thoughts != was.Thoughts {
		t.Errorf("action %s: got thoughts in %s, want %q", a.ID, arguments, was.Thoughts)
	}
	if !reflect.DeepEqual(&call, was.Call) || a.Name != was.Call.Action || a.Content.Action != a.Name {
		t.Errorf("got action %+v (%s), want %+v", call, a.Name, was.Call)
	}
	last := a.Conversation.Messages[len(a.Conversation.Messages)-1]
	if last.Raw != was.Raw || last.Usage.Prompt != was.Usage.PromptTokens || last.Usage.Completion != was.Usage.CompletionTokens {
		t.Errorf("got reply %+v, want %q with %+v", last, was.Raw, was.Usage)
	}
	sent, err := run.Load(was.Frames[len(was.Frames)-1])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.pre, sent) {
		t.Errorf("the frame before %s is not the newest of its request", a.Name)
	}
	if want := was.Call.Action + "("; !strings.Contains(a.Description, want) || !strings.HasPrefix(a.Description, was.Thoughts) {
		t.Errorf("got description %q, want the thoughts and %q", a.Description, want)
	}
}

func TestDataPointSaysTheEndingInItsWords(t *testing.T) {
	for name, want := range map[string]string{
		"plain": "complete", "answer rejected": "complete", "out of steps": "max_rounds", "forced answer": "max_rounds",
		"waiting": "waiting_for_user", "no steps": "aborted", "no frames": "aborted", "unread reply": "aborted",
	} {
		run := told(t, exporttest.Odd()[name](t.TempDir()))
		dir := t.TempDir()
		p := readPoint(t, dir+"/"+add(t, layout.DataPoint(dir), run))
		if p.status != want {
			t.Errorf("%s: got status %q, want %q", name, p.status, want)
		}
		ends := len(p.actions) > 0 && p.actions[len(p.actions)-1].Name == "terminate"
		if p.stats["ends_with_terminate"] != ends {
			t.Errorf("%s: the metadata says ends_with_terminate %v, want %v", name, p.stats["ends_with_terminate"], ends)
		}
		if p.stats["status"] != string(run.Result.Status) || p.answer != run.Result.Answer {
			t.Errorf("%s: got own status %v and answer %q, want %s and %q", name, p.stats["status"], p.answer, run.Result.Status, run.Result.Answer)
		}
	}
}

func TestDataPointMarksTheLastWordThatWasForced(t *testing.T) {
	for name, want := range map[string][]bool{
		"forced answer": {false, false, false, true}, "forced and gone on": {false, false, true, false, false}, "plain": make([]bool, 6),
	} {
		dir := t.TempDir()
		p := readPoint(t, dir+"/"+add(t, layout.DataPoint(dir), told(t, exporttest.Odd()[name](t.TempDir()))))
		var got []bool
		for _, a := range p.actions {
			got = append(got, a.forced)
			if a.forced && a.done {
				t.Errorf("%s: a last word counts as done", name)
			}
		}
		if !slices.Equal(got, want) || p.stats["last_word_forced"] != want[len(want)-1] {
			t.Errorf("%s: got forced %v and last_word_forced %v, want %v", name, got, p.stats["last_word_forced"], want)
		}
	}
}

func TestDataPointWordsStandBeforeTheActionThatHeardThem(t *testing.T) {
	for name, want := range map[string][]string{
		"question":        {"task 0", "critical_point_response 2 green", "critical_point_response 4 go on"},
		"answer rejected": {"task 0", "retry_feedback 2 the price is missing"},
		"unread reply":    {"task 0"},
	} {
		dir := t.TempDir()
		p := readPoint(t, dir+"/"+add(t, layout.DataPoint(dir), told(t, exporttest.Odd()[name](t.TempDir()))))
		if !slices.Equal(p.heard, want) {
			t.Errorf("%s: got words %q (kind, actions before it, text), want %q", name, p.heard, want)
		}
	}
}

func TestDataPointSaysWhatBecameOfEachAction(t *testing.T) {
	for name, want := range map[string][]string{
		"refused":              {"evil.test is not allowed", "", "it is covered", ""},
		"killed while acting":  {"", "", "the program ended before it knew whether this was done", "", ""},
		"killed before acting": {"", "the program ended before this was done", "", ""},
		"page left":            {"", "", "", ""},
		"needs approval":       {"", "", ""},
	} {
		dir := t.TempDir()
		p := readPoint(t, dir+"/"+add(t, layout.DataPoint(dir), told(t, exporttest.Odd()[name](t.TempDir()))))
		var got []string
		for _, a := range p.actions {
			got = append(got, a.error)
			if a.error != "" && a.done {
				t.Errorf("%s: an action with the error %q counts as done", name, a.error)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got errors %q, want %q", name, got, want)
		}
	}
}

func TestDataPointVerdictsOfOneNameAreAllThere(t *testing.T) {
	dir := t.TempDir()
	p := readPoint(t, dir+"/"+add(t, layout.DataPoint(dir), told(t, exporttest.Odd()["plain"](t.TempDir()))))
	one, nought := 1.0, 0.0
	want := map[string]*float64{"schema": &one, "judge": nil, "judge_2": &nought}
	if !reflect.DeepEqual(p.scores, want) {
		t.Errorf("got scores %v, want schema 1, judge nothing, judge_2 0", p.scores)
	}
	lines := bytes.Count(read(t, dir, "plain", "verification.jsonl"), []byte("\n"))
	if lines != 3 {
		t.Errorf("got %d lines in verification.jsonl, want 3", lines)
	}
}

func TestExportsOfARunAreAlike(t *testing.T) {
	run := told(t, exporttest.Odd()["question"](t.TempDir()))
	for name, open := range map[string]export.Layout{
		"datapoint": layout.DataPoint, "webvoyager": layout.WebVoyager, "online-mind2web": layout.OnlineMind2Web,
	} {
		a, b := t.TempDir(), t.TempDir()
		one, two := files(t, a+"/"+add(t, open(a), run)), files(t, b+"/"+add(t, open(b), run))
		if !reflect.DeepEqual(one, two) || len(one) == 0 {
			t.Errorf("%s: two exports of one run differ, or are empty", name)
		}
	}
}
