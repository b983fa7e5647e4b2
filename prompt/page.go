package prompt

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"fara/dialect"
	"fara/model"
	"fara/trajectory"
)

// Page is the request that asks a question about a page's text after the events,
// and how many characters of the text are in it: at most most, or 20,000 when
// most is 0, and fewer when the context is smaller. Only events[0], which starts
// the run, must be there.
func Page(events []trajectory.Event, d dialect.Dialect, markdown, question string, most int) (Prompt, int, error) {
	s, err := read(events, d)
	if err != nil {
		return Prompt{}, 0, err
	}
	s.limits.tools = nil
	limit := cmp.Or(most, pageLimit)
	if s.limits.numCtx > 0 {
		limit = min(limit, max(0, s.pageRoom(question)))
	}
	markdown = withoutBlobs(markdown)
	chars := []rune(markdown)
	text := markdown
	if len(chars) > limit {
		text = string(chars[:limit]) + "\n... [the rest is left out]"
	}
	p := Prompt{story: s, messages: []message{
		{role: model.System, text: d.Turns.ReadSystem},
		{role: model.User, text: fmt.Sprintf(d.Turns.ReadUser, fence(defuse.Replace(text)), question)},
	}}
	size := s.size(p.messages)
	p.TextChars, p.Tokens = size.chars, s.counts.text(size)
	p.Request = model.Request{Temperature: s.started.Temperature, Seed: s.started.Seed, MaxTokens: s.replyTokens()}
	p.Request.Messages, err = attach(p.messages, nil)
	return p, min(len(chars), limit), err
}

// pageRoom is how many characters of a page the context takes. Pages are full of
// links and numbers, so fewer characters than elsewhere are counted on per token.
func (s *story) pageRoom(question string) int {
	perChar := max(s.counts.perChar, pageTokensPerChar)
	words := s.d.Turns.ReadSystem + s.d.Turns.ReadUser + question
	own := perChar*float64(utf8.RuneCountInString(words)) + 4*messageTokens + fenceTokens
	return int((float64(s.limits.numCtx-s.replyTokens()) - own) / perChar)
}

// pageTokensPerChar is counted on for page text at least.
const pageTokensPerChar = 1.0 / 3
