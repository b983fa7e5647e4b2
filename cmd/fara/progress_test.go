package main

import (
	"bytes"
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
		step   float64
		action any
	}
	want := []line{{0, "visit_url"}, {1, ""}, {1, "left_click"}, {2, "page"}, {2, "history_back"}, {2, "terminate"}}
	got := lines(t, out.String())
	if len(got) != len(want) {
		t.Fatalf("got %d lines, want %d:\n%s", len(got), len(want), out.String())
	}
	for i, w := range want {
		if got[i]["type"] != "step" || got[i]["step"] != w.step || got[i]["action"] != w.action {
			t.Errorf("line %d: got %v, want step %v with %v", i, got[i], w.step, w.action)
		}
	}
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
