package main

import (
	"strings"
	"testing"

	"fara/model/modeltest"
	"fara/model/modeltest/pixel"
)

func TestDoctorSaysYesWhenAllIsWell(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{}, pixel.Model{})
	for _, api := range []string{"ollama", "openai"} {
		got := fara(t, "doctor", "--endpoint", srv.URL(), "--api", api, "--json")
		names := map[string]bool{}
		for _, c := range lines(t, got.stdout) {
			names[c["name"].(string)] = c["ok"].(bool)
		}
		for _, name := range []string{"browser", "server", "model", "dialect", "prompt", "context", "sight"} {
			if !names[name] {
				t.Errorf("%s: %s is not well: %s", api, name, got.stdout)
			}
		}
		if got.code != exitSuccess {
			t.Errorf("%s: exit code %d", api, got.code)
		}
	}
}

func TestDoctorSaysNoAndWhatToDo(t *testing.T) {
	needBrowser(t)
	good := serveModel(t, modeltest.Config{}, pixel.Model{})
	blind := serveModel(t, modeltest.Config{Capabilities: []string{"completion"}}, pixel.Model{})
	guessing := serveModel(t, modeltest.Config{}, modeltest.NewEndlessScript(modeltest.Text("red")))
	for _, c := range []struct {
		name  string
		args  []string
		code  int
		wants []string
	}{
		{"dead server", []string{"--endpoint", "http://127.0.0.1:9"}, exitModel, []string{"no   server", "127.0.0.1:9"}},
		{"wrong model", []string{"--endpoint", good.URL(), "--model", "other"}, exitModel, []string{"yes  server", "no   model", "fara-1.5-test"}},
		{"small context", []string{"--endpoint", good.URL(), "--num-ctx", "4096"}, exitModel, []string{"no   context", "--num-ctx"}},
		{"blind model", []string{"--endpoint", blind.URL(), "--api", "ollama"}, exitModel, []string{"no   model", "vision"}},
		{"guessing model", []string{"--endpoint", guessing.URL()}, exitModel, []string{"no   sight", "does not see"}},
		{"no browser", []string{"--endpoint", good.URL(), "--browser", "/no/such"}, exitBrowser, []string{"no   browser", "/no/such", "yes  sight"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := fara(t, append([]string{"doctor"}, c.args...)...)
			if got.code != c.code {
				t.Errorf("exit code %d, want %d", got.code, c.code)
			}
			for _, w := range c.wants {
				if !strings.Contains(got.stdout, w) {
					t.Errorf("stdout lacks %q:\n%s", w, got.stdout)
				}
			}
		})
	}
}
