// Package wire is the HTTP that the model clients share: what a server said
// beside its reply, how long it may take, and which of package model's errors
// a status or a broken connection is.
//
// It knows no API; what a server's words mean is its client's business.
package wire
