// Package wire is what the model clients share: how long a call may take, what a
// server said beside its reply, and which of package model's errors a broken
// connection, a status or a refusal's words are.
//
// Servers stand behind each other's APIs, so their words are known here, once.
// The shape of requests and replies is each client's own.
package wire
