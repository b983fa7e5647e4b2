package parse

import "strings"

// Complete reports whether the text so far holds a whole call, so that nothing
// the model could still write would change it. It is asked after every piece of
// a reply with all of the text.
//
// It is true once a tagged call outside the thoughts has its closing tag, or is
// followed by anything that does not begin one. Reply then gives the same call,
// thoughts, repairs and error as for the finished reply; only Ignored may grow.
// A call without tags is never complete, for a tagged one may follow and would
// be the one that counts.
//
// One thing a text cannot show: whether the prompt has opened the thoughts, so
// that a closing tag is still to come. For such models use
// CompleteAfterThinking.
func Complete(text string) bool {
	if !mayBeComplete(text) {
		return false
	}
	_, ok := completed(text)
	return ok
}

// CompleteAfterThinking is Complete for a model whose prompt opens the thoughts:
// nothing before the tag that closes them counts.
func CompleteAfterThinking(text string) bool {
	if !mayBeComplete(text) {
		return false
	}
	p, ok := completed(text)
	return ok && p.answer > 0
}

// mayBeComplete tells most unfinished texts without reading them: the last
// closing brace must stand behind a call's opening tag, or before its closing one.
func mayBeComplete(text string) bool {
	brace := strings.LastIndexByte(text, '}')
	for at := 0; at < len(text); at++ {
		i := strings.IndexByte(text[at:], '<')
		if i < 0 {
			return false
		}
		at += i
		switch found, _, _ := tagAt(text, at); found {
		case callOpen:
			if brace > at {
				return true
			}
		case callClose:
			return true
		}
	}
	return false
}

func completed(text string) (page, bool) {
	p := scan(text)
	c, err := choose(p)
	if err != nil && err.Reason == NoCall || c.thought || !c.block.tagged() || !c.block.readable() {
		return p, false
	}
	return p, c.block.ending.closed || !c.block.ending.pending
}
