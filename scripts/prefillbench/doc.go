// Package prefillbench measures what a server has to read anew in each step of a
// run, with both ways to let go of old frames: in tokens, counted from the
// recorded requests, and in a real Ollama server's own time.
//
// It has tests only: scripts/bench prefill runs the long one.
package prefillbench
