package openai

import "testing"

func TestEndpointIsFoundInWhatPeoplePaste(t *testing.T) {
	for in, want := range map[string]string{
		"":                                           "http://127.0.0.1:8000/v1",
		"localhost:8000":                             "http://localhost:8000/v1",
		"http://localhost:8000/":                     "http://localhost:8000/v1",
		"http://0.0.0.0:8000/v1":                     "http://127.0.0.1:8000/v1",
		"http://h:1234/v1/":                          "http://h:1234/v1",
		"http://h:1234/v1/chat/completions":          "http://h:1234/v1",
		"http://h:1234/v1/models":                    "http://h:1234/v1",
		"http://h:11434/api/generate":                "http://h:11434/v1",
		"https://example.org/openai/v1":              "https://example.org/openai/v1",
		"https://example.org/api/paas/v4":            "https://example.org/api/paas/v4",
		"https://example.org/v1beta/openai/":         "https://example.org/v1beta/openai",
		"https://example.org/vllm/chat/completions/": "https://example.org/vllm/v1",
	} {
		if got, err := normalise(in); err != nil || got.String() != want {
			t.Errorf("%q: got %q and error %v, want %s", in, got, err, want)
		}
	}
}
