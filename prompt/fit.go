package prompt

import (
	"fmt"
	"sort"

	"fara/imagebudget"
)

// Which frames a prompt lets go of.
const (
	// Window keeps the newest frames, as the models were trained.
	Window = "window"
	// Steady lets go of several at once, so that requests begin like the one
	// before as often as can be.
	Steady = "steady"
)

// skipBlock is by how many turns at once a steady prompt leaves out old words.
const skipBlock = 8

// leastReply is what a reply needs in tokens: thoughts and a call.
const leastReply = 256

// fit gives the layout that respects the limits.
func (s *story) fit() (layout, error) {
	pictures := s.pictures()
	if s.limits.numCtx == 0 {
		return layout{pictures: newest(pictures, s.keep(pictures, 0))}, nil
	}
	room := s.limits.numCtx - s.replyTokens()
	// Placeholders may be longer or shorter than what stands beside a frame.
	most := newest(pictures, imagebudget.Window(make([]int, len(pictures)), s.limits.maxImages, 0))
	text := max(s.textCost(layout{pictures: most}), s.textCost(layout{pictures: newest(pictures, 1)}))
	// A room of 0 would be none at all to the window.
	l := layout{pictures: newest(pictures, s.keep(pictures, max(1, room-text)))}
	if s.cost(l) > room { // words go only when one frame is left
		l.pictures = newest(pictures, 1)
		l.skip = s.skip(l, room)
	}
	if s.cost(l) > room {
		return layout{}, fmt.Errorf("%w of %d tokens with %d kept for the reply", ErrOverflow, s.limits.numCtx, s.replyTokens())
	}
	return l, nil
}

// keep says how many of the newest pictures a prompt has, when they may cost
// room together; 0 is no bound.
func (s *story) keep(pictures []int, room int) int {
	tokens := make([]int, len(pictures))
	held := 0
	for i, at := range pictures {
		tokens[i] = s.counts.picture(s.turns[at].seen.Tokens)
		if at >= s.from {
			held++
		}
	}
	if s.steady() {
		return imagebudget.Steady(tokens, max(1, held), s.limits.maxImages, room)
	}
	return imagebudget.Window(tokens, s.limits.maxImages, room)
}

// skip is the least number of old turns whose words have to go for the layout
// to cost no more than room; all but the newest when nothing is enough.
func (s *story) skip(l layout, room int) int {
	last, block := len(s.turns)-1, 1
	if s.steady() {
		block = skipBlock
	}
	n := sort.Search((last+block-1)/block, func(n int) bool {
		l.skip = n * block
		return s.cost(l) <= room
	})
	return min(n*block, last)
}

// replyTokens is what is kept for the reply now.
func (s *story) replyTokens() int {
	return replyTokens(s.started.ReplyTokens, s.limits.numCtx)
}

// replyTokens is what was asked for, or an eighth of a context that is small.
func replyTokens(asked, numCtx int) int {
	if numCtx == 0 {
		return asked
	}
	return min(asked, max(leastReply, numCtx/8))
}

// contextFor is the context that leaves room for requests of that many tokens.
func (s *story) contextFor(tokens int) int {
	asked := s.started.ReplyTokens
	return tokens + min(asked, max(leastReply, tokens/7))
}

// pictures are the turns whose frames may be sent, oldest first. Left out are
// those that repeat the frame before where the dialect allows that, and those
// that are larger than the server takes. The newest picture always stays.
func (s *story) pictures() []int {
	var out []int
	for i := range s.turns {
		if i > 0 && s.repeats(i) {
			continue
		}
		out = append(out, i)
	}
	if s.limits.maxPixels == 0 || len(out) == 0 {
		return out
	}
	kept := out[:0]
	for n, at := range out {
		if size := s.turns[at].seen.Size; size.W*size.H <= s.limits.maxPixels || n == len(out)-1 {
			kept = append(kept, at)
		}
	}
	return kept
}

// repeats reports whether a turn's frame need not be sent since the turn before
// has the same.
func (s *story) repeats(i int) bool {
	return s.d.SkipsUnchanged && s.turns[i].seen.Frame == s.turns[i-1].seen.Frame
}

func newest(pictures []int, n int) []int { return pictures[len(pictures)-n:] }

// cost is what a layout's prompt is thought to cost in tokens.
func (s *story) cost(l layout) int { return s.textCost(l) + s.pictureCost(l) }

func (s *story) textCost(l layout) int { return s.counts.text(s.size(s.compose(l))) }

func (s *story) pictureCost(l layout) int {
	sum := 0
	for _, at := range l.pictures {
		sum += s.counts.picture(s.turns[at].seen.Tokens)
	}
	return sum
}
