package prompt

import (
	"math"
	"slices"
	"unicode/utf8"

	"fara/dialect"
	"fara/trajectory"
)

// What is counted on until a server has taught better: a token for four
// characters, and for a message's marks and a picture's.
const (
	charsPerToken = 4
	messageChars  = 24
	imageTokens   = 2
)

// Bounds of what is learned: a token has at most eight characters of prose, and
// a character of a byte-wise tokenizer at most three tokens. A picture costs at
// most four times its grid's squares.
const (
	leastPerChar = 1.0 / 8
	mostPerChar  = 3.0
	mostPerCell  = 4.0
)

// samples is how many of the newest counts are believed: enough for a median,
// few enough to follow a change.
const samples = 16

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

	perChar, perCell float64
}

// count is what one request held and what the server says it read.
type count struct{ chars, cells, read float64 }

func newCounts(d dialect.Dialect) counts {
	return counts{exact: d.Name != "json", frames: map[string]int{}, perChar: 1.0 / charsPerToken, perCell: 1}
}

// text and picture are the estimates.
func (c *counts) text(chars int) int { return int(math.Ceil(c.perChar * float64(chars))) }

func (c *counts) picture(cells int) int {
	return int(math.Ceil(c.perCell * float64(cells+imageTokens)))
}

// learn takes what a server reported for the newest requests, as far as it can be
// true of whole ones.
func (c *counts) learn(replies []*trajectory.Proposed) {
	for _, p := range replies[max(0, len(replies)-2*samples):] {
		now := count{chars: float64(p.TextChars), read: float64(p.Usage.PromptTokens)}
		for _, f := range p.Frames {
			now.cells += float64(c.frames[f] + imageTokens)
		}
		if p.Truncated == "" && now.chars > 0 && now.read > 0 && now.read >= clearly*c.least(now.chars, now.cells) {
			c.seen = append(c.seen, now)
		}
	}
	if c.seen = c.seen[max(0, len(c.seen)-samples):]; len(c.seen) > 0 {
		c.perChar, c.perCell = c.fit()
	}
}

// fit finds the two numbers that explain most counts best, by least absolute
// differences: one odd count does not move them.
func (c *counts) fit() (perChar, perCell float64) {
	best := math.Inf(1)
	for _, cell := range cells(0) {
		var each []float64
		for _, s := range c.seen {
			each = append(each, (s.read-cell*s.cells)/s.chars)
		}
		slices.Sort(each)
		char := min(mostPerChar, max(leastPerChar, each[len(each)/2]))
		if off := c.off(char, cell); off < best {
			best, perChar, perCell = off, char, cell
		}
	}
	return perChar, perCell
}

// off is how badly two numbers explain the counts, and how unusual they are:
// that decides where the counts leave a choice.
func (c *counts) off(char, cell float64) float64 {
	sum := 0.0
	for _, s := range c.seen {
		sum += math.Abs(s.read-char*s.chars-cell*s.cells) / s.read
	}
	unusual := 0.01 * math.Abs(math.Log(char*charsPerToken))
	if c.exact && cell != 1 {
		unusual += 0.05
	}
	return sum + unusual
}

// cells are the costs of a square that are tried, from least on.
func cells(least float64) []float64 {
	var out []float64
	for n := int(math.Round(least * 50)); n <= 100; n++ {
		out = append(out, float64(n)/50)
	}
	for cell := 2.1; cell <= mostPerCell; cell += 0.1 {
		out = append(out, cell)
	}
	return out
}

// least is the smallest count that a server which read such a request whole can
// report, given all it has reported so far; 0 when its reports fit nothing.
func (c *counts) least(chars, squares float64) float64 {
	lowest := []float64{0}
	if c.exact {
		// Some servers make pictures smaller on their own, and then agree with
		// themselves on a lower cost.
		lowest = []float64{0.8, 0}
	}
	for _, from := range lowest {
		for _, slack := range []float64{0.03, 0.08, 0.15} {
			least := math.Inf(1)
			for _, cell := range cells(from) {
				if char, ok := c.leastPerChar(cell, slack); ok {
					least = min(least, char*chars+cell*squares)
				}
			}
			if !math.IsInf(least, 1) {
				return least
			}
		}
	}
	return 0
}

// leastPerChar is the lowest cost of a character at which a cost of squares
// agrees with every count, give or take slack. It is false when none does.
func (c *counts) leastPerChar(cell, slack float64) (float64, bool) {
	low, high := leastPerChar, mostPerChar
	for _, s := range c.seen {
		low = max(low, ((1-slack)*s.read-cell*s.cells)/s.chars)
		high = min(high, ((1+slack)*s.read-cell*s.cells)/s.chars)
	}
	return low, low <= high
}

// chars is the size of messages' texts, with an allowance for the marks around
// each, and of the tools that stand before them.
func (s *story) chars(msgs []message) int {
	sum := utf8.RuneCount(s.limits.tools)
	for _, m := range msgs {
		sum += utf8.RuneCountInString(m.text) + messageChars
		if m.call != nil {
			sum += utf8.RuneCountInString(m.call.Name) + utf8.RuneCountInString(m.call.Arguments)
		}
	}
	return sum
}
