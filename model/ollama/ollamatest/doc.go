// Package ollamatest runs a real Ollama server with two tiny models for tests.
//
// The models' weights are random: what they say means nothing, but images,
// tokens, schemas, limits and errors are the real server's. scripts/ollama/build
// makes the server and the models.
package ollamatest

// Names of the models that Start creates.
const (
	// Vision sees images, in Qwen3-VL's prompt format. A text has about one token a
	// byte; an image has one token for each 32×32 pixels, at least 64, and two more.
	Vision = "tiny-vl"
	// Text has no vision.
	Text = "tiny-text"
)
