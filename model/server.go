package model

import "strings"

// Kind is a program that serves models.
type Kind string

// The servers that are told apart.
const (
	Ollama   Kind = "Ollama"
	VLLM     Kind = "vLLM"
	LlamaCpp Kind = "llama.cpp"
	LMStudio Kind = "LM Studio"
	SGLang   Kind = "SGLang"
	// Compatible is any other that speaks as OpenAI's does.
	Compatible Kind = "an OpenAI-compatible server"
)

// Server is what a model server says of itself and of the model it was asked for.
// Zero and nil mean that it did not say.
type Server struct {
	Kind Kind
	// Version is as the server writes it, such as "0.17.4" or "b6432-1a2b3c".
	Version string
	// Models are the names it answers to, sorted; nil only when it did not say.
	Models []string
	// Vision is whether the model takes images.
	Vision *bool
	// Limits bound one request: its prompt and its reply together. The smallest
	// counts; see Context.
	Limits []Limit
	// Loaded is the context in tokens that the model is loaded with now; 0 also when
	// it is not loaded. Ollama loads it anew when a request asks for another.
	Loaded int
	// Slots is how many requests are worked on at the same time. The limits are
	// those of one slot.
	Slots int
	// Images is the most images in one request.
	Images int
}

// Limit is a bound in tokens, with where it was read.
type Limit struct {
	Tokens int
	// Source is short enough for a line, such as "max_model_len" or "the model's training".
	Source string
}

// Context gives the smallest limit; zero when none is known.
func (s Server) Context() Limit {
	var least Limit
	for _, l := range s.Limits {
		if l.Tokens > 0 && (least.Tokens == 0 || l.Tokens < least.Tokens) {
			least = l
		}
	}
	return least
}

// Name gives kind and version in one text, such as "vLLM 0.11.0".
func (s Server) Name() string {
	return strings.TrimSpace(string(s.Kind) + " " + s.Version)
}
