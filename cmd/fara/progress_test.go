package main

import (
	"bytes"
	"strings"
	"testing"

	"fara/env"
	"fara/model"
	"fara/trajectory"
)

func TestEveryStepLineIsWhole(t *testing.T) {
	point := env.Point{X: 1, Y: 2}
	events := []trajectory.Event{
		{Step: 0, Kind: trajectory.KindActing, Acting: &trajectory.Acting{Action: env.Action{Kind: env.VisitURL, URL: "http://a.test/"}}},
		{Step: 0, Kind: trajectory.KindActed, Acted: &trajectory.Acted{Text: "opened"}},
		{Step: 1, Kind: trajectory.KindObserved, Observed: &trajectory.Observed{URL: "http://a.test/"}},
		{Step: 1, Kind: trajectory.KindProposed, Proposed: &trajectory.Proposed{Truncated: "read 4096"}},
		{Step: 1, Kind: trajectory.KindAdapted, Adapted: &trajectory.Adapted{NumCtx: 4096, System: "long", Why: "read 4096"}},
		{Step: 1, Kind: trajectory.KindProposed, Proposed: &trajectory.Proposed{Problem: &trajectory.Problem{Reason: "no_call"}}},
		{Step: 1, Kind: trajectory.KindProposed, Proposed: &trajectory.Proposed{Call: &model.Call{Action: "left_click"}}},
		{Step: 1, Kind: trajectory.KindActing, Acting: &trajectory.Acting{Action: env.Action{Kind: env.LeftClick, Point: &point}}},
		{Step: 1, Kind: trajectory.KindActed, Acted: &trajectory.Acted{Text: "clicked"}},
		// The click led to a page that may not be shown, which is left.
		{Step: 2, Kind: trajectory.KindDecided, Decided: &trajectory.Decided{Code: "private_network"}},
		{Step: 2, Kind: trajectory.KindDecided, Decided: &trajectory.Decided{Allowed: true}},
		{Step: 2, Kind: trajectory.KindActing, Acting: &trajectory.Acting{Action: env.Action{Kind: env.HistoryBack}}},
		{Step: 2, Kind: trajectory.KindActed, Acted: &trajectory.Acted{Text: "went back"}},
		{Step: 2, Kind: trajectory.KindObserved, Observed: &trajectory.Observed{URL: "http://a.test/"}},
		{Step: 2, Kind: trajectory.KindProposed, Proposed: &trajectory.Proposed{Call: &model.Call{Action: "terminate"}}},
		{Step: 2, Kind: trajectory.KindEnded, Ended: &trajectory.Result{}},
	}
	var out bytes.Buffer
	p := &progress{show: jsonSteps(&out)}
	for _, e := range events {
		p.event(e)
	}
	type line struct {
		kind   string
		step   float64
		action any
	}
	want := []line{{"step", 0, "visit_url"}, {"step", 1, ""}, {"adapted", 1, ""}, {"step", 1, ""}, {"step", 1, "left_click"},
		{"step", 2, "page"}, {"step", 2, "history_back"}, {"step", 2, "terminate"}}
	got := lines(t, out.String())
	if len(got) != len(want) {
		t.Fatalf("got %d lines, want %d:\n%s", len(got), len(want), out.String())
	}
	for i, w := range want {
		if got[i]["type"] != w.kind || got[i]["step"] != w.step || got[i]["action"] != w.action {
			t.Errorf("line %d: got %v, want %s %v with %v", i, got[i], w.kind, w.step, w.action)
		}
	}
	if got[1]["truncated"] != "read 4096" || got[2]["adapted"].(map[string]any)["num_ctx"] != 4096.0 {
		t.Errorf("got %v and %v, want the sign and what was learned", got[1], got[2])
	}
	if text := textOf(events); !strings.Contains(text, "truncated: read 4096") || !strings.Contains(text, "a context of 4096 tokens") || strings.Contains(text, "long") {
		t.Errorf("people are told %q", text)
	}
}

func textOf(events []trajectory.Event) string {
	var out bytes.Buffer
	p := &progress{show: textSteps(&out)}
	for _, e := range events {
		p.event(e)
	}
	return out.String()
}

func TestOnlyABrowserElsewhereIsListenedToForCaptchas(t *testing.T) {
	for address, want := range map[string]bool{
		"": true, "9222": true, ":9222": true, "localhost:9222": true, "http://127.0.0.1:9222": true, "ws://[::1]:9222/devtools/browser/x": true,
		"wss://connect.example.com/?apiKey=x": false, "browser.example.com:9222": false, "http://10.0.0.5:9222": false,
	} {
		b := browserFlags{cdp: address}
		if local := b.listen(nil) == nil; local != want {
			t.Errorf("%q: taken for local: %v, want %v", address, local, want)
		}
	}
}

func TestWhatHappensBesideStepsIsShown(t *testing.T) {
	no := trajectory.Verdict{By: "assertions", Class: "wrong", Reason: "title is Coffee", Raw: "long"}
	events := []trajectory.Event{
		{Step: 1, Kind: trajectory.KindObserved, Observed: &trajectory.Observed{}},
		{Step: 1, Kind: trajectory.KindProposed, Proposed: &trajectory.Proposed{Call: &model.Call{Action: "terminate"}}},
		{Step: 1, Kind: trajectory.KindVerdict, Verdict: &no},
		{Step: 2, Kind: trajectory.KindObserved, Observed: &trajectory.Observed{}},
		{Step: 2, Kind: trajectory.KindWarned, Warned: &trajectory.Warned{Code: "cycle", Text: "Try something else."}},
		{Step: 2, Kind: trajectory.KindPaused, Paused: &trajectory.Paused{Why: "asked"}},
		{Step: 2, Kind: trajectory.KindResumed, Resumed: &trajectory.Resumed{Why: "restart", Uncertain: &env.Action{Kind: env.Type}}},
		{Step: 2, Kind: trajectory.KindAsked, Asked: &trajectory.Asked{Question: "Which\x1b?"}},
		{Step: 3, Kind: trajectory.KindAsked, Asked: &trajectory.Asked{Question: "buy it", Approval: &trajectory.Approval{}}},
	}
	var out bytes.Buffer
	p := &progress{show: jsonSteps(&out)}
	for _, e := range events {
		p.event(e)
	}
	var types []string
	for _, l := range lines(t, out.String()) {
		types = append(types, l["type"].(string))
	}
	if got, want := strings.Join(types, " "), "verdict step warned paused resumed asked asked"; got != want || strings.Contains(out.String(), "long") {
		t.Errorf("got %q, want %q in\n%s", got, want, out.String())
	}
	want := "  1  rejected by assertions (wrong): title is Coffee\n  1  terminate: the answer was rejected\n  2  the model is told: Try something else.\n" +
		"  2  holds still\n  2  goes on; it is not known whether type was done\n  2  asks: Which?\n  3  waits for a person: buy it\n"
	if got := textOf(events); got != want {
		t.Errorf("people are told\n%s\nwant\n%s", got, want)
	}
	out.Reset()
	textResult(&out, trajectory.Result{Status: trajectory.Stuck, Reason: "cycle", Dir: "runs/1", Resume: "fara resume runs/1",
		Effects: []trajectory.Effect{{Step: 4, Action: "left_click", Classes: []string{"buy"}, Uncertain: true}}})
	for _, want := range []string{"done in step 4: left_click (buy), or perhaps not\n", "go on: fara resume runs/1\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the ending lacks %q: %s", want, out.String())
		}
	}
}
