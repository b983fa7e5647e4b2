package parse

import (
	"strings"

	"fara/env"
	"fara/model"
)

// Schema says what a reply may call and how the reply ended. The zero value
// allows every action and trusts no end.
type Schema struct {
	// Form is how the model writes its calls; empty means Tagged.
	Form Form
	// Actions are the actions that may be called; empty means all of env.Kinds.
	Actions []env.Kind
	// Finish says why the reply ended; empty means unknown. It matters only to a
	// call whose closing brackets are missing. They are added
	//   - when the closing tag follows: the model had finished the call;
	//   - when Finish is model.FinishStop: the model had finished the reply;
	//   - otherwise only when nothing could have followed that matters: the
	//     arguments object is closed, or it names the action by its proper name
	//     and gives every argument the action takes, whole and by its proper name.
	// They are never added within a number, a text or a word, nor behind a comma
	// or a colon. So left_click at [100,200] needs no brackets, while a type that
	// was cut behind its text is refused: press_enter might have followed.
	//
	// With model.FinishLength a call among thoughts, or one without tags that
	// stands behind other text, is refused: the real one was still to come.
	Finish model.Finish
}

// Result is what a reply says.
type Result struct {
	// Thoughts is the text before the call, trimmed, without the tags around it.
	Thoughts string
	// Call has canonical names and model-space numbers. Arguments that its action
	// does not take are left out.
	Call model.Call
	// Repairs are what was put right, each once; empty for a well-formed reply.
	Repairs []Repair
	// Ignored counts the further calls in the reply, which are not to be run.
	Ignored int
}

// Reply reads a reply in the schema's form. A call between tags is read in every
// form, a bare object too where there is no other call. Its
// error, always an *Error, says why there is no call to run; Result then holds
// the thoughts alone.
func Reply(text string, schema Schema) (Result, error) {
	result, err := reply(text, schema)
	if err != nil {
		return result, err
	}
	return result, nil
}

// Parts reads a reply whose server filed the thinking apart from the text. The
// text comes first. A call in the thinking counts only when the text holds none
// and the thinking no second, different one. The error is as of Reply.
func Parts(text, thinking string, schema Schema) (Result, error) {
	if blank(thinking) {
		return Reply(text, schema)
	}
	result, err := reply(text, schema)
	result.Thoughts = join(strings.TrimSpace(thinking), result.Thoughts)
	if err == nil {
		return result, nil
	}
	if err.Reason != Empty && err.Reason != NoCall {
		return result, err
	}
	inner, innerErr := fromThinking(thinking, schema)
	inner.Thoughts = join(inner.Thoughts, strings.TrimSpace(text))
	if innerErr == nil {
		return inner, nil
	}
	if err.Reason == Empty {
		return result, innerErr
	}
	return result, err
}

func reply(text string, schema Schema) (Result, *Error) {
	if blank(text) {
		return Result{}, refuse(Empty, "The reply was empty; send exactly one call in the format of your instructions.")
	}
	text = strings.TrimPrefix(text, "\ufeff")
	if schema.Form == Text {
		if result, err := textForm(text, schema); err == nil || err.Reason != NoCall {
			return result, err
		}
	}
	p := scan(text)
	c, err := choose(p, schema.Form)
	return finish(p, c, err, schema)
}

// fromThinking reads a text that is all thoughts, unless it says otherwise.
func fromThinking(text string, schema Schema) (Result, *Error) {
	if schema.Form == Text {
		if result, err := textFormInThinking(text, schema); err == nil || err.Reason != NoCall {
			return result, err
		}
	}
	p := scan(text)
	c, err := choose(p, schema.Form)
	if len(p.marks) == 0 {
		c, err = fromThoughts(p.blocks, schema.Form)
	}
	return finish(p, c, err, schema)
}

// finish makes a result of the choice that was made for a text.
func finish(p page, c choice, err *Error, schema Schema) (Result, *Error) {
	isCut := schema.Finish == model.FinishLength
	early := refuse(Truncated, "The reply was cut off before its call; think less and send the call.")
	if c.block.end == 0 {
		if isCut && err.Reason == NoCall {
			err = early
		}
		return Result{Thoughts: p.thoughts(len(p.text))}, err
	}
	before, fenced := trimFence(p.text[:c.block.start])
	result := Result{Thoughts: p.thoughts(len(before))}
	if err != nil {
		return result, err
	}
	if isCut && (c.thought || !c.block.tagged() && schema.Form != Object && result.Thoughts != "") {
		return result, early
	}
	c.block.fenced = c.block.fenced || fenced
	call, made, err := c.call(schema)
	if err != nil {
		return result, err
	}
	result.Thoughts = join(result.Thoughts, c.proposal.thoughts)
	result.Call, result.Repairs, result.Ignored = call, made, c.ignored
	return result, nil
}

// blank reports whether a text has nothing but spaces, NULs and byte order marks.
func blank(text string) bool {
	return strings.Trim(text, " \t\r\n\x00\ufeff") == ""
}

// join puts texts under each other, leaving out empty ones.
func join(above, below string) string {
	return strings.Trim(above+"\n"+below, "\n")
}
