package wire

import (
	"net/http"
	"net/url"

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

// Unreachable wraps a transport's error from a server at u, with Advice; the hint
// is how such a server is started.
func Unreachable(u *url.URL, err error, hint string) *model.Error {
	return &model.Error{Kind: model.ErrUnreachable, Message: err.Error(), Hint: Advice(u, err, hint)}
}

// WebPage is the error for a web page where a reply was to be: another kind of
// server, which the hint tells about, or, after replies, a proxy that stands
// before one for the time being.
func (x *Exchange) WebPage(p *Patience, hint string) *model.Error {
	e := &model.Error{Kind: model.ErrNotFound, Status: x.Status, Message: "the answer is a web page", Hint: hint}
	if p.Warm() {
		e.Kind = model.ErrServer
	}
	return e
}
