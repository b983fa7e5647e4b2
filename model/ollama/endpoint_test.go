package ollama

import "testing"

func TestEndpointIsFoundInWhatPeoplePaste(t *testing.T) {
	for in, want := range map[string]string{
		"":                                    "http://127.0.0.1:11434",
		"localhost":                           "http://localhost:11434",
		"gpu-box:8080":                        "http://gpu-box:8080",
		"0.0.0.0":                             "http://127.0.0.1:11434",
		"http://0.0.0.0:11434/":               "http://127.0.0.1:11434",
		"http://[::]:11434":                   "http://127.0.0.1:11434",
		"[::1]:11434":                         "http://[::1]:11434",
		"http://127.0.0.1:11434/v1":           "http://127.0.0.1:11434",
		"http://127.0.0.1:11434/api/":         "http://127.0.0.1:11434",
		"http://127.0.0.1:11434/api/generate": "http://127.0.0.1:11434",
		"127.0.0.1:11434/v1/chat/completions": "http://127.0.0.1:11434",
		"https://models.example.org":          "https://models.example.org",
		"https://example.org/ollama/api/chat": "https://example.org/ollama",
		" http://127.0.0.1:11434 ":            "http://127.0.0.1:11434",
	} {
		got, err := normalise(in)
		if err != nil || got.String() != want {
			t.Errorf("%q: got %v and error %v, want %s", in, got, err, want)
		}
	}
}
