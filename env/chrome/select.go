package chrome

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// list is a select element, as pageScript's list reports it.
type list struct {
	Options []option `json:"options"`
	Open    bool     `json:"open"`
	Own     bool     `json:"own"`   // the page draws it, and clicks reach its options
	Drawn   bool     `json:"drawn"` // all of it can be seen
}

type option struct {
	At       int    `json:"at"`
	Label    string `json:"label"`
	Value    string `json:"value"`
	Selected bool   `json:"selected"`
	Disabled bool   `json:"disabled"`
}

func (f field) list() (list, error) {
	var l list
	err := f.ask("list()", &l)
	return l, err
}

// current names what is chosen.
func (l list) current() string {
	var names []string
	for _, o := range l.Options {
		if o.Selected {
			names = append(names, fmt.Sprintf("%q", o.Label))
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names[:min(len(names), 10)], ", ")
}

// The most options, and characters of them, that are told in words.
const (
	toldOptions    = 60
	toldCharacters = 1500
)

// names lists the options that can be chosen, as many as are told.
func (l list) names() string {
	var names []string
	size, more := 0, 0
	for _, o := range l.Options {
		if o.Disabled || o.Label == "" {
			continue
		}
		name := fmt.Sprintf("%q", cut(o.Label, 80))
		if size += len(name); len(names) >= toldOptions || size > toldCharacters {
			more++
			continue
		}
		names = append(names, name)
	}
	text := strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// shown tells in words of a list that the last click went to, when the picture
// does not show all of it.
func (l list) shown(f field) string {
	switch {
	case l.Drawn, f.Kind == "select" && l.Own && !l.Open:
		return ""
	case f.Kind == "listbox":
		return fmt.Sprintf("; the %s, now %s, is longer than its box: scroll in it and click, or use type with the names of what to choose, one a line; options: %s",
			f.named("list"), l.current(), l.names())
	case l.Own:
		return fmt.Sprintf("; the %s, now %s, is open and the picture shows a part of it: click an option, scroll in it, or use type with an option's name; options: %s",
			f.named("list"), l.current(), l.names())
	}
	return fmt.Sprintf("; the %s, now %s, has the focus and cannot be drawn: use type with an option's name, or press ArrowDown; options: %s",
		f.named("list"), l.current(), l.names())
}

// chooseOne chooses an option of a dropdown by its name.
func (b *instance) chooseOne(ctx context.Context, p *page, f field, a env.Action) (env.Outcome, error) {
	l, err := f.list()
	if err != nil {
		return env.Outcome{}, err
	}
	if strings.TrimSpace(a.Text) == "" {
		return env.Outcome{}, env.Fail(env.NoEffect, "a list cannot be emptied; use type with the name of an option: %s", l.names())
	}
	o, err := l.find(f, a.Text)
	if err != nil {
		return env.Outcome{}, err
	}
	if o.Selected && !l.Open {
		return env.Outcome{Text: fmt.Sprintf("%q was already chosen in the %s", o.Label, f.named("list")), Tell: true}, nil
	}
	if err := b.choose(ctx, p, f, l, o); err != nil {
		return env.Outcome{}, err
	}
	if o.Selected {
		return env.Outcome{Text: fmt.Sprintf("%q was already chosen in the %s, which is closed now", o.Label, f.named("list"))}, nil
	}
	return env.Outcome{Text: fmt.Sprintf("chose %q in the %s", o.Label, f.named("list"))}, nil
}

// choose makes a choice by keys: in the open list where the page draws it, and
// with an arrow where it is the system's.
func (b *instance) choose(ctx context.Context, p *page, f field, l list, o option) error {
	if l.Own {
		if err := b.chooseInOpen(ctx, p, f, l, o); err != nil || f.chosen(o) {
			return err
		}
	}
	if err := f.ask(fmt.Sprintf("nudge(%d)", o.At), nil); err != nil {
		return err
	}
	if err := b.stroke(ctx, p, keyNamed("ArrowDown")); err != nil || f.chosen(o) {
		return err
	}
	return f.ask(fmt.Sprintf("force(%d)", o.At), nil)
}

func (b *instance) chooseInOpen(ctx context.Context, p *page, f field, l list, o option) error {
	if !l.Open {
		if err := b.stroke(ctx, p, keyNamed("Space")); err != nil {
			return err
		}
	}
	aimed := false
	if err := f.ask(fmt.Sprintf("aim(%d)", o.At), &aimed); err != nil {
		return err
	}
	if !aimed {
		return b.stroke(ctx, p, keyNamed("Escape"))
	}
	return b.stroke(ctx, p, keyNamed("Space"))
}

// chosen reports whether the choice was made; also when the list is gone, because
// the choice did that.
func (f field) chosen(o option) bool {
	took := true
	_ = f.ask(fmt.Sprintf("took(%d)", o.At), &took)
	return took
}

// chooseSome chooses exactly the options that are named, one a line, by clicks:
// the first alone, the others added.
func (b *instance) chooseSome(ctx context.Context, p *page, f field, a env.Action) (env.Outcome, error) {
	l, err := f.list()
	if err != nil {
		return env.Outcome{}, err
	}
	var wanted []option
	for line := range strings.Lines(a.Text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		o, err := l.find(f, line)
		if err != nil {
			return env.Outcome{}, err
		}
		wanted = append(wanted, o)
	}
	if len(wanted) == 0 {
		return env.Outcome{}, env.Fail(env.NoEffect, "use type with the names of the options to choose, one a line: %s", l.names())
	}
	text := fmt.Sprintf("chose %s in the %s", (list{Options: selected(wanted)}).current(), f.named("list"))
	if l.holdsJust(wanted) {
		return env.Outcome{Text: text + ", as it was already", Tell: true}, nil
	}
	for i, o := range wanted {
		held := 0
		if i > 0 {
			held = controlBit
		}
		if err := b.clickOption(f, o, held); err != nil {
			return env.Outcome{}, err
		}
	}
	if now, err := f.list(); err == nil && !now.holdsJust(wanted) {
		return env.Outcome{Text: fmt.Sprintf("the %s now has %s; it may take one choice only", f.named("list"), now.current()), Tell: true}, nil
	}
	return env.Outcome{Text: text}, nil
}

func selected(options []option) []option {
	var out []option
	for _, o := range options {
		o.Selected = true
		out = append(out, o)
	}
	return out
}

// holdsJust reports whether the options are chosen and no others.
func (l list) holdsJust(wanted []option) bool {
	want := map[int]bool{}
	for _, o := range wanted {
		want[o.At] = true
	}
	for _, o := range l.Options {
		if o.Selected != want[o.At] {
			return false
		}
	}
	return true
}

// clickOption clicks an option of a list in the page, in the pixels of the
// outermost document of its process, where the browser tells its place.
func (b *instance) clickOption(f field, o option, held int) error {
	id, err := f.object(fmt.Sprintf("fara.current.options[%d]", o.At))
	if err != nil {
		return err
	}
	if err := (proto.DOMScrollIntoViewIfNeeded{ObjectID: id}).Call(f.session); err != nil {
		return err
	}
	quads, err := proto.DOMGetContentQuads{ObjectID: id}.Call(f.session)
	if err != nil {
		return err
	}
	if len(quads.Quads) == 0 || len(quads.Quads[0]) != 8 {
		return env.Fail(env.NoEffect, "option %q has no place in the page that could be clicked", o.Label)
	}
	q := quads.Quads[0]
	press := proto.InputDispatchMouseEvent{
		Type: proto.InputDispatchMouseEventTypeMousePressed, X: (q[0] + q[4]) / 2, Y: (q[1] + q[5]) / 2,
		Button: proto.InputMouseButtonLeft, Buttons: new(1), ClickCount: 1, Modifiers: held,
	}
	release := press
	release.Type, release.Buttons = proto.InputDispatchMouseEventTypeMouseReleased, new(0)
	return f.session.pipeline(press, release)
}
