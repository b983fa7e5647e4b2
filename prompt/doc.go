// Package prompt turns a run's events and a dialect into the exact request, and
// does nothing else.
//
// It is one pure function, used by the loop, by export and by fara prompt, so
// that a request computed later is byte for byte what the model saw. It asks no
// model and looks at no page.
package prompt
