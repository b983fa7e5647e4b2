// Package envtest is for testing what uses an environment and what is one: Env
// is a fake with memory, Site serves pages on this machine, and Conform is the
// suite that every environment passes.
package envtest
