package policy

import "fara/env"

// Question decides about a question that a page itself asks, whether something shall
// be done: Allow when it may be answered with yes. Its words alone tell what it is
// about; those of frequent questions that change nothing are none. page is the
// address of the page that asks.
func (p Policy) Question(text, page string) Decision {
	did := effect{classes: wordClasses(&env.Element{Name: text}, false), hit: page}
	if len(did.classes) == 0 {
		return Decision{Do: Allow, Code: CodeDefault}
	}
	d := p.weigh(env.Action{Kind: env.LeftClick}, did, page)
	if d.Do != Allow {
		d.Text = "what the page asks for" + counts(d)
	}
	return d
}
