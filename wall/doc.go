// Package wall is the one way out for a browser: a proxy on this machine that
// all its connections pass, and that asks before each of them.
//
// It looks up names itself and connects to no other address than the one it has
// asked about, so that a name cannot lead elsewhere meanwhile. It reads and
// changes nothing of what passes. What is allowed is for the functions of Config
// to say, and pages are for the browser: which of them may be opened is decided
// there, before anything gets here.
package wall
