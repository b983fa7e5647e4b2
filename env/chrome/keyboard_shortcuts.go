package chrome

import (
	"context"
	"fmt"
	"strings"

	"fara/env"
)

// shortcut is a chord that means something to the browser around the page, of
// which a browser that is driven has nothing.
type shortcut struct {
	// do does the same in another way; nil when there is none.
	do func(b *instance) act
	// lacks says what is not there, and what to do instead.
	lacks string
	// reserved chords never reach a page, so they are not pressed at all.
	reserved bool
}

// shortcuts are known by their chordName.
var shortcuts = func() map[string]shortcut {
	reload := shortcut{do: func(b *instance) act { return b.reload }}
	back := shortcut{do: func(b *instance) act { return b.goBack }}
	forward := shortcut{do: func(b *instance) act { return b.goForward }}
	tabs := shortcut{lacks: "there is no tab bar here; open addresses with visit_url, close a tab with history_back", reserved: true}
	window := shortcut{lacks: "there is no window here to change"}
	all := map[string]shortcut{
		"F5": reload, "Control+r": reload, "Control+Shift+r": reload, "Control+F5": reload, "Shift+F5": reload, "BrowserRefresh": reload,
		"Alt+ArrowLeft": back, "Alt+ArrowRight": forward, "BrowserBack": back, "BrowserForward": forward,
		"Alt+F4": {lacks: window.lacks, reserved: true}, "F11": window, "Control+=": window, "Control+-": window, "Control+0": window, "Control++": window,
		"F12": {lacks: "there are no developer tools here"}, "Control+Shift+i": {lacks: "there are no developer tools here"},
		"Control+f": {lacks: "there is no find bar here; scroll, or read the page instead"},
		"F3":        {lacks: "there is no find bar here; scroll, or read the page instead"},
		"Control+p": {lacks: "nothing is printed here"}, "Control+s": {lacks: "pages are not saved here"},
		"Control+u": {lacks: "a page's source is not shown here; read the page instead"},
	}
	for _, name := range []string{"t", "n", "w", "Shift+t", "Shift+n", "Shift+w", "Tab", "Shift+Tab", "PageUp", "PageDown", "F4"} {
		all["Control+"+name] = tabs
	}
	for _, name := range []string{"Control+l", "Alt+d", "F6", "Control+k", "Control+e"} {
		all[name] = shortcut{lacks: "there is no address bar here; open addresses with visit_url"}
	}
	for _, name := range []string{"Control+h", "Control+j", "Control+d", "Control+Shift+Delete"} {
		all[name] = shortcut{lacks: "there is nothing of the browser around the page here"}
	}
	return all
}()

// chordName is a chord in one spelling: the modifiers in a fixed order and one
// key, letters small. It is empty for everything else.
func chordName(keys []key) string {
	held, last := 0, ""
	for _, k := range keys {
		switch {
		case k.modifier != 0:
			held |= k.modifier
		case last != "":
			return ""
		default:
			last = k.name
		}
	}
	if len(last) == 1 {
		last = strings.ToLower(last)
	}
	var name strings.Builder
	for _, m := range []struct {
		bit  int
		name string
	}{{controlBit, "Control+"}, {altBit, "Alt+"}, {shiftBit, "Shift+"}, {metaBit, "Meta+"}} {
		if held&m.bit != 0 {
			name.WriteString(m.name)
		}
	}
	return name.String() + last
}

// shortcut gives a chord to the page first, as a browser does, and does what the
// browser would do when the page leaves it to the browser.
func (b *instance) shortcut(s shortcut, said string, press act) act {
	return func(ctx context.Context, p *page) (out env.Outcome, err error) {
		if !s.reserved {
			if out, err = press(ctx, p); err != nil || b.front() != p || b.keyTaken(ctx, p) {
				return out, err
			}
		}
		if s.do != nil {
			return s.do(b)(ctx, p)
		}
		return env.Outcome{Text: fmt.Sprintf("%s does nothing here unless the page itself knows it: %s", said, s.lacks), Tell: true}, nil
	}
}

// keyTaken reports whether the page kept the last key press from the browser.
func (b *instance) keyTaken(ctx context.Context, p *page) bool {
	f, release := b.focused(ctx, p)
	defer release()
	taken := false
	_ = f.ask("keyTaken()", &taken)
	return taken
}
