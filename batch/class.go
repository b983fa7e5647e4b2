package batch

import (
	"regexp"
	"slices"

	"fara/env"
	"fara/trajectory"
)

// Class says who or what is answerable for an ending. It decides what happens next.
type Class string

// The classes.
const (
	// Done: the model did what it could, whatever came of it. Never done again.
	Done Class = "done"
	// Person: it waits for somebody. Never done again here; fara resume goes on with it.
	Person Class = "person"
	// Address: the page to begin with does not exist. Never done again.
	Address Class = "address"
	// Refused: the page to begin with is no address, or not allowed. Never done again.
	Refused Class = "refused"
	// Request: the server refuses what it is asked for what it is. Never done again.
	Request Class = "request"
	// Site: the page to begin with could not be opened, and may be later.
	Site Class = "site"
	// Model: no server could answer.
	Model Class = "model"
	// Browser: the browser could not be started, or died.
	Browser Class = "browser"
	// Internal: a fault of this program, or of the machine.
	Internal Class = "internal"
	// Poisoned: the program ended each time the run was under way, and the run got no
	// further, or its worker was lost after it had done something in the world. Never
	// done again.
	Poisoned Class = "poisoned"
	// Stopped: it was interrupted, and goes on when the batch does. No ending.
	Stopped Class = "stopped"
)

// Classes are the classes that an ending in a batch can have.
var Classes = []Class{Done, Person, Address, Refused, Request, Site, Model, Browser, Internal, Poisoned}

// passing are the browser's names for failures that may be over in a moment.
var passing = []string{
	"CONNECTION_REFUSED", "CONNECTION_RESET", "CONNECTION_CLOSED", "CONNECTION_TIMED_OUT", "CONNECTION_ABORTED", "CONNECTION_FAILED",
	"TIMED_OUT", "ADDRESS_UNREACHABLE", "INTERNET_DISCONNECTED", "NETWORK_CHANGED", "EMPTY_RESPONSE", "NAME_RESOLUTION_FAILED",
	"CONTENT_LENGTH_MISMATCH", "INCOMPLETE_CHUNKED_ENCODING", "RESPONSE_HEADERS_TRUNCATED", "HTTP2_PROTOCOL_ERROR",
	"HTTP_RESPONSE_CODE_FAILURE", "PROXY_CONNECTION_FAILED", "SOCKS_CONNECTION_FAILED", "TUNNEL_CONNECTION_FAILED",
}

var netError = regexp.MustCompile(`net::ERR_([A-Z0-9_]+)`)

// ClassOf gives the class of a run's ending. start is the code of what failed when
// its first page was opened; empty when nothing did.
func ClassOf(r trajectory.Result, start env.Code) Class {
	switch r.Status {
	case trajectory.WaitingForUser, trajectory.NeedsApproval:
		return Person
	case trajectory.ModelUnavailable:
		if slices.Contains([]string{"bad_request", "picture", "schema", "tools", "no_images"}, r.Reason) {
			return Request
		}
		return Model
	case trajectory.BrowserLost:
		return Browser
	case trajectory.Error:
		return classOfError(r.Reason)
	case trajectory.Cancelled:
		if r.Reason == "interrupted" {
			return Stopped
		}
	case trajectory.Failure:
		if r.Reason == "start_url" {
			return classOfStart(r.Message, start)
		}
	}
	return Done
}

// classOfStart tells a page that does not exist from one that cannot be reached now.
func classOfStart(message string, code env.Code) Class {
	switch m := netError.FindStringSubmatch(message); {
	case code == env.Busy, code == env.TimedOut, code == env.PageFailed, m != nil && slices.Contains(passing, m[1]):
		return Site
	case m != nil:
		return Address
	}
	return Refused
}

// startCode is why a run's first page could not be opened; empty when it could.
func startCode(events []trajectory.Event) env.Code {
	for _, e := range events {
		if e.Proposed != nil {
			return ""
		}
		if e.Acted != nil && e.Acted.Error != nil {
			return env.Code(e.Acted.Error.Reason)
		}
	}
	return ""
}

// Reasons of endings that a batch itself gives, with the status error.
const (
	reasonSite     = "site_down"
	reasonPoisoned = "poisoned"
	// reasonUncertain: something was done, and who did it is gone.
	reasonUncertain = "uncertain"
	// ReasonSettings: the task's own settings cannot be used.
	ReasonSettings = "settings"
)

func classOfError(reason string) Class {
	switch reason {
	case reasonSite:
		return Site
	case reasonPoisoned, reasonUncertain:
		return Poisoned
	case ReasonSettings:
		return Request
	}
	return Internal
}

// again reports whether a run that ended so is tried again.
func (c Class) again() bool {
	return c == Site || c == Model || c == Browser || c == Internal
}

// goesOn reports whether the next attempt goes on with the same run: there was
// nothing wrong with what was done so far.
func (c Class) goesOn() bool {
	return c == Model || c == Browser || c == Internal || c == Stopped
}
