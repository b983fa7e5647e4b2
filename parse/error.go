package parse

import (
	"fmt"
	"strings"
	"unicode"
)

// Reason is a stable name for why a reply holds no call that can be run.
type Reason string

// Why a reply is refused.
const (
	// Empty: there is no text at all.
	Empty Reason = "empty"
	// NoCall: there is text and no call in it.
	NoCall Reason = "no_call"
	// Truncated: the call, or the reply before any call, was cut off.
	Truncated Reason = "truncated"
	// Syntax: the call cannot be read.
	Syntax Reason = "syntax"
	// NoAction: there is an object and it names no action.
	NoAction Reason = "no_action"
	// UnknownAction: the action is none that the schema allows.
	UnknownAction Reason = "unknown_action"
	// MissingArgument: an argument that the action needs was not given.
	MissingArgument Reason = "missing_argument"
	// BadArgument: an argument is of the wrong type or form.
	BadArgument Reason = "bad_argument"
	// Ambiguous: the reply can be read in more than one way.
	Ambiguous Reason = "ambiguous"
)

// Error says why a reply was refused.
type Error struct {
	Reason Reason
	// Text is one line addressed to the model: what was wrong and what to send
	// instead. What it quotes from the reply is shortened and escaped.
	Text string
}

// Error gives the text.
func (e *Error) Error() string { return e.Text }

func refuse(reason Reason, format string, args ...any) *Error {
	return &Error{Reason: reason, Text: fmt.Sprintf(format, args...)}
}

// quoteLimit is how many characters of a reply an error repeats.
const quoteLimit = 40

// quote repeats a piece of the reply on one line, shortened.
func quote(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), 4*quoteLimit)], "")
	runes := []rune(s)
	short := string(runes[:min(len(runes), quoteLimit)])
	if len(runes) > quoteLimit {
		short += "…"
	}
	clean := strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return ' '
	}, short)
	return `"` + clean + `"`
}
