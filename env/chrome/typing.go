package chrome

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

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
	a.Text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(a.Text)
	return b.settled(func(ctx context.Context, p *page) (env.Outcome, error) {
		if a.Document == "" { // a file's name is no document's
			if out, given, err := b.answerChooser(ctx, p, a); given {
				return out, err
			}
		}
		hit, err := b.reach(ctx, p, a)
		if err != nil {
			return env.Outcome{}, err
		}
		f, release := b.clickedField(ctx, p, a)
		defer release()
		confided, err := b.confide(p, f, a)
		if err != nil {
			return env.Outcome{}, err
		}
		defer confided()
		out, err := b.fill(ctx, p, f, a)
		out.Hit = hit
		return out, err
	}), nil
}

// reach gives the focus to what is at the action's point: by a click, but without
// one to what a click would change, such as a box, a slider or a list in the page.
func (b *instance) reach(ctx context.Context, p *page, a env.Action) (*env.Element, error) {
	if a.Point == nil {
		return nil, nil
	}
	seen := b.under(ctx, p, *a.Point)
	if err := b.unmoved(ctx, p, seen); err != nil {
		return nil, err
	}
	taken := false
	if a.Text != "" && b.ask(ctx, p, seen.spots[len(seen.spots)-1], "take()", &taken) == nil && taken {
		return seen.element(), nil
	}
	return seen.element(), b.strike(ctx, p, *a.Point, proto.InputMouseButtonLeft, 1)
}

// focusLimit is how long a field may take to come up after a click on what stands
// for it.
const focusLimit = 400 * time.Millisecond

// clickedField is what has the focus. After a click on what takes no text it waits
// for a moment: some pages bring the field up only then.
func (b *instance) clickedField(ctx context.Context, p *page, a env.Action) (field, context.CancelFunc) {
	f, release := b.focused(ctx, p)
	if a.Point == nil {
		return f, release
	}
	limited, cancel := context.WithTimeout(ctx, focusLimit)
	defer cancel()
	_ = poll(limited, settlePoll, func() (bool, error) {
		if f.Kind != "none" && f.Kind != "button" {
			return true, nil
		}
		release()
		f, release = b.focused(ctx, p)
		return false, nil
	})
	return f, release
}

// fill puts the text into a field as the field takes it.
func (b *instance) fill(ctx context.Context, p *page, f field, a env.Action) (env.Outcome, error) {
	switch f.Kind {
	case "select":
		return b.chooseOne(ctx, p, f, a)
	case "listbox":
		return b.chooseSome(ctx, p, f, a)
	case "temporal":
		return b.fillTime(ctx, p, f, a)
	case "color":
		return b.fillColor(ctx, p, f, a)
	case "range":
		return b.fillRange(ctx, p, f, a)
	case "check":
		return b.fillCheck(ctx, p, f, a)
	case "file":
		return b.fillFile(ctx, p, f, a)
	case "button":
		if a.Text != "" {
			return env.Outcome{}, env.Fail(env.NoEffect, "%s has the focus and takes no text; click a field first", f.named("a button or link"))
		}
	}
	return b.typeText(ctx, p, f, a)
}

// typeText types into a field of text, or into whatever has the focus.
func (b *instance) typeText(ctx context.Context, p *page, f field, a env.Action) (env.Outcome, error) {
	left := 0
	if a.Clear {
		var err error
		if left, err = b.clear(ctx, p, f); err != nil {
			return env.Outcome{}, err
		}
	}
	if f.Line && a.Enter {
		a.Text = strings.TrimSuffix(a.Text, "\n") // one Enter is meant
	}
	if f.Kind == "text" {
		_ = f.ask("mark()", nil)
	}
	rest, err := b.write(ctx, p, f, a.Text)
	if err != nil {
		return env.Outcome{}, err
	}
	if rest != "" {
		text := fmt.Sprintf("typed %d of %d characters: Enter took the focus away from the field, and the rest was not typed elsewhere",
			utf8.RuneCountInString(a.Text)-utf8.RuneCountInString(rest), utf8.RuneCountInString(a.Text))
		return env.Outcome{Text: text, Tell: true}, nil
	}
	how, err := b.outcomeOf(ctx, p, f, a)
	if err != nil {
		return env.Outcome{}, err
	}
	if a.Enter {
		if err := b.stroke(ctx, p, keyNamed("Enter")); err != nil {
			return env.Outcome{}, err
		}
	}
	var out env.Outcome
	out.Text, out.Tell = typed(a, f, left, how)
	return out, nil
}

// typed says what typing did. Where it went and that it went nowhere are told
// apart, because a picture shows neither well. What the field holds is never
// repeated: it may be a password.
func typed(a env.Action, f field, left int, how result) (text string, tell bool) {
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
	case how.How == "short":
		return text + fmt.Sprintf(", but the field takes no more: the last %d were left out", how.Lacks), true
	case how.How == "other":
		return f.into(text) + ", but the field holds something else now: look at it", true
	}
	return f.into(text), false
}

func (f field) into(text string) string {
	if f.Name == "" {
		return text
	}
	return fmt.Sprintf("%s into %q", text, f.Name)
}

// result is what pageScript's came reports.
type result struct {
	How   string `json:"how"`
	Lacks int    `json:"lacks"`
}

// outcomeOf compares the field with what it should hold. A suggestion that the
// page has put behind the text is removed, as a hand does with Delete.
func (b *instance) outcomeOf(ctx context.Context, p *page, f field, a env.Action) (result, error) {
	text := a.Text
	if f.Kind != "text" || text == "" || f.Line && strings.Contains(text, "\n") {
		return result{How: "unknown"}, nil
	}
	call := fmt.Sprintf("came(%s)", quoteJS(text))
	var how result
	_ = f.ask(call, &how)
	if how.How != "tail" {
		return how, nil
	}
	if err := b.stroke(ctx, p, keyNamed("Delete")); err != nil {
		return how, err
	}
	_ = f.ask(call, &how)
	return how, nil
}

// clear empties what has the focus and gives how many characters withstood it.
// Selecting is done by the page's own means, so no key of any platform matters;
// deleting is a key press, so the page notices it as one.
func (b *instance) clear(ctx context.Context, p *page, f field) (left int, err error) {
	if f.Kind != "text" && f.Kind != "other" {
		return 0, nil
	}
	for range 2 {
		if f.Kind == "text" {
			err = f.ask("selectAll()", nil)
		} else {
			err = b.selectAll(ctx, p)
		}
		if err == nil {
			err = b.stroke(ctx, p, keyNamed("Delete"))
		}
		if err != nil || f.Kind != "text" {
			return 0, err
		}
		if f.ask("left()", &left) != nil || left == 0 {
			return 0, nil
		}
	}
	return left, nil
}

// selectAll presses Control and A and names what that stands for, because on a
// Mac it is another chord.
func (b *instance) selectAll(ctx context.Context, p *page) error {
	control, a := keyNamed("ControlLeft"), keyNamed("KeyA")
	press := a.event(down, controlBit)
	press.Commands = []string{"selectAll"}
	return b.dispatch(ctx, p, control.event(down, controlBit), press, a.event(up, controlBit), control.event(up, 0))
}
