// Package userfile reads files that people write by hand, in YAML or JSON, into
// Go values: strictly, and with the line of whatever is wrong.
//
// A field that does not exist, one of another type, and everything that could
// keep a reader busy (references, deep nests, huge files) is a Fault with FILE:LINE
// and what is expected there. What the values mean is left to the caller, who has
// File.Fault for saying where one of them is wrong. Files that programs write for
// programs are not its business.
package userfile
