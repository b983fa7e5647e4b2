package probe

import (
	"strings"
	"testing"
)

func TestContainerGetsTheHostsName(t *testing.T) {
	for _, tt := range []struct {
		endpoint  string
		container string // the file that marks one
		want      string
	}{
		{"localhost:11434", "/.dockerenv", "http://host.docker.internal:11434"},
		{"[::1]:8000", "/run/.containerenv", "http://host.docker.internal:8000"},
		{"localhost:11434", "", "ollama serve"},
		{"gpu-box:11434", "/.dockerenv", "ollama serve"},
	} {
		places, err := candidates(tt.endpoint)
		if err != nil {
			t.Fatal(err)
		}
		a := asker{refused: true}
		got := a.advice(places[0], func(path string) bool { return path == tt.container })
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s in %q: got advice %q, want it to say %q", tt.endpoint, tt.container, got, tt.want)
		}
	}
}

func TestUsualPortsAreTriedInTurn(t *testing.T) {
	places, err := candidates("gpu-box")
	if err != nil {
		t.Fatal(err)
	}
	if len(places) < 3 || places[0].root != "http://gpu-box:11434" || places[1].base != "http://gpu-box:8000/v1" {
		t.Errorf("got %+v, want Ollama's port first, then vLLM's", places)
	}
	places, err = candidates("https://models.example.org/v1")
	if err != nil || len(places) != 1 || places[0].base != "https://models.example.org/v1" {
		t.Errorf("https: got %+v and error %v, want that one place", places, err)
	}
}
