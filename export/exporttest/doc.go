// Package exporttest writes runs as the loop would have written them, odd ones too,
// without a browser and a model: the requests in them are those that package prompt
// builds, so exports of them can be held to what was sent.
//
// It is for tests and for scripts that check exports.
package exporttest
