package userfile

import "strconv"

// Fault is what is wrong in a text that a user wrote.
type Fault struct {
	// File is the file's path; empty when the text came without one.
	File string
	// Line counts from 1; it is 0 when no single line is to blame.
	Line int
	// Text says what is wrong there and what is expected, in one line.
	Text string
}

// Error gives FILE:LINE: and the text, as far as they are known.
func (f *Fault) Error() string {
	switch {
	case f.File == "" && f.Line == 0:
		return f.Text
	case f.File == "":
		return "line " + strconv.Itoa(f.Line) + ": " + f.Text
	case f.Line == 0:
		return f.File + ": " + f.Text
	}
	return f.File + ":" + strconv.Itoa(f.Line) + ": " + f.Text
}
