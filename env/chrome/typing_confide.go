package chrome

import (
	"strings"

	"fara/env"
)

// confide makes sure that what an action types goes into the document that it is
// for, and has the field kept out of pictures from then on. confided is called when
// all is typed.
func (b *instance) confide(p *page, f field, a env.Action) (confided func(), err error) {
	if a.Document == "" {
		return func() {}, nil
	}
	var address string
	if err := f.ask("address()", &address); err != nil || f.Kind == "frame" || !sameDocument(address, a.Document) {
		return nil, notThere()
	}
	if err := f.ask("secretly(true)", &address); err != nil || !sameDocument(address, a.Document) {
		return nil, notThere()
	}
	b.update(func() { p.trusted = true })
	return func() { _ = f.ask("secretly(false)", nil) }, nil
}

func notThere() *env.ActionError {
	return env.Fail(env.Moved, "not done, because the field that has the focus now belongs to another document; look at the new picture")
}

// sameDocument compares addresses without their fragments.
func sameDocument(a, b string) bool {
	bare := func(address string) string {
		address, _, _ = strings.Cut(env.WithoutUser(address), "#")
		return address
	}
	return bare(a) == bare(b)
}
