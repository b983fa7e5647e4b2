package env

import (
	"errors"
	"fmt"
	"time"
)

// ErrLost means that the environment is gone for good: nothing more can be
// observed or performed.
var ErrLost = errors.New("the browser is gone")

// Code is a stable name for why an action failed.
type Code string

// Why actions fail.
const (
	BadArgument Code = "bad_argument" // the action lacks something or has it wrong
	UnknownKey  Code = "unknown_key"
	Navigation  Code = "navigation" // the address could not be opened
	Busy        Code = "busy"       // the site gets too many requests and showed nothing
	NoEffect    Code = "no_effect"  // it was done and nothing could come of it
	TimedOut    Code = "timeout"
	PageFailed  Code = "page" // the page or its process did not take it
	Refused     Code = "refused"
	Moved       Code = "moved" // another thing is at the point now than in the last picture
)

// ActionError is a failed action: the model is told and the run goes on.
type ActionError struct {
	Code Code
	// Text says in one line what failed and what else could be tried.
	Text string
	// Wait is how long the site asks to be left alone, with Busy; 0 when it does not
	// say.
	Wait time.Duration
	// Err is the cause, nil when there is none worth keeping.
	Err error
}

// Error gives the text, which is meant for the model and for people alike.
func (e *ActionError) Error() string { return e.Text }

// Unwrap gives the cause.
func (e *ActionError) Unwrap() error { return e.Err }

// Fail builds an ActionError from a format.
func Fail(code Code, format string, args ...any) *ActionError {
	e := &ActionError{Code: code}
	wrapped := fmt.Errorf(format, args...)
	e.Text, e.Err = wrapped.Error(), errors.Unwrap(wrapped)
	return e
}
