package chrome

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// typeBatch is how many key events are under way at once: enough to hide the
// way to the browser and back, few enough to stop soon when ctx ends.
const typeBatch = 32

// focus is what pageScript's focus reports.
type focus struct {
	Kind   string `json:"kind"` // text, readonly, foreign, other or none
	Length int    `json:"length"`
	Name   string `json:"name"`
}

func (b *instance) planType(a env.Action) (act, error) {
	if !utf8.ValidString(a.Text) {
		return nil, env.Fail(env.BadArgument, "type needs text that is valid UTF-8")
	}
	if a.Text == "" && !a.Clear && !a.Enter {
		return nil, env.Fail(env.BadArgument, "type needs a text")
	}
	if a.Point != nil {
		if _, err := b.needPoint(a); err != nil {
			return nil, err
		}
	}
	return b.settled(func(ctx context.Context, p *page) (env.Outcome, error) {
		var out env.Outcome
		if a.Point != nil {
			out.Hit = b.hit(ctx, p, *a.Point)
			if err := b.click(ctx, p, *a.Point, proto.InputMouseButtonLeft, 1); err != nil {
				return out, err
			}
		}
		f := b.focus(ctx, p)
		left := 0
		if a.Clear {
			var err error
			if left, err = b.clear(ctx, p, f); err != nil {
				return out, err
			}
		}
		if err := b.write(ctx, p, a.Text); err != nil {
			return out, err
		}
		if a.Enter {
			if err := b.stroke(ctx, p, keyOf(input.Enter, "Enter")); err != nil {
				return out, err
			}
		}
		out.Text, out.Tell = typed(a, f, left)
		return out, nil
	}), nil
}

// typed says what typing did. Where it went and that it went nowhere are told
// apart, because a picture shows neither well.
func typed(a env.Action, f focus, left int) (text string, tell bool) {
	text = fmt.Sprintf("typed %d characters", utf8.RuneCountInString(a.Text))
	if a.Enter {
		text += " and Enter"
	}
	switch {
	case f.Kind == "none":
		return text + ", but nothing that takes text has the focus: click a field first", true
	case f.Kind == "readonly":
		return text + ", but the field is read-only", true
	case left > 0:
		return text + fmt.Sprintf(", but %d characters that were in the field before could not be removed", left), true
	case f.Name != "":
		return text + fmt.Sprintf(" into %q", f.Name), false
	}
	return text, false
}

func (b *instance) focus(ctx context.Context, p *page) focus {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	f := focus{Kind: "foreign"}
	_ = b.script(ctx, p, "focus()", &f)
	return f
}

// clear empties what has the focus and gives how many characters withstood it.
// Selecting is done by the page's own means, so no key of any platform matters;
// deleting is a key press, so the page notices it as one.
func (b *instance) clear(ctx context.Context, p *page, f focus) (left int, err error) {
	for range 2 {
		if f.Kind == "text" {
			if err := b.script(ctx, p, "selectAll()", nil); err != nil {
				return 0, err
			}
		} else if err := b.chord(ctx, p, []key{keyOf(input.ControlLeft, ""), keyOf(input.KeyA, "")}); err != nil {
			return 0, err
		}
		if err := b.stroke(ctx, p, keyOf(input.Delete, "")); err != nil {
			return 0, err
		}
		now := b.focus(ctx, p)
		if now.Kind != "text" || now.Length == 0 {
			return 0, nil
		}
		left = now.Length
	}
	return left, nil
}

// write types text exactly: ASCII as keys, a newline as Enter, a tab as Tab, the
// rest as an input method enters it.
func (b *instance) write(ctx context.Context, p *page, text string) error {
	s, cancel := b.bind(ctx, p)
	defer cancel()
	for text = strings.ReplaceAll(text, "\r\n", "\n"); text != ""; {
		var batch []proto.Request
		for text != "" && len(batch) < typeBatch {
			if n := foreignPrefix(text); n > 0 {
				batch = append(batch, proto.InputInsertText{Text: text[:n]})
				text = text[n:]
				continue
			}
			k := asciiKey(rune(text[0]))
			batch = append(batch, k.event(down, 0), k.event(up, 0))
			text = text[1:]
		}
		if err := s.pipeline(batch...); err != nil {
			return err
		}
	}
	return nil
}

// foreignPrefix is the length in bytes of what no key of a US keyboard types. An
// ASCII character that belongs to the cluster before it, as in a keycap emoji,
// follows as a key, which gives the same text.
func foreignPrefix(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { _, ok := asciiKeys[r]; return ok })
	if n < 0 {
		return len(text)
	}
	return n
}
