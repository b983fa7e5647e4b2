package main

import (
	"errors"
	"fmt"

	"fara/trajectory"
)

// The exit codes.
const (
	exitSuccess     = 0
	exitInternal    = 1
	exitUsage       = 2
	exitNoSuccess   = 3
	exitWaiting     = 4
	exitModel       = 5
	exitBrowser     = 6
	exitInterrupted = 130
)

const exitHelp = `Exit codes:
  0    success
  1    internal error
  2    wrong usage
  3    ended without success
  4    waiting for a person
  5    the model server is not usable
  6    the browser is not usable
  130  interrupted`

// exitError is an error with the exit code it ends the program with. Without an
// error in it everything was said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// exit ends the program with a code and nothing more to say.
func exit(code int) error {
	if code == exitSuccess {
		return nil
	}
	return &exitError{code: code}
}

// usage is what the caller did wrong.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// codeOf is the exit code of an error. What has none was found by the flag
// library before any command ran, and is wrong usage.
func codeOf(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return exitSuccess
	case errors.As(err, &e):
		return e.code
	}
	return exitUsage
}

// coded gives a command's error its exit code when it has none yet.
func coded(err error) error {
	var e *exitError
	if err == nil || errors.As(err, &e) {
		return err
	}
	if errors.Is(err, errInterrupted) {
		return &exitError{exitInterrupted, err}
	}
	return &exitError{exitInternal, err}
}

// codeOfStatus is the exit code of a run's ending.
func codeOfStatus(r trajectory.Result) int {
	switch r.Status {
	case trajectory.Success:
		return exitSuccess
	case trajectory.WaitingForUser, trajectory.NeedsApproval:
		return exitWaiting
	case trajectory.ModelUnavailable:
		return exitModel
	case trajectory.BrowserLost:
		return exitBrowser
	case trajectory.Cancelled:
		if r.Reason == "interrupted" {
			return exitInterrupted
		}
		return exitNoSuccess
	case trajectory.Error:
		return exitInternal
	}
	return exitNoSuccess
}
