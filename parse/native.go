package parse

import (
	"strings"

	"fara/model"
)

// Native reads the tool calls that a server filed apart. The first that names an
// action is the call; text and thinking are its thoughts. Without calls the reply
// is one that came as text all the same, and is read as Parts reads it.
//
// A call's name is the function's or the action's. Its arguments are an object,
// as text or as text within text, in JSON or in Python's notation, or a whole
// call of their own. The error is as of Reply.
func Native(calls []model.ToolCall, text, thinking string, schema Schema) (Result, error) {
	if len(calls) == 0 {
		return Parts(text, thinking, schema)
	}
	result := Result{Thoughts: join(strings.TrimSpace(thinking), beside(text, schema))}
	chosen, err := firstNative(calls)
	if err != nil {
		return result, err
	}
	call, made, err := chosen.call(schema)
	if err != nil {
		return result, err
	}
	result.Thoughts = join(result.Thoughts, chosen.proposal.thoughts)
	result.Call, result.Repairs, result.Ignored = call, made, chosen.ignored
	return result, nil
}

// beside gives the text beside native calls as thoughts. A server may have left
// the call's own text in it; that is no thought.
func beside(text string, schema Schema) string {
	result, err := reply(text, schema)
	if err != nil {
		return strings.TrimSpace(text)
	}
	return result.Thoughts
}

// firstNative chooses the first of the server's calls that names an action.
func firstNative(calls []model.ToolCall) (choice, *Error) {
	var first *Error
	for i, given := range calls {
		c := choice{block: nativeBlock(given), skipped: i, ignored: len(calls) - i - 1}
		if !c.block.readable() {
			return c, nil
		}
		var err *Error
		c.proposal, err = propose(c.block.root)
		if err == nil || err.Reason != NoAction {
			return c, err
		}
		if first == nil {
			first = err
		}
	}
	return choice{}, first
}

// nativeBlock gives a server's call as the object that it stands for.
func nativeBlock(given model.ToolCall) block {
	root := node{kind: objectNode, raw: given.Arguments, closed: true}
	root.add("name", node{kind: textNode, raw: given.Name, text: given.Name})
	r := nativeArguments(given.Arguments)
	if r.root.given() {
		root.add(argumentsNames[0], r.root)
	}
	r.root = root
	return block{reading: r, native: true}
}

// nativeArguments reads the text of a call's arguments. Objects without keys
// before the arguments are passed over.
func nativeArguments(src string) reading {
	var r reading
	var made repairs
	for at := skipSpace(src, 0); at < len(src); at = skipSpace(src, r.end) {
		r = readValue(src, at)
		if r.state != whole || r.root.kind != objectNode || len(r.root.names) > 0 {
			break
		}
		made.add(SkippedObject)
	}
	r.repairs = append(made, r.repairs...)
	if r.state == whole && goesOn(src, r.end) {
		r.state, r.problem = broken, goesOnProblem
	}
	return r
}
