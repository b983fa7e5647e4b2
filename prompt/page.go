package prompt

import (
	"fmt"

	"fara/dialect"
	"fara/model"
	"fara/trajectory"
)

// charsPerToken is how many characters of page text are counted on per token,
// fewer than for prose since pages are full of links and numbers.
const charsPerToken = 3

// Page is the request that asks a question about a page's text, and how many
// characters of the text are in it: at most 20,000, and fewer when the context
// is smaller.
func Page(started *trajectory.Started, d dialect.Dialect, markdown, question string) (model.Request, int) {
	limit := pageLimit
	if started.NumCtx > 0 {
		room := started.NumCtx - started.ReplyTokens - (len(d.Turns.ReadSystem)+len(question))/charsPerToken - 4*messageTokens
		limit = min(limit, max(0, room*charsPerToken))
	}
	chars := []rune(markdown)
	text := markdown
	if len(chars) > limit {
		text = string(chars[:limit]) + "\n... [the rest is left out]"
	}
	return model.Request{
		Messages: []model.Message{
			{Role: model.System, Text: d.Turns.ReadSystem},
			{Role: model.User, Text: fmt.Sprintf(d.Turns.ReadUser, defuse.Replace(text), question)},
		},
		Temperature: started.Temperature,
		MaxTokens:   started.ReplyTokens,
	}, min(len(chars), limit)
}
