package main

import (
	"strings"
	"testing"
	"time"

	"fara/env/envtest/shop"

	"fara/model/modeltest"
	"fara/model/modeltest/pixel"
	"fara/trajectory"
)

// A run whose server dies goes on with the other one, and its result says who
// answered how often.
func TestRunMovesOnWhenItsServerDies(t *testing.T) {
	needBrowser(t)
	site := shop.New()
	address, stop, err := serve(site)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	cfg := modeltest.Config{Only: modeltest.OpenAI}
	dies, err := cfg.Serve(pixel.Model{}, modeltest.On(modeltest.Cut(0), 4, 5, 6, 7, 8, 9, 10, 11, 12))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(dies.Close)
	lives := serveModel(t, modeltest.Config{}, pixel.Model{})
	got := fara(t, "run", shop.Task, "--url", address, "--endpoint", dies.URL(), "--endpoint", lives.URL(), "--approve", "never",
		"--json", "--out", t.TempDir())
	all := lines(t, got.stdout)
	if len(all) == 0 {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	last := all[len(all)-1]
	if got.code != exitSuccess || last["status"] != string(trajectory.Success) || len(site.Orders()) != 1 {
		t.Fatalf("exit code %d, %d orders, %v: %s", got.code, len(site.Orders()), last, got.stderr)
	}
	run, err := trajectory.Read(last["dir"].(string))
	if err != nil {
		t.Fatal(err)
	}
	answered := run.Result.Usage.Servers
	if answered[dies.URL()+"/v1"] != 3 || answered[lives.URL()] < 3 || len(answered) != 2 {
		t.Errorf("answers by server: %v, want three of the first, the rest of the other", answered)
	}
	if len(run.Task.Endpoints) != 2 || !strings.Contains(got.stderr, "left out") {
		t.Errorf("task.json names %v; stderr %q", run.Task.Endpoints, got.stderr)
	}
	var by []string
	for _, e := range run.Events {
		if e.Proposed != nil {
			by = append(by, e.Proposed.Server)
		}
	}
	for i, server := range by {
		if want := map[bool]string{true: dies.URL() + "/v1", false: lives.URL()}[i < 3]; server != want {
			t.Errorf("reply %d is of %s, want %s: a run stays where it is", i+1, server, want)
		}
	}
}

func TestLoadThatTakesTooLongEndsTheRunAndSaysWhatToRaise(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{Load: time.Hour}, pixel.Model{})
	began := time.Now()
	got := fara(t, "run", "x", "--endpoint", srv.URL(), "--load-timeout", "1s", "--model-timeout", "1ms", "--json", "--out", t.TempDir())
	all := lines(t, got.stdout)
	if len(all) == 0 {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	last := all[len(all)-1]
	message, _ := last["message"].(string)
	if got.code != exitModel || last["status"] != string(trajectory.ModelUnavailable) || !strings.Contains(message, "--load-timeout") {
		t.Errorf("exit code %d, %v", got.code, last)
	}
	if took := time.Since(began); srv.Loads() != 1 || took > 30*time.Second {
		t.Errorf("got %d loads in %v, want one, given up after a second", srv.Loads(), took)
	}
}
