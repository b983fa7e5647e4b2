package probe

import "testing"

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
	places, err = candidates(":8000")
	if err != nil || len(places) != 1 || places[0].base != "http://127.0.0.1:8000/v1" {
		t.Errorf("a port alone: got %+v and error %v, want that one place", places, err)
	}
}
