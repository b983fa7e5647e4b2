package modeltest

import (
	"context"
	"strings"

	"fara/model"
)

// pieceLength is how many characters a streamed piece has: about one token.
const pieceLength = 4

// feed hands the reply's text to until piece by piece.
func feed(ctx context.Context, reply model.Reply, until model.Until) (model.Reply, error) {
	if until == nil {
		return reply, nil
	}
	sofar := ""
	for _, piece := range pieces(reply.Text) {
		if err := context.Cause(ctx); err != nil {
			return model.Reply{}, err
		}
		sofar += piece
		// A reply that has nothing more to say ends by itself, and is counted.
		if until(sofar) && strings.TrimSpace(reply.Text[len(sofar):]) != "" {
			reply.Text, reply.Finish, reply.Usage = sofar, model.FinishUntil, model.Usage{}
			return reply, nil
		}
	}
	return reply, nil
}

// pieces cuts a text as a stream would, never inside a character.
func pieces(text string) []string {
	var out []string
	runes := []rune(text)
	for len(runes) > 0 {
		n := min(pieceLength, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}
