package prompt

import (
	"math"
	"slices"
	"unicode/utf8"

	"fara/dialect"
	"fara/parse"
	"fara/trajectory"
)

// What is counted on: a token for four characters until a server has taught
// better, and what chat templates put around a message and a picture.
const (
	charsPerToken = 4
	messageTokens = 5
	imageTokens   = 2
)

// Bounds of what is learned: a token has at most eight characters of prose, and
// even a byte-wise tokenizer makes hardly more than one of a character, since
// most of every prompt is our own English. A picture costs at most four times
// its grid's squares.
const (
	leastPerChar = 1.0 / 8
	mostPerChar  = 1.25
	mostPerCell  = 4.0
)

// How many replies are learned from. The first ones are the most telling, since
// nothing of their requests was known to the server; the newest follow changes.
const (
	firstReplies  = 4
	newestReplies = 16
)

// counts is what the server's own counts say about the cost of texts and
// pictures. A token count is taken as perChar times the text plus perCell times
// the pictures' squares.
//
// Servers count differently: Qwen's family a token a square, Gemma's 256 for any
// picture, others by tiles; some count only what they had not read before, some
// nothing. So both numbers are learned from the counts that agree with each
// other, within bounds, and start from what is usual.
type counts struct {
	// exact: the model cuts pictures by the dialect's grid.
	exact bool
	// frames holds each frame's squares by its file.
	frames map[string]int
	seen   []count
	// ignored: what the server reports means nothing.
	ignored bool

	perChar, perCell float64
}

// count is what one request held and what the server says it read of it beside
// the messages' marks.
type count struct{ chars, cells, read float64 }

func newCounts(d dialect.Dialect) counts {
	return counts{exact: d.Reply != parse.Object, frames: map[string]int{}, perChar: 1.0 / charsPerToken, perCell: 1}
}

// text and picture are the estimates.
func (c *counts) text(t text) int {
	return int(math.Ceil(c.perChar*float64(t.chars))) + messageTokens*t.messages
}

func (c *counts) picture(cells int) int {
	return int(math.Ceil(c.perCell * float64(cells+imageTokens)))
}

// learn takes what a server reported, as far as it can be true of whole requests.
func (c *counts) learn(replies []*trajectory.Proposed) {
	if c.constant(replies) {
		c.ignored = true
		return
	}
	said := 0
	for i, p := range replies {
		if i >= firstReplies && i < len(replies)-newestReplies {
			continue
		}
		read, known := p.Usage.PromptTokens, said
		said = p.Usage.CompletionTokens
		if p.Truncated != "" || p.TextChars == 0 || read == 0 || freshOnly(read, p.FreshTokens, p.EstimatedTokens, known) {
			continue
		}
		now := count{float64(p.TextChars), float64(c.cells(p.Frames)), float64(read - messageTokens*p.Messages)}
		if least, most := c.bounds(now.chars, now.cells); now.read >= clearly*least && now.read <= most/clearly {
			c.seen = append(c.seen, now)
		}
	}
	if len(c.seen) > 0 {
		c.perChar, c.perCell = c.fit()
	}
}

// constant reports whether replies to requests of different sizes came with the
// count of the first, and no other: then the server does not count.
func (c *counts) constant(replies []*trajectory.Proposed) bool {
	found := false
	for _, p := range replies {
		if p.Truncated != "" || p.Usage.PromptTokens != replies[0].Usage.PromptTokens {
			return false
		}
		found = found || c.repeats(replies[0], p.Usage.PromptTokens, c.plain(p.TextChars, p.Frames))
	}
	return found
}

// repeats reports whether a count is the first reply's although a request of
// that plain size cannot cost the same. Servers that cut at a usual size do that
// too.
func (c *counts) repeats(first *trajectory.Proposed, read int, size float64) bool {
	if first.Truncated != "" || first.TextChars == 0 || read == 0 || isUsual(read) || first.Usage.PromptTokens != read {
		return false
	}
	was := c.plain(first.TextChars, first.Frames)
	return max(was, size) > (1+nearly/5)*min(was, size)
}

// freshOnly reports whether a server seems to have counted only the part of a
// request that was new to it. It may know its own last reply too, of said tokens.
func freshOnly(read, fresh, all, said int) bool {
	return float64(fresh) < clearly*float64(all) && (near(read, fresh) || near(read, fresh-said))
}

// near reports whether a count may mean an estimate.
func near(count, estimate int) bool {
	return math.Abs(float64(count-estimate)) <= 0.08*float64(estimate)
}

// cells are the squares of frames, with a picture's marks.
func (c *counts) cells(frames []string) int {
	sum := 0
	for _, f := range frames {
		sum += c.frames[f] + imageTokens
	}
	return sum
}

// plain is the size of a request by what is usual, whatever was learned.
func (c *counts) plain(chars int, frames []string) float64 {
	return float64(chars)/charsPerToken + float64(c.cells(frames))
}

// fit finds the two numbers that explain most counts best, by least absolute
// differences: one odd count does not move them. A square of the model's own
// grid costs one token as long as that explains the counts.
func (c *counts) fit() (perChar, perCell float64) {
	if c.exact {
		if char := c.charAt(1); c.off(char, 1) <= nearly*float64(len(c.seen)) {
			return char, 1
		}
	}
	best := math.Inf(1)
	for _, cell := range costs(0, mostPerCell) {
		char := c.charAt(cell)
		// Where the counts leave a choice, what is usual decides.
		off := c.off(char, cell) + 0.01*math.Abs(math.Log(char*charsPerToken))
		if off < best {
			best, perChar, perCell = off, char, cell
		}
	}
	return perChar, perCell
}

// charAt is the cost of a character that goes best with a cost of squares.
func (c *counts) charAt(cell float64) float64 {
	var each []float64
	for _, s := range c.seen {
		each = append(each, (s.read-cell*s.cells)/s.chars)
	}
	slices.Sort(each)
	return min(mostPerChar, max(leastPerChar, each[len(each)/2]))
}

// off is how badly two numbers explain the counts.
func (c *counts) off(char, cell float64) float64 {
	sum := 0.0
	for _, s := range c.seen {
		sum += math.Abs(s.read-char*s.chars-cell*s.cells) / s.read
	}
	return sum
}

// costs of a square that are tried, between two bounds.
func costs(least, most float64) []float64 {
	var out []float64
	for cell := least; cell <= min(most, 2); cell += 0.02 {
		out = append(out, cell)
	}
	for cell := max(least, 2.1); cell <= most; cell += 0.1 {
		out = append(out, cell)
	}
	return out
}

// bounds are the smallest and the largest count that a server which read such a
// request whole can report, given all it has reported so far. When its reports
// fit nothing they bound nothing.
func (c *counts) bounds(chars, squares float64) (least, most float64) {
	type span struct{ from, to float64 }
	spans := []span{{0, mostPerCell}}
	if c.exact {
		// Some servers make pictures smaller on their own, and then agree with
		// themselves on another cost.
		spans = []span{{0.8, 1.25}, {0, mostPerCell}}
	}
	for _, s := range spans {
		for _, slack := range []float64{0.03, 0.08, 0.15} {
			least, most = math.Inf(1), 0
			for _, cell := range costs(s.from, s.to) {
				if low, high := c.perCharAt(cell, slack); low <= high {
					least = min(least, low*chars+cell*squares)
					most = max(most, high*chars+cell*squares)
				}
			}
			if most > 0 {
				return least, most
			}
		}
	}
	return 0, math.Inf(1)
}

// perCharAt are the lowest and the highest cost of a character at which a cost of
// squares agrees with every count, give or take slack. Low is above high when
// none does.
func (c *counts) perCharAt(cell, slack float64) (low, high float64) {
	low, high = leastPerChar, mostPerChar
	for _, s := range c.seen {
		low = max(low, ((1-slack)*s.read-cell*s.cells)/s.chars)
		high = min(high, ((1+slack)*s.read-cell*s.cells)/s.chars)
	}
	return low, high
}

// text is the size of messages' texts.
type text struct{ chars, messages int }

// size is that of the messages with the tools that stand before them.
func (s *story) size(msgs []message) text {
	t := text{chars: utf8.RuneCount(s.limits.tools), messages: len(msgs)}
	for _, m := range msgs {
		t.chars += m.size()
	}
	return t
}

// size is that of a message's text and its call.
func (m message) size() int {
	n := utf8.RuneCountInString(m.text)
	if m.call != nil {
		n += utf8.RuneCountInString(m.call.Name) + utf8.RuneCountInString(m.call.Arguments)
	}
	return n
}
