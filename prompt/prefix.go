package prompt

import (
	"bytes"
	"unicode/utf8"
)

// Fresh is what a server that remembers the request before has to read anew, in
// tokens as they are estimated: everything behind the longest beginning that the
// two share. The zero Prompt shares nothing. An image stands before its text.
func (p Prompt) Fresh(before Prompt) int {
	fresh := p.Tokens
	if !bytes.Equal(before.Request.Tools, p.Request.Tools) {
		return fresh
	}
	var shared text
	for i, m := range p.messages {
		if i >= len(before.messages) {
			break
		}
		was := before.messages[i]
		if m.role != was.role || m.fileOf() != was.fileOf() {
			break
		}
		if m.frame != nil {
			fresh -= p.story.counts.picture(m.frame.Tokens)
		}
		if m.text != was.text || !sameCall(m, was) {
			shared.chars += commonChars(m.text, was.text)
			break
		}
		shared.chars += m.size()
		shared.messages++
	}
	return max(0, fresh-p.story.counts.text(shared))
}

// fileOf is the frame's file; empty without a frame.
func (m message) fileOf() string {
	if m.frame == nil {
		return ""
	}
	return m.frame.Frame
}

func sameCall(a, b message) bool {
	if a.call == nil || b.call == nil {
		return a.call == b.call && a.callID == b.callID
	}
	return *a.call == *b.call && a.callID == b.callID
}

// commonChars is how many characters two texts share at their beginnings.
func commonChars(a, b string) int {
	n := 0
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if utf8.RuneStart(a[i]) {
			n++
		}
	}
	return n
}
