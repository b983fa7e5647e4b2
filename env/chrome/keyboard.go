package chrome

import (
	"context"
	"errors"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

type stroke string

const (
	down stroke = "down"
	up   stroke = "up"
)

// event is the key going down or up while the modifiers are held. A character
// that needs Shift carries it, as if it were held too. Ctrl, Alt and Meta keep a
// key from typing. There is no native key code in it: with one, what the page
// leaves unhandled goes to the browser's own shortcuts.
func (k key) event(s stroke, modifiers int) proto.InputDispatchKeyEvent {
	if k.shifted {
		modifiers |= shiftBit
	}
	e := proto.InputDispatchKeyEvent{
		Type: proto.InputDispatchKeyEventTypeKeyUp, Modifiers: modifiers, Key: k.name, Code: k.code,
		WindowsVirtualKeyCode: k.number, Location: new(k.location), IsKeypad: k.location == 3,
	}
	if s == up {
		return e
	}
	e.Type = proto.InputDispatchKeyEventTypeRawKeyDown
	if k.text != "" && modifiers&^shiftBit == 0 {
		e.Type, e.Text, e.UnmodifiedText = proto.InputDispatchKeyEventTypeKeyDown, k.text, k.text
	}
	return e
}

// stroke presses and releases one key.
func (b *instance) stroke(ctx context.Context, p *page, k key) error {
	return b.chord(ctx, p, []key{k})
}

// chord presses the keys in order and releases them in reverse; a key that comes
// twice is released before it is pressed again. Whatever was pressed is released
// also when something fails or ctx ends.
func (b *instance) chord(ctx context.Context, p *page, keys []key) (err error) {
	modifiers := 0
	var held []key
	lift := func(ctx context.Context, k key) error {
		modifiers &^= k.modifier
		return b.dispatch(ctx, p, k.event(up, modifiers))
	}
	defer func() {
		ctx, cancel := b.afterwards(ctx)
		defer cancel()
		for i := len(held) - 1; i >= 0; i-- {
			if lifted := lift(ctx, held[i]); err == nil {
				err = lifted
			}
		}
	}()
	for _, k := range keys {
		if k.foreign {
			if err := b.dispatch(ctx, p, proto.InputInsertText{Text: k.text}); err != nil {
				return err
			}
			continue
		}
		for i := range held {
			if held[i].code == k.code && held[i].location == k.location {
				if err := lift(ctx, held[i]); err != nil {
					return err
				}
				held = append(held[:i], held[i+1:]...)
				break
			}
		}
		modifiers |= k.modifier
		held = append(held, k)
		if err := b.dispatch(ctx, p, k.event(down, modifiers)); err != nil {
			return err
		}
	}
	return nil
}

// dispatch sends input events one after the other.
func (b *instance) dispatch(ctx context.Context, p *page, events ...proto.Request) error {
	s, cancel := b.bind(ctx, p)
	defer cancel()
	return s.pipeline(events...)
}

func (b *instance) planKeys(a env.Action) (act, error) {
	keys, err := parseKeys(a.Keys)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, k := range keys {
		names = append(names, shownKey(k))
	}
	said := strings.Join(names, "+")
	press := b.settled(func(ctx context.Context, p *page) (env.Outcome, error) {
		err := b.chord(ctx, p, keys)
		if errors.Is(err, errClosed) {
			err = nil // the key closed the tab, as it may
		}
		return env.Outcome{Text: "pressed " + said}, err
	})
	if s, ok := shortcuts[chordName(keys)]; ok {
		return b.shortcut(s, said, press), nil
	}
	return press, nil
}

// shownKey is a key as outcomes name it.
func shownKey(k key) string {
	if k.name == " " {
		return "Space"
	}
	return k.name
}
