package model

import (
	"errors"
	"fmt"
	"time"
)

// What callers ask of a model's error.
var (
	// ErrUnreachable: no connection, or the server did not answer in time.
	ErrUnreachable = errors.New("the model server cannot be reached")
	// ErrNotFound: the server has no such model, or no such API.
	ErrNotFound = errors.New("the model server does not know this model")
	// ErrUnauthorized: the key is missing or wrong.
	ErrUnauthorized = errors.New("the model server refused the API key")
	// ErrContext: the prompt is longer than the model's context.
	ErrContext = errors.New("the prompt does not fit into the model's context")
	// ErrTooManyImages: the server takes fewer images in one request.
	ErrTooManyImages = errors.New("the server takes fewer images in one request")
	// ErrPicture: the server cannot read one of the pictures, or fails on them each time.
	ErrPicture = errors.New("the model server fails on this picture")
	// ErrSchema: the server cannot hold a reply to the request's schema.
	ErrSchema = errors.New("the model server cannot hold replies to this schema")
	// ErrTools: the server takes no tools, or cannot read the calls the model makes.
	ErrTools = errors.New("the model server cannot do native tool calls with this model")
	// ErrBadRequest: the server refused the request for another reason.
	ErrBadRequest = errors.New("the model server refused the request")
	// ErrBusy: the server's queue is full or its rate limit is reached.
	ErrBusy = errors.New("the model server is busy")
	// ErrServer: the server failed on its own.
	ErrServer = errors.New("the model server failed")
	// ErrIncomplete: the reply broke off before it was finished.
	ErrIncomplete = errors.New("the reply broke off")
)

// Error is a server's refusal or failure with what it said. It wraps one of the
// sentinels above, so errors.Is tells which kind it is.
type Error struct {
	// Kind is one of this package's sentinels.
	Kind error
	// Status is the HTTP status; 0 when there was no answer.
	Status int
	// Message is the server's own text, or the transport's.
	Message string
	// RetryAfter is how long the server asked to be left alone; 0 when it did not.
	RetryAfter time.Duration
	// MaxImages is the limit a refusal named with ErrTooManyImages; 0 when unknown.
	MaxImages int
	// Context is the size in tokens that a refusal named with ErrContext; 0 when
	// unknown. Prompt is what the request took by the server's count; 0 when unknown.
	Context, Prompt int
	// Final: although failures of this kind pass, this one is not worth repeating,
	// such as a load that took longer than it may.
	Final bool
	// Failures is how often the same request failed in this way; 0 means once.
	Failures int
	// Hint says what the user can do about it; may be empty.
	Hint string
}

// Error gives kind, status, the server's words and the hint.
func (e *Error) Error() string {
	s := e.Kind.Error()
	if e.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Unwrap gives the kind.
func (e *Error) Unwrap() error { return e.Kind }

// Temporary reports whether the same request may succeed later. A request that
// is refused for what it is never will.
func Temporary(err error) bool {
	var e *Error
	if errors.As(err, &e) && e.Final {
		return false
	}
	for _, kind := range []error{ErrUnreachable, ErrBusy, ErrServer, ErrIncomplete} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
