package parse

import "slices"

// proposal is what an object says to do, before it is held against a schema.
type proposal struct {
	action string
	args   node // an object
	// beside says that the action stands outside args.
	beside  bool
	repairs repairs
	// thoughts is what the object itself says as its thoughts.
	thoughts string
}

func (p proposal) equal(q proposal) bool {
	return p.action == q.action && same(p.args, q.args)
}

// argumentsNames are the keys that hold the arguments, the proper one first.
var argumentsNames = []string{"arguments", "parameters", "args", "input"}

// propose finds the action and its arguments in an object. Its error's reason is
// NoAction if and only if the object cannot be a call.
func propose(root node) (proposal, *Error) {
	var p proposal
	root = p.unwrap(root)
	if err := consistent(root); err != nil {
		return p, err
	}
	args, err := p.arguments(root)
	if err != nil {
		return p, err
	}
	if inner, ok := innerCall(root, args); ok {
		p.repairs.add(Wrapper)
		root = inner
		if args, err = p.arguments(root); err != nil {
			return p, err
		}
	}
	p.thoughts = thoughtsIn(root)
	if p.thoughts == "" {
		p.thoughts = thoughtsIn(args)
	}
	if len(args.names) == 0 {
		err = p.flat(root)
	} else {
		err = p.nested(root, args)
	}
	return p, err
}

// consistent refuses an object that gives one key two values.
func consistent(n node) *Error {
	if name := n.conflict(); name != "" {
		return refuse(Ambiguous, "%s is given twice with different values; give it once.", quote(name))
	}
	return nil
}

// arguments gives the object that holds the arguments; one without keys when
// there is none.
func (p *proposal) arguments(root node) (node, *Error) {
	var found node
	for _, name := range argumentsNames {
		n := root.get(name)
		if !n.given() || name == "input" && n.kind != objectNode {
			continue
		}
		if found.given() && !same(found, n) {
			return node{}, refuse(Ambiguous, "The arguments are given twice with different values; give them once, as \"arguments\".")
		}
		if !found.given() && name != argumentsNames[0] {
			p.repairs.add(ArgumentsAlias)
		}
		found = n
	}
	if found.kind == textNode {
		p.repairs.add(ArgumentsString)
		return p.decode(found.text)
	}
	if found.given() && found.kind != objectNode {
		return node{}, refuse(BadArgument, "\"arguments\" must be an object, not %s.", quote(found.raw))
	}
	return found, consistent(found)
}

// stringDepth is how often arguments may be a text within a text.
const stringDepth = 3

// decode reads arguments that came as text. Objects without keys before the
// arguments are passed over.
func (p *proposal) decode(src string) (node, *Error) {
	depth := 1
	for at := skipSpace(src, 0); at < len(src); at = skipSpace(src, at) {
		r := readValue(src, at)
		if r.state == torn || r.state == broken {
			return node{}, refuse(Syntax, "The text in \"arguments\" is not a JSON object; send \"arguments\" as an object, not as text.")
		}
		p.repairs.add(r.repairs...)
		switch {
		case r.root.kind == textNode && depth < stringDepth:
			depth++
			src, at = r.root.text, 0
		case r.root.kind != objectNode:
			return node{}, refuse(BadArgument, "\"arguments\" must be an object, not %s.", quote(src))
		case len(r.root.names) == 0:
			at = r.end
		default:
			if r.state != whole {
				p.repairs.add(ClosedBraces)
			}
			// The quotes around it end the arguments, brackets or not.
			r.root.closed = true
			return r.root, consistent(r.root)
		}
	}
	return node{}, nil
}

// flat reads an object that holds the arguments itself.
func (p *proposal) flat(root node) *Error {
	p.args = root
	if name := hidden(root); name != "" {
		return refuse(BadArgument, "%s seems to hold the arguments; call it \"arguments\".", quote(name))
	}
	if err := p.act(root.get("action")); err != nil || p.action != "" {
		p.repairs.add(FlatArguments)
		return err
	}
	if err := p.named(root); err != nil {
		return err
	}
	if slices.ContainsFunc(root.names, isArgument) {
		p.repairs.add(FlatArguments)
	}
	return nil
}

// nested reads an object that holds the arguments in one of its own.
func (p *proposal) nested(root, args node) *Error {
	p.args = args
	inside, outside := args.get("action"), root.get("action")
	for i, name := range root.names {
		if isArgument(name) && root.items[i].given() && !same(root.items[i], args.get(name)) {
			return refuse(Ambiguous, "%s stands outside \"arguments\"; put every argument inside.", quote(name))
		}
	}
	if inside.given() && outside.given() && !sameAction(inside, outside) {
		return refuse(Ambiguous, "Two different actions are given; send one \"action\", inside \"arguments\".")
	}
	if err := p.act(inside); err != nil || p.action != "" {
		return err
	}
	p.beside = true
	if err := p.act(outside); err != nil || p.action != "" {
		p.repairs.add(ActionBeside)
		return err
	}
	return p.named(root)
}

// act takes the action from its value; none leaves it empty.
func (p *proposal) act(n node) *Error {
	if !n.given() {
		return nil
	}
	if n.kind != textNode {
		return refuse(BadArgument, "\"action\" must be a text, not %s.", quote(n.raw))
	}
	p.action = n.text
	return nil
}

// named takes the action from the name of the function.
func (p *proposal) named(root node) *Error {
	p.beside = true
	name := root.get("name")
	if _, known := kindOf(name.text); !known {
		return refuse(NoAction, "The call names no action; send it again with \"action\" inside \"arguments\".")
	}
	p.action = name.text
	p.repairs.add(NameAsAction)
	return nil
}

// sameAction reports whether two values name one action.
func sameAction(a, b node) bool {
	x, xKnown := kindOf(a.text)
	y, yKnown := kindOf(b.text)
	return xKnown && yKnown && x == y || same(a, b)
}
