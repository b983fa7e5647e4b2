package parse

import (
	"slices"
	"strings"

	"fara/env"
	"fara/model"
)

// call holds the choice against the schema.
func (c *choice) call(schema Schema) (model.Call, repairs, *Error) {
	b := c.block
	switch b.state {
	case broken:
		return model.Call{}, nil, refuse(Syntax, "The call is not valid JSON: %s; send it again as valid JSON.", b.problem)
	case torn:
		return model.Call{}, nil, cutOff()
	case cut:
		p, err := propose(b.root)
		if err != nil {
			return model.Call{}, nil, cutOff()
		}
		c.proposal = p
	}
	kind, err := schema.allowed(c.proposal.action)
	if err != nil {
		return model.Call{}, nil, err
	}
	if b.state == cut && schema.Finish != model.FinishStop && !c.proposal.settled(kind) {
		return model.Call{}, nil, cutOff()
	}
	made := c.repairs(schema.Form)
	if c.proposal.action != string(kind) {
		made.add(Alias)
	}
	call, err := build(kind, c.proposal.args, &made)
	return call, made, err
}

func cutOff() *Error {
	return refuse(Truncated, "The call was cut off before its end; send the whole call again, with fewer words before it.")
}

// settled reports whether nothing that could follow an unfinished object would
// change the call.
func (p proposal) settled(kind env.Kind) bool {
	if p.beside || p.action != string(kind) {
		return false
	}
	if p.args.closed {
		return true
	}
	for _, f := range signatures[kind].fields {
		if n := p.args.get(f.name); !n.given() || !n.complete() {
			return false
		}
	}
	return true
}

// repairs lists what was put right around the arguments, from outside to inside.
func (c choice) repairs(form Form) repairs {
	var made repairs
	b := c.block
	switch {
	case b.native || form == Object && !c.thought && !b.tagged():
	case c.thought:
		made.add(CallFromThoughts)
	case form == Object || form == Text:
		made.add(OtherForm)
	case !b.tagged():
		made.add(NoTags)
	case !b.opened || !b.ending.closed:
		made.add(MissingTag)
	}
	if b.function {
		made.add(FunctionTags)
	}
	if b.fenced || b.ending.fence {
		made.add(Fence)
	}
	if c.skipped > 0 {
		made.add(SkippedObject)
	}
	if b.state != whole {
		made.add(ClosedBraces)
	}
	made.add(b.reading.repairs...)
	made.add(c.proposal.repairs...)
	if form == Object {
		made.remove(FlatArguments)
	}
	return made
}

// build makes the call of an action from its arguments.
func build(kind env.Kind, args node, made *repairs) (model.Call, *Error) {
	call := model.Call{Action: string(kind)}
	if name := contrary(kind, args); name != "" {
		return call, refuse(BadArgument, "%s does not take %q; send it again with its own arguments (%s) only.",
			kind, name, strings.Join(signatures[kind].names(), ", "))
	}
	if kind == env.LeftClickDrag {
		var err *Error
		if args, err = alongPath(args, made); err != nil {
			return call, err
		}
	}
	takes := signatures[kind]
	var missing []field
	for i, f := range takes.fields {
		n, name, err := f.in(args)
		if err != nil {
			return call, err
		}
		if !n.given() && f.name == coordinateField.name && kind != env.LeftClickDrag {
			n = pointFromXY(args)
		}
		if !n.given() {
			if i < takes.need {
				return call, refuse(MissingArgument, "%s needs %q; send the call again with it.", kind, f.name)
			}
			missing = append(missing, f)
			continue
		}
		if name != f.name {
			made.add(ArgumentAlias)
		}
		if err = f.set(&call, value{node: n, field: f.name, repairs: made}); err != nil {
			return call, err
		}
	}
	if name, meant := misspelt(args, missing); name != "" {
		return call, refuse(BadArgument, "%s does not take %s; did you mean %q? Send it again with its own arguments (%s) only.",
			kind, quote(name), meant, strings.Join(takes.names(), ", "))
	}
	if kind == env.LeftClickDrag && call.Start == nil && slices.Contains(*made, BoxCentre) {
		return call, refuse(BadArgument, "A drag's four numbers can be a box or its two ends; send where it starts as \"start\" and where it ends as \"coordinate\".")
	}
	return call, nil
}

// alongPath gives a drag's arguments with its two ends in place of a path of two
// points, which says the same.
func alongPath(args node, made *repairs) (node, *Error) {
	path := args.get("path")
	if !path.given() {
		return args, nil
	}
	if path.kind != listNode || len(path.items) != 2 {
		return args, refuse(BadArgument, "A drag goes straight from one point to another; send \"start\" and \"coordinate\" instead of %s.", quote(path.raw))
	}
	made.add(ArgumentAlias)
	for i, name := range []string{startField.name, coordinateField.name} {
		if args.get(name).given() {
			return args, refuse(Ambiguous, "\"path\" and %q are both given; send \"start\" and \"coordinate\" alone.", name)
		}
		args.add(name, path.items[i])
	}
	return args, nil
}

// names lists the arguments of an action.
func (s signature) names() []string {
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.name
	}
	return names
}
