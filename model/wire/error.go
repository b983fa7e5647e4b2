package wire

import (
	"errors"
	"net/http"
	"syscall"

	"fara/model"
)

// Kind gives the sentinel of package model that an HTTP status means by itself.
func Kind(status int) error {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return model.ErrUnauthorized
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return model.ErrNotFound
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable, status == http.StatusTooEarly, status == 529:
		return model.ErrBusy
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return model.ErrUnreachable
	case status >= http.StatusInternalServerError:
		return model.ErrServer
	}
	return model.ErrBadRequest
}

// Unreachable wraps a transport's error. The hint is added only when nothing
// listens at the address.
func Unreachable(err error, hint string) *model.Error {
	e := &model.Error{Kind: model.ErrUnreachable, Message: err.Error()}
	if errors.Is(err, syscall.ECONNREFUSED) {
		e.Hint = hint
	}
	return e
}
