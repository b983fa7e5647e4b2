package parse

import "strings"

// choice is the block that a text's call stands in.
type choice struct {
	block    block
	proposal proposal
	// thought says that it stands among the thoughts.
	thought bool
	// ignored counts the calls behind it; skipped, the objects before it that
	// name no action.
	ignored int
	skipped int
}

// choose finds the block that decides what the reply says: the first tagged one
// that is a call or was meant to be one, or else the first untagged one. Blocks
// among the thoughts count only when nothing follows the thoughts.
func choose(p page, form Form) (choice, *Error) {
	var answer, thought []block
	for _, b := range p.blocks {
		if p.inThoughts(b.start) {
			thought = append(thought, b)
		} else {
			answer = append(answer, b)
		}
	}
	c, err := first(answer, form)
	if err == nil || err.Reason != NoCall || !p.endsInThoughts() {
		return c, err
	}
	return fromThoughts(thought, form)
}

// fromThoughts chooses among the blocks of thoughts that nothing follows.
func fromThoughts(blocks []block, form Form) (choice, *Error) {
	c, err := first(blocks, form)
	if err != nil {
		return c, err
	}
	c.thought = true
	for _, b := range blocks {
		if !b.readable() || b.end <= c.block.end || form != Object && b.tagged() != c.block.tagged() {
			continue
		}
		if other, err := propose(b.root); err == nil && !c.proposal.equal(other) {
			return c, refuse(Ambiguous,
				"The thoughts hold several different calls and no call follows them; after thinking, send the one call to run.")
		}
	}
	c.ignored = 0
	return c, nil
}

// endsInThoughts reports whether nothing follows the thoughts. In thoughts that
// are never closed nothing may follow the last call.
func (p page) endsInThoughts() bool {
	if !p.open {
		return p.answer > 0 && strings.TrimSpace(p.text[p.answer:]) == ""
	}
	if len(p.blocks) == 0 {
		return false
	}
	last := p.blocks[len(p.blocks)-1]
	return !last.readable() || strings.TrimSpace(p.text[last.ending.end:]) == ""
}

// first chooses the deciding block. In the Object form tags make no difference.
func first(blocks []block, form Form) (choice, *Error) {
	var found choice
	objects := 0
	for _, tagged := range []bool{true, false} {
		skipped := 0
		for i, b := range blocks {
			if b.tagged() != tagged && form != Object {
				continue
			}
			if !b.readable() {
				found.block = b
				return found, nil
			}
			proposed, err := propose(b.root)
			if err != nil && err.Reason == NoAction {
				skipped++
				continue
			}
			found = choice{block: b, proposal: proposed, skipped: skipped, ignored: calls(blocks[i+1:])}
			return found, err
		}
		objects += skipped
		if form == Object {
			break
		}
	}
	if objects > 0 {
		return found, refuse(NoAction, "The JSON object names no action; send the call again with \"action\" and its arguments.")
	}
	return found, refuse(NoCall, "The reply holds no call; send exactly one call in the format of your instructions.")
}

// calls counts the blocks that could have been run.
func calls(blocks []block) int {
	n := 0
	for _, b := range blocks {
		if !b.readable() {
			continue
		}
		if _, err := propose(b.root); err == nil {
			n++
		}
	}
	return n
}
