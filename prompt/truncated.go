package prompt

import (
	"fmt"

	"fara/model"
)

// clearly is the share of the least possible count below which a server seems
// to have read only a part.
const clearly = 0.85

// nearly is how far a count may lie from the estimate, as a share, for the two to
// agree.
const nearly = 0.05

// smallestContext is less than any context in use has, in tokens: a server that
// says it read less than that and also less than it must has not counted.
const smallestContext = 1024

// proved is after how many counts an estimate can be trusted.
const proved = 3

// crowded is the share of a context from which on replies may suffer.
const crowded = 0.9

// Sign is why a server seems not to have read a whole request.
type Sign struct {
	// Text says it to people; empty when there is no sign.
	Text string
	// Context is the size of the context it shows, in tokens; 0 when it shows none.
	Context int
	// Usual: it is one of the sizes that servers begin with.
	Usual bool
}

// Truncated looks for signs that the server cut the request. fresh is the part
// it may not have read before, as Fresh counts it: some servers report only
// that.
//
// A server that reports nothing, or nothing that could be a count, gives none.
func (p Prompt) Truncated(reply model.Reply, fresh int) Sign {
	read := reply.Usage.PromptTokens
	if p.story.counts.ignored || read < smallestContext || p.constant(read) {
		return Sign{}
	}
	if sign := p.full(reply); sign.Text != "" {
		return sign
	}
	if p.countsFresh(read, fresh) {
		return Sign{}
	}
	least := p.least()
	if float64(read) < clearly*least {
		return Sign{Text: fmt.Sprintf("the server read %d tokens of a request that takes at least %.0f", read, least)}
	}
	return p.stuck(read)
}

// constant reports whether a server says the same number whatever it reads: the
// one it said of the first request, which was of another size. A context's usual
// size is none, since a server that cuts stays there too.
func (p Prompt) constant(read int) bool {
	if len(p.story.answered) == 0 || read == p.story.limits.numCtx {
		return false
	}
	return p.story.counts.repeats(p.story.answered[0], read, p.story.counts.plain(p.TextChars, p.Frames))
}

// least is the smallest count of a server that read everything.
func (p Prompt) least() float64 {
	least, _ := p.story.counts.bounds(float64(p.TextChars), float64(p.story.counts.cells(p.Frames)))
	return least + float64(messageTokens*len(p.messages))
}

// countsFresh reports whether a server seems to count only what it had not read
// before. The system prompt it may know from another run.
func (p Prompt) countsFresh(read, fresh int) bool {
	system := p.story.counts.text(text{chars: p.messages[0].size(), messages: 1})
	said := 0
	if n := len(p.story.answered); n > 0 {
		said = p.story.answered[n-1].Usage.CompletionTokens
	}
	return freshOnly(read, min(fresh, p.Tokens-system), p.Tokens, said)
}

// full looks for a total that is exactly a context's size.
func (p Prompt) full(reply model.Reply) Sign {
	read, said := reply.Usage.PromptTokens, reply.Usage.CompletionTokens
	for _, total := range []int{read, read + said} {
		known := total == p.story.limits.numCtx
		if !known && !isUsual(total) {
			continue
		}
		cut := total != read && reply.Finish == model.FinishLength && said < p.Request.MaxTokens
		more := float64(p.Tokens) > (1+p.doubt(total))*float64(read)
		// Texts cost more than was thought, and now exactly what such a context holds.
		less := float64(p.Tokens) < (1-nearly)*float64(read) && isPowerOfTwo(total)
		// Room is kept for the reply, so a request alone never fills the context.
		if cut || more || less || known && total == read {
			return Sign{Text: fmt.Sprintf("the server counted exactly %d tokens, a full context", total), Context: total, Usual: isUsual(total)}
		}
	}
	return Sign{}
}

// doubt is how far the estimate may lie above a count that is a context's size,
// as a share, without its being one. The sizes that servers begin with are
// doubted most, once the estimates have proved true.
func (p Prompt) doubt(total int) float64 {
	if isPowerOfTwo(total) && len(p.story.counts.seen) >= proved {
		return nearly / 5
	}
	return nearly
}

// stuck looks for a count that stays where it is while the requests do not: with
// the request before when that was clearly shorter, with the two before when
// they differ at all.
func (p Prompt) stuck(read int) Sign {
	answered := p.story.answered
	size := p.story.counts.plain(p.TextChars, p.Frames)
	least, most := size, size
	for back := 1; back <= min(2, len(answered)); back++ {
		was := answered[len(answered)-back]
		if was.Usage.PromptTokens != read {
			break
		}
		size := p.story.counts.plain(was.TextChars, was.Frames)
		least, most = min(least, size), max(most, size)
		differ := []float64{nearly, nearly / 5}[back-1]
		if most > (1+differ)*least && float64(p.Tokens) > (1+nearly/2)*float64(read) {
			return Sign{Text: fmt.Sprintf("the server read %d tokens again, although the requests differ", read), Context: read}
		}
	}
	return Sign{}
}

// Outgrown gives the usual context's size, in tokens, that this request exceeds
// and none exceeded whose reply could be used; 0 when there is none. Servers that
// go on beyond their context without a word answer with rubbish from there on.
func (p Prompt) Outgrown(reply model.Reply) int {
	good := 0
	for _, was := range p.story.answered {
		if was.Problem == nil && was.Truncated == "" {
			good = max(good, was.EstimatedTokens, was.Usage.PromptTokens)
		}
	}
	now := max(p.Tokens, reply.Usage.PromptTokens)
	for size := 2 * smallestContext; good > 0 && size < now; size *= 2 {
		if good <= size {
			return size
		}
	}
	return 0
}

// isUsual reports whether servers have contexts of that many tokens.
func isUsual(n int) bool { return n >= 2*smallestContext && n%1024 == 0 }

func isPowerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

// Shorter gives the NumCtx from which on requests are shorter than this one, by
// a tenth at least, when a server named its context's size in tokens; 0 when it
// did not. Where the size alone changes what is asked for, it is believed.
func (p Prompt) Shorter(context int) int {
	now := p.story.limits.numCtx
	if context > 0 && (now == 0 || context < now) {
		reply := replyTokens(p.story.started.ReplyTokens, context)
		if p.Tokens > context-reply || p.Request.MaxTokens > reply {
			return context
		}
	}
	return p.story.contextFor(p.Tokens * 9 / 10)
}

// ShorterThan gives the NumCtx for requests half way down to what the server
// read of this one, and shorter by a tenth at least.
func (p Prompt) ShorterThan(read int) int {
	return p.story.contextFor(min((p.Tokens+read)/2, p.Tokens*9/10))
}

// Crowded reports whether the request and its reply, as the server counts them,
// take most of a context's size that is known.
func (p Prompt) Crowded(reply model.Reply) bool {
	all := max(p.Tokens, reply.Usage.PromptTokens) + reply.Usage.CompletionTokens
	return p.story.limits.numCtx > 0 && float64(all) >= crowded*float64(p.story.limits.numCtx)
}
