package parse

import "strings"

// Complete reports whether the text so far holds a whole call, so that nothing
// the model could still write would change it. It is asked after every piece of
// a reply with all of the text.
//
// It is true once a tagged call outside the thoughts has its closing tag, or is
// followed by another one or by so much that no argument of it can be among
// that. Reply then gives the same call, thoughts, repairs and error as for the
// finished reply; only Ignored may grow.
// A call without tags is never complete, for a tagged one may follow and would
// be the one that counts.
//
// One thing a text cannot show: that a tag closing thoughts will come behind the
// call, which would make the call a thought. That happens where the prompt has
// opened the thoughts; for such models use CompleteAfterThinking.
func Complete(text string) bool { return CompleteForm(text, Tagged) }

// CompleteForm is Complete for a reply of that form. An Object is complete when
// another one follows, or so much that no argument of it can be among that. A
// Text call is complete at the end of its line, for what follows its bracket
// there may show that the bracket closed too early; only one behind a label that
// begins a line ever is.
func CompleteForm(text string, form Form) bool {
	_, ok := completedForm(text, form)
	return ok
}

// CompleteAfterThinking is Complete for a model whose prompt opens the thoughts:
// nothing before the tag that closes them counts.
func CompleteAfterThinking(text string) bool {
	p, ok := completedForm(text, Tagged)
	return ok && p.answer > 0
}

func completedForm(text string, form Form) (page, bool) {
	switch form {
	case Text:
		return completedTextForm(text)
	case Object:
		if strings.LastIndexByte(text, '}') < 0 {
			return page{}, false
		}
	default:
		if !mayBeComplete(text) {
			return page{}, false
		}
	}
	return completed(text, form)
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
		case functionOpen:
			return strings.Contains(text, functionClose) || brace > at
		}
	}
	return false
}

// completed reports whether the block that decides is one whose end is certain.
func completed(text string, form Form) (page, bool) {
	p := scan(text)
	// An error does not matter here: a block that decides for one is as final as a call.
	c, _ := choose(p, form)
	if c.block.end == 0 || c.thought || !c.block.tagged() && form != Object || !c.block.readable() {
		return p, false
	}
	if c.block.state == ended && skipSpace(text, c.block.ending.end) == len(text) {
		return p, false
	}
	if !c.block.function && !c.block.ending.closed && mayStrayOn(text, c.block.end) {
		return p, false
	}
	return p, !c.block.ending.pending
}
