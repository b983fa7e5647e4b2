package chrome

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// key is one key of the keyboard, or a character that is on none.
type key struct {
	name     string // as pages see it in KeyboardEvent.key
	code     string
	number   int // Windows virtual key code
	location int
	text     string // what it types; empty for keys that type nothing
	modifier int    // the bit it sets while held
	foreign  bool   // text is entered as an input method does
}

type stroke string

const (
	down stroke = "down"
	up   stroke = "up"
)

// keyOf takes a key's place on the keyboard from rod's table. name is set where
// that gives a control character instead of the name pages expect.
func keyOf(k input.Key, name string) key {
	info := k.Info()
	out := key{name: info.Key, code: info.Code, number: info.KeyCode, location: info.Location, modifier: k.Modifier()}
	if len(info.Key) == 1 {
		out.text = info.Key
	}
	if name != "" {
		out.name = name
	}
	if name == "Tab" {
		out.text = ""
	}
	return out
}

// event is the key going down or up while the modifiers are held. Ctrl, Alt and
// Meta keep a key from typing its character.
func (k key) event(s stroke, modifiers int) proto.InputDispatchKeyEvent {
	e := proto.InputDispatchKeyEvent{
		Type: proto.InputDispatchKeyEventTypeKeyUp, Modifiers: modifiers, Key: k.name, Code: k.code,
		WindowsVirtualKeyCode: k.number, NativeVirtualKeyCode: k.number, Location: new(k.location),
	}
	if s == up {
		return e
	}
	e.Type = proto.InputDispatchKeyEventTypeRawKeyDown
	if k.text != "" && modifiers&^input.ModifierShift == 0 {
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

func (b *instance) dispatch(ctx context.Context, p *page, command proto.Request) error {
	s, cancel := b.bind(ctx, p)
	defer cancel()
	return s.pipeline(command)
}

func (b *instance) planKeys(a env.Action) (act, error) {
	keys, err := parseKeys(a.Keys)
	if err != nil {
		return nil, err
	}
	said := strings.Join(chordNames(keys), "+")
	if do, ok := b.shortcut(keys, said); ok {
		return do, nil
	}
	return b.settled(func(ctx context.Context, p *page) (env.Outcome, error) {
		err := b.chord(ctx, p, keys)
		if errors.Is(err, errClosed) {
			err = nil // the key closed the tab, as it may
		}
		return env.Outcome{Text: "pressed " + said}, err
	}), nil
}

// shortcut finds the chords that belong to the browser around the page, which a
// headless browser does not have: reload and history are done in its place, the
// others are answered.
func (b *instance) shortcut(keys []key, said string) (act, bool) {
	switch strings.ToLower(said) {
	case "f5", "control+r", "control+shift+r", "shift+control+r", "control+f5":
		return b.reload, true
	case "alt+arrowleft":
		return b.goBack, true
	case "alt+arrowright":
		return b.goForward, true
	case "control+t", "control+n", "control+l", "control+w", "control+=", "control+-", "control+0", "f6", "f11", "f12", "alt+f4":
		return func(context.Context, *page) (env.Outcome, error) {
			return env.Outcome{Text: fmt.Sprintf("%s does nothing here: there are no tabs, address bar or windows to use; open addresses with visit_url", said), Tell: true}, nil
		}, true
	}
	return nil, false
}

func chordNames(keys []key) []string {
	var names []string
	for _, k := range keys {
		name := k.name
		if k.foreign {
			name = k.text
		}
		if name == " " {
			name = "Space"
		}
		names = append(names, name)
	}
	return names
}
