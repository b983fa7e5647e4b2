package parse

import "strings"

// The tags of a call that is written as one:
//
//	<function=computer_use>
//	<parameter=action>
//	left_click
//	</parameter>
//	</function>
const (
	functionTag   = "<function="
	functionClose = "</function>"
	parameterTag  = "<parameter="
	parameterEnd  = "</parameter>"
)

// functionNameEnd gives the position behind the tag that opens a function at
// text[at], or 0.
func functionNameEnd(text string, at int) int {
	if !strings.HasPrefix(text[at:], functionTag) {
		return 0
	}
	_, end := nameIn(text, at+len(functionTag))
	return end
}

// nameIn reads the name in a tag, up to its ">"; the end is 0 without one.
func nameIn(text string, pos int) (string, int) {
	window := text[pos:min(len(text), pos+attributeLimit)]
	i := strings.IndexAny(window, "<>{\n")
	if i <= 0 || window[i] != '>' {
		return "", 0
	}
	return strings.Trim(window[:i], ` "'`), pos + i + 1
}

// readFunction reads the function whose tag begins at src[at] as the object
// {"name": …, "arguments": {…}}.
func readFunction(src string, at int) reading {
	name, pos := nameIn(src, at+len(functionTag))
	args := node{kind: objectNode}
	r := reading{}
	for r.state == whole && !args.closed {
		pos = skipSpace(src, pos)
		rest := src[pos:]
		switch {
		case strings.HasPrefix(rest, functionClose):
			args.closed = true
			pos += len(functionClose)
		case strings.HasPrefix(rest, parameterTag):
			pos, r.state = readParameter(src, pos+len(parameterTag), &args)
		case strings.HasPrefix(parameterTag, rest), strings.HasPrefix(functionClose, rest):
			r.state = cut
		default:
			r.state = broken
			if found, _, partial := tagAt(src, pos); found == callClose {
				r.state = ended
			} else if partial {
				r.state = cut
			}
		}
	}
	if r.state == broken {
		r.problem = "its parameters are not <parameter=name>value</parameter>, one behind the other, with names that exist"
	}
	r.end = pos
	r.root = node{kind: objectNode, raw: src[at:pos], closed: args.closed}
	r.root.add("name", node{kind: textNode, raw: name, text: name})
	r.root.add(argumentsNames[0], args)
	return r
}

// readParameter reads the name and the value of a parameter behind its tag's
// equals sign, and gives the position behind its end.
func readParameter(src string, pos int, args *node) (int, state) {
	name, start := nameIn(src, pos)
	if start == 0 {
		if len(src)-pos < attributeLimit && !strings.ContainsAny(src[pos:], "<>{\n") {
			return len(src), torn
		}
		return pos, broken
	}
	n := strings.Index(src[start:], parameterEnd)
	if n < 0 {
		args.add(name, node{})
		return len(src), torn
	}
	if raw := src[start : start+n]; strings.Contains(raw, parameterTag) || strings.HasPrefix(raw, ">") || strings.HasSuffix(raw, "<") || !knownName(name) {
		return start, broken
	}
	value := strings.TrimSuffix(strings.TrimPrefix(src[start:start+n], "\n"), "\n")
	args.add(name, node{kind: textNode, raw: value, text: value})
	return start + n + len(parameterEnd), whole
}
