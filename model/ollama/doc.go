// Package ollama asks a model through Ollama's own API, with Ollama's client.
//
// That API rather than the OpenAI-compatible one of the same server, since only
// here can the context size be set and a prompt that is too long be refused
// instead of silently cut. Other servers are model/openai's; repeating a failed
// call is model/retry's.
package ollama
