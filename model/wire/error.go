package wire

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
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

// Unreachable wraps a transport's error from a server at u. The hint is added when
// nothing listens at the address and nothing better can be advised.
func Unreachable(u *url.URL, err error, hint string) *model.Error {
	e := &model.Error{Kind: model.ErrUnreachable, Message: err.Error(), Hint: Advice(u, err)}
	if errors.Is(err, syscall.ECONNREFUSED) {
		e.Hint = cmp.Or(e.Hint, hint)
	}
	return e
}
