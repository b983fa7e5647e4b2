package policy

import "slices"

// Class is a kind of effect that an action has in the world.
type Class string

// The classes. All but Download are risky.
const (
	Submit      Class = "submit"      // sends a form with free text or personal data
	Buy         Class = "buy"         // orders or books something
	Pay         Class = "pay"         // pays or moves money
	Send        Class = "send"        // gives a message to other people
	Delete      Class = "delete"      // takes away what may not come back
	Sign        Class = "sign"        // signs or accepts a contract
	Upload      Class = "upload"      // gives a page a file
	Download    Class = "download"    // takes a file
	Credentials Class = "credentials" // types or sends a password, a card's number, a one-time code
)

// Classes lists all of them.
func Classes() []Class {
	return []Class{Submit, Buy, Pay, Send, Delete, Sign, Upload, Download, Credentials}
}

// Risky reports whether a person is asked before an action of this class when no
// rule decides.
func (c Class) Risky() bool { return c != Download }

// set holds classes; it gives them in the order of Classes.
type set map[Class]bool

func (s set) add(classes ...Class) {
	for _, c := range classes {
		s[c] = true
	}
}

func (s set) list() []Class {
	return slices.DeleteFunc(Classes(), func(c Class) bool { return !s[c] })
}
