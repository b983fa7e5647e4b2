package chrome

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/proto"
)

// typeBatch is how many input events are under way at once: enough to hide the
// way to the browser and back, few enough to stop soon when ctx ends.
const typeBatch = 32

// Text of more characters than keyedLimit is typed at its two ends and entered as
// an input method does in between: a key takes a millisecond, and pages that
// listen to keys listen to the first and to the last.
const (
	keyedLimit = 240
	keyedEnds  = 12
)

// write types text exactly, and gives what it did not type. Characters of a US
// keyboard are keys, the rest comes as from an input method, and so does a tab: a
// field takes it as text, and the Tab key would leave the field.
//
// A newline at the end is Enter. Within the text of a field of several lines it is
// Shift+Enter, which starts a new line also where Enter sends what was written;
// in a field of one line it is Enter, and when that takes the focus elsewhere the
// rest of the text is not typed.
func (b *instance) write(ctx context.Context, p *page, f field, text string) (rest string, err error) {
	for text != "" {
		part := text
		if f.Kind == "text" && f.Line {
			part = text[:strings.Index(text+"\n", "\n")]
			part = text[:min(len(part)+1, len(text))] // with its newline
		}
		if err := b.sendAll(ctx, p, events(f, part)); err != nil {
			return "", err
		}
		if text = text[len(part):]; text == "" {
			break
		}
		still := false
		if f.ask("still()", &still) != nil || !still {
			return text, nil
		}
	}
	return "", nil
}

// sendAll dispatches events, a batch at a time.
func (b *instance) sendAll(ctx context.Context, p *page, events []proto.Request) error {
	for len(events) > 0 {
		n := min(typeBatch, len(events))
		if err := b.dispatch(ctx, p, events[:n]...); err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}

// events are what types a text.
func events(f field, text string) (out []proto.Request) {
	all := pieces(text)
	for i, piece := range all {
		switch {
		case piece.text != "\n":
			out = append(out, piece.events(f)...)
		case f.Kind == "text" && !f.Line && i < len(all)-1:
			out = append(out, shiftEnter()...)
		default:
			out = append(out, enter()...)
		}
	}
	return out
}

func enter() []proto.Request {
	k := keyNamed("Enter")
	return []proto.Request{k.event(down, 0), k.event(up, 0)}
}

func shiftEnter() []proto.Request {
	shift, k := keyNamed("ShiftLeft"), keyNamed("Enter")
	return []proto.Request{shift.event(down, shiftBit), k.event(down, shiftBit), k.event(up, shiftBit), shift.event(up, 0)}
}

// piece is text that is entered at once: by a key when it is one character of the
// keyboard and keyed.
type piece struct {
	text  string
	keyed bool
}

// pieces cuts text into keys, tabs, newlines and the rest. "aé\tb" is the key a, é,
// a tab and the key b.
func pieces(text string) []piece {
	var out []piece
	total, n := utf8.RuneCountInString(text), 0
	join := false // the last piece can be added to
	for _, r := range text {
		_, onKeyboard := characters[r]
		keyed := onKeyboard && (total <= keyedLimit || n < keyedEnds || n >= total-keyedEnds)
		switch {
		case keyed || r == '\t' || r == '\n':
			out, join = append(out, piece{string(r), keyed}), false
		case join:
			out[len(out)-1].text += string(r)
		default:
			out, join = append(out, piece{string(r), false}), true
		}
		n++
	}
	return out
}

func (p piece) events(f field) []proto.Request {
	switch {
	case p.keyed:
		k := characters[firstRune(p.text)]
		return []proto.Request{k.event(down, 0), k.event(up, 0)}
	case p.text == "\t" && f.Kind != "text":
		k := keyNamed("Tab")
		return []proto.Request{k.event(down, 0), k.event(up, 0)}
	}
	return []proto.Request{proto.InputInsertText{Text: p.text}}
}
