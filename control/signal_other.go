//go:build !unix

package control

// Signals does nothing where there are no such signals.
func Signals(pause, resume func()) (stop func()) { return func() {} }
