package chrome

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/input"

	"fara/env"
)

// namedKeys are the keys with names, in lower case without spaces, dashes and
// underscores: the names of the DOM, of Windows, macOS and X, and the short forms
// that models use.
var namedKeys = map[string]key{
	"enter": keyOf(input.Enter, "Enter"), "return": keyOf(input.Enter, "Enter"), "kpenter": keyOf(input.NumpadEnter, "Enter"),
	"tab": keyOf(input.Tab, "Tab"), "escape": keyOf(input.Escape, ""), "esc": keyOf(input.Escape, ""),
	"space": keyOf(input.Space, ""), "spacebar": keyOf(input.Space, ""),
	"backspace": keyOf(input.Backspace, ""), "bksp": keyOf(input.Backspace, ""),
	"delete": keyOf(input.Delete, ""), "del": keyOf(input.Delete, ""),
	"insert": keyOf(input.Insert, ""), "ins": keyOf(input.Insert, ""),
	"home": keyOf(input.Home, ""), "end": keyOf(input.End, ""),
	"pageup": keyOf(input.PageUp, ""), "pgup": keyOf(input.PageUp, ""), "prior": keyOf(input.PageUp, ""),
	"pagedown": keyOf(input.PageDown, ""), "pgdn": keyOf(input.PageDown, ""), "pgdown": keyOf(input.PageDown, ""), "next": keyOf(input.PageDown, ""),
	"arrowup": keyOf(input.ArrowUp, ""), "up": keyOf(input.ArrowUp, ""), "uparrow": keyOf(input.ArrowUp, ""),
	"arrowdown": keyOf(input.ArrowDown, ""), "down": keyOf(input.ArrowDown, ""), "downarrow": keyOf(input.ArrowDown, ""),
	"arrowleft": keyOf(input.ArrowLeft, ""), "left": keyOf(input.ArrowLeft, ""), "leftarrow": keyOf(input.ArrowLeft, ""),
	"arrowright": keyOf(input.ArrowRight, ""), "right": keyOf(input.ArrowRight, ""), "rightarrow": keyOf(input.ArrowRight, ""),
	"control": keyOf(input.ControlLeft, ""), "ctrl": keyOf(input.ControlLeft, ""), "controlleft": keyOf(input.ControlLeft, ""),
	"controll": keyOf(input.ControlLeft, ""), "controlr": keyOf(input.ControlRight, ""), "controlormeta": keyOf(input.ControlLeft, ""),
	// A Mac's Command key does in a page what Control does here.
	"cmd": keyOf(input.ControlLeft, ""), "command": keyOf(input.ControlLeft, ""),
	"shift": keyOf(input.ShiftLeft, ""), "shiftleft": keyOf(input.ShiftLeft, ""), "shiftl": keyOf(input.ShiftLeft, ""), "shiftr": keyOf(input.ShiftRight, ""),
	"alt": keyOf(input.AltLeft, ""), "option": keyOf(input.AltLeft, ""), "altleft": keyOf(input.AltLeft, ""), "altl": keyOf(input.AltLeft, ""), "altr": keyOf(input.AltRight, ""),
	"altgr": keyOf(input.AltGraph, ""), "altgraph": keyOf(input.AltGraph, ""),
	"meta": keyOf(input.MetaLeft, ""), "super": keyOf(input.MetaLeft, ""), "win": keyOf(input.MetaLeft, ""), "windows": keyOf(input.MetaLeft, ""), "superl": keyOf(input.MetaLeft, ""),
	"capslock": keyOf(input.CapsLock, ""), "numlock": keyOf(input.NumLock, ""), "scrolllock": keyOf(input.ScrollLock, ""),
	"printscreen": keyOf(input.PrintScreen, ""), "pause": keyOf(input.Pause, ""),
	"menu": keyOf(input.ContextMenu, ""), "contextmenu": keyOf(input.ContextMenu, ""),
	"f1": keyOf(input.F1, ""), "f2": keyOf(input.F2, ""), "f3": keyOf(input.F3, ""), "f4": keyOf(input.F4, ""),
	"f5": keyOf(input.F5, ""), "f6": keyOf(input.F6, ""), "f7": keyOf(input.F7, ""), "f8": keyOf(input.F8, ""),
	"f9": keyOf(input.F9, ""), "f10": keyOf(input.F10, ""), "f11": keyOf(input.F11, ""), "f12": keyOf(input.F12, ""),
	"plus": asciiKey('+'), "minus": asciiKey('-'), "slash": asciiKey('/'), "backslash": asciiKey('\\'),
	"period": asciiKey('.'), "dot": asciiKey('.'), "comma": asciiKey(','), "equal": asciiKey('='), "equals": asciiKey('='),
	"semicolon": asciiKey(';'), "apostrophe": asciiKey('\''), "quote": asciiKey('\''), "grave": asciiKey('`'), "backquote": asciiKey('`'),
	"divide": asciiKey('/'), "bracketleft": asciiKey('['), "bracketright": asciiKey(']'), "underscore": asciiKey('_'),
}

// asciiKeys are the characters that a US keyboard types.
var asciiKeys = func() map[rune]key {
	keys := map[rune]key{'\n': keyOf(input.Enter, "Enter"), '\r': keyOf(input.Enter, "Enter"), '\t': keyOf(input.Tab, "Tab")}
	for r := ' '; r <= '~'; r++ {
		keys[r] = keyOf(input.Key(r), "")
	}
	return keys
}()

func asciiKey(r rune) key { return asciiKeys[r] }

// parseKeys reads key names. A string may be one key or a chord, and the strings
// together are one chord: {"ctrl","a"} is {"ctrl+a"}.
func parseKeys(names []string) ([]key, error) {
	var keys []key
	for _, name := range names {
		if k, ok := lookUp(name); ok {
			keys = append(keys, k)
			continue
		}
		for _, part := range splitChord(name) {
			k, ok := lookUp(part)
			if !ok {
				return nil, unknownKey(part)
			}
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil, env.Fail(env.BadArgument, "key needs at least one key, such as Enter or ctrl+a")
	}
	return inCase(keys), nil
}

// lookUp finds one key by its name or as the one character that it is.
func lookUp(name string) (key, bool) {
	if r, n := utf8.DecodeRuneInString(name); n > 0 && n == len(name) {
		if k, ok := asciiKeys[r]; ok {
			return k, true
		}
		return key{text: name, foreign: true}, r != utf8.RuneError
	}
	plain := strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(name))
	if k, ok := namedKeys[plain]; ok && !strings.HasSuffix(name, "-") {
		return k, true
	}
	if code, ok := strings.CutPrefix(plain, "key"); ok && len(code) == 1 {
		return lookUp(code)
	}
	if code, ok := strings.CutPrefix(plain, "digit"); ok && len(code) == 1 {
		return lookUp(code)
	}
	return key{}, false
}

// splitChord cuts "ctrl+shift+t" at its signs; a last "+" is the key itself, as
// in "ctrl++".
func splitChord(name string) []string {
	sign := "+"
	if !strings.Contains(name, sign) && strings.Contains(name, "-") {
		sign = "-"
	}
	var parts []string
	for rest := name; rest != ""; {
		i := strings.Index(rest[1:], sign)
		if i < 0 {
			return append(parts, strings.TrimSpace(rest))
		}
		parts = append(parts, strings.TrimSpace(rest[:i+1]))
		rest = rest[i+2:]
	}
	return append(parts, "") // ends with a sign: a key is missing
}

// inCase fits letters to their modifiers: with Shift they are capitals, with
// Ctrl, Alt or Meta alone they are small, whatever the model wrote.
func inCase(keys []key) []key {
	held := 0
	for _, k := range keys {
		held |= k.modifier
	}
	for i, k := range keys {
		if k.modifier != 0 || k.foreign || held == 0 || len(k.text) != 1 {
			continue
		}
		if held&input.ModifierShift == 0 {
			keys[i] = asciiKey(rune(strings.ToLower(k.text)[0]))
			continue
		}
		if shifted, ok := input.Key(k.text[0]).Shift(); ok {
			keys[i] = asciiKey(rune(shifted))
		}
	}
	return keys
}

// unknownKey names the keys that come closest.
func unknownKey(name string) error {
	plain := strings.ToLower(strings.TrimSpace(name))
	type near struct {
		name string
		far  int
	}
	var close []near
	for candidate := range namedKeys {
		if d := distance(plain, candidate); d <= 1+len(plain)/3 {
			close = append(close, near{candidate, d})
		}
	}
	slices.SortFunc(close, func(a, b near) int {
		if a.far != b.far {
			return a.far - b.far
		}
		return strings.Compare(a.name, b.name)
	})
	hint := "use names such as Enter, Tab, Escape, ArrowDown, PageDown, ctrl+a; text is for type"
	if len(close) > 0 {
		var names []string
		for _, c := range close[:min(3, len(close))] {
			names = append(names, c.name)
		}
		hint = "did you mean " + strings.Join(names, " or ") + "?"
	}
	return env.Fail(env.UnknownKey, "there is no key %q; %s", cut(name, 40), fmt.Sprint(hint))
}

// distance is how many letters have to be changed, added or left out to make
// one word the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
