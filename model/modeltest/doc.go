// Package modeltest holds models for tests and the demo: Script answers from a
// list inside the process, Server is a real HTTP server that puts any
// model.Chatter behind Ollama's API and behind an OpenAI-compatible one, and the
// wrappers around them bring in the limits and failures of real servers.
//
// It says nothing about answer quality: no weights are involved. The model that
// really looks at its pictures is modeltest/pixel.
package modeltest
