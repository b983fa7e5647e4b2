package parse

import "strings"

// innerQuotes reads a text in which quotes stand unescaped. It ends at the first
// quote that only the closing bracket and the end of the line follow. Every other
// one belongs to the text, and none of them may touch another quote, the text's
// ends or a closing bracket, spaces aside: it could be the end after all.
func (r *speaker) innerQuotes() node {
	open, quote := r.pos, r.src[r.pos]
	var b strings.Builder
	from := open + 1
	for at := from; at < len(r.src); at++ {
		switch {
		case r.src[at] == '\\':
			at++
		case r.src[at] != quote:
		case r.endsCall(at + 1):
			b.WriteString(r.src[from:at])
			r.pos = at + 1
			r.repairs.add(InnerQuotes)
			return r.unescaped(open, b.String())
		case !r.within(open, at):
			r.pos = at
			r.fail("a quote within its text can be read in two ways; write it as \\" + string(quote))
			return node{}
		default:
			b.WriteString(r.src[from:at] + `\`)
			from = at
		}
	}
	r.pos, r.state = len(r.src), torn
	return node{}
}

// endsCall reports whether only the closing bracket and the end of the line, or a
// further call, follow.
func (r *speaker) endsCall(at int) bool {
	at = skipBlank(r.src, at)
	for _, bracket := range []string{")", "）"} {
		if strings.HasPrefix(r.src[at:], bracket) {
			at += len(bracket)
			return r.lineEnds(at) || nextTextCall(r.src, at) >= 0
		}
	}
	return false
}

// lineEnds reports whether nothing of meaning follows on the line.
func (r *speaker) lineEnds(at int) bool {
	at = skipBlank(r.src, at)
	rest := strings.TrimRight(r.src[at:lineEnd(r.src, at)], " \t\r`")
	return rest == "" || rest == "</action>" || strings.HasPrefix(rest, "<|") && strings.HasSuffix(rest, "|>")
}

// within reports whether an inner quote can only belong to the text.
func (r *speaker) within(open, at int) bool {
	before := strings.TrimRight(r.src[open+1:at], " \t\r\n")
	after := strings.TrimLeft(r.src[at+1:], " \t\r\n")
	quote := r.src[at : at+1]
	return before != "" && !strings.HasSuffix(before, quote) && !strings.HasSuffix(before, `\`) &&
		after != "" && strings.IndexAny(after, `)\`+quote) != 0 && !strings.HasPrefix(after, "）")
}

// unescaped reads a text whose inner quotes are escaped by now.
func (r *speaker) unescaped(open int, body string) node {
	quote := r.src[open : open+1]
	read := readAs(looseGrammar, quote+body+quote, 0)
	if read.state != whole {
		r.fail(read.problem)
	}
	r.repairs.add(read.repairs...)
	read.root.raw = r.src[open:r.pos]
	return read.root
}

// quoteFollows reports whether the rest of the line holds a quote and a closing
// bracket that might be the end of the call's text.
func (r *speaker) quoteFollows() bool {
	if nextTextCall(r.src, r.pos) >= 0 {
		return false
	}
	rest := r.src[r.pos:lineEnd(r.src, r.pos)]
	for i := strings.IndexByte(rest, r.quote); i >= 0; {
		after := rest[skipBlank(rest, i+1):]
		if strings.HasPrefix(after, ")") || strings.HasPrefix(after, "）") {
			return true
		}
		more := strings.IndexByte(rest[i+1:], r.quote)
		if more < 0 {
			return false
		}
		i += 1 + more
	}
	return false
}

// skipBlank gives the position behind spaces and tabs.
func skipBlank(text string, pos int) int {
	for pos < len(text) && (text[pos] == ' ' || text[pos] == '\t') {
		pos++
	}
	return pos
}
