package chrome

import (
	"strconv"
	"strings"
)

// The modifiers, as the bits in which events carry them.
const (
	altBit     = 1
	controlBit = 2
	metaBit    = 4
	shiftBit   = 8
)

// key is one key of the keyboard, or a character that is on none.
type key struct {
	name     string // as pages see it in KeyboardEvent.key
	code     string
	number   int    // Windows virtual key code
	location int    // 0 the main part, 1 left, 2 right, 3 the number pad
	text     string // what it types; empty for keys that type nothing
	modifier int    // the bit it sets while held
	shifted  bool   // its character needs Shift on a US keyboard
	foreign  bool   // text is entered as an input method does
}

// typingKeys are the keys of a US keyboard that type, in rows of the key's code,
// its number, and its character without and with Shift.
var typingKeys = []struct {
	code        string
	number      int
	plain, with string
}{
	{"Backquote", 192, "`", "~"}, {"Digit1", 49, "1", "!"}, {"Digit2", 50, "2", "@"}, {"Digit3", 51, "3", "#"},
	{"Digit4", 52, "4", "$"}, {"Digit5", 53, "5", "%"}, {"Digit6", 54, "6", "^"}, {"Digit7", 55, "7", "&"},
	{"Digit8", 56, "8", "*"}, {"Digit9", 57, "9", "("}, {"Digit0", 48, "0", ")"}, {"Minus", 189, "-", "_"},
	{"Equal", 187, "=", "+"}, {"BracketLeft", 219, "[", "{"}, {"BracketRight", 221, "]", "}"}, {"Backslash", 220, `\`, "|"},
	{"Semicolon", 186, ";", ":"}, {"Quote", 222, "'", `"`}, {"Comma", 188, ",", "<"}, {"Period", 190, ".", ">"},
	{"Slash", 191, "/", "?"},
}

// plainKeys are the keys that type nothing, and Enter: what pages call them, the
// key's code when that differs, its number, its side, and the modifier it is.
var plainKeys = []key{
	{name: "Backspace", number: 8}, {name: "Tab", number: 9}, {name: "Enter", number: 13, text: "\r"},
	{name: "Pause", number: 19}, {name: "CapsLock", number: 20}, {name: "Escape", number: 27},
	{name: "PageUp", number: 33}, {name: "PageDown", number: 34}, {name: "End", number: 35}, {name: "Home", number: 36},
	{name: "ArrowLeft", number: 37}, {name: "ArrowUp", number: 38}, {name: "ArrowRight", number: 39}, {name: "ArrowDown", number: 40},
	{name: "PrintScreen", number: 44}, {name: "Insert", number: 45}, {name: "Delete", number: 46}, {name: "Help", number: 47},
	{name: "ContextMenu", number: 93}, {name: "NumLock", number: 144}, {name: "ScrollLock", number: 145},
	{name: "Shift", code: "ShiftLeft", number: 16, location: 1, modifier: shiftBit},
	{name: "Shift", code: "ShiftRight", number: 16, location: 2, modifier: shiftBit},
	{name: "Control", code: "ControlLeft", number: 17, location: 1, modifier: controlBit},
	{name: "Control", code: "ControlRight", number: 17, location: 2, modifier: controlBit},
	{name: "Alt", code: "AltLeft", number: 18, location: 1, modifier: altBit},
	{name: "Alt", code: "AltRight", number: 18, location: 2, modifier: altBit},
	{name: "AltGraph", code: "AltRight", number: 225, location: 2},
	{name: "Meta", code: "MetaLeft", number: 91, location: 1, modifier: metaBit},
	{name: "Meta", code: "MetaRight", number: 92, location: 2, modifier: metaBit},
	{name: "Enter", code: "NumpadEnter", number: 13, location: 3, text: "\r"},
	{name: "AudioVolumeMute", number: 173}, {name: "AudioVolumeDown", number: 174}, {name: "AudioVolumeUp", number: 175},
	{name: "MediaTrackNext", number: 176}, {name: "MediaTrackPrevious", number: 177}, {name: "MediaStop", number: 178},
	{name: "MediaPlayPause", number: 179},
	{name: "BrowserBack", number: 166}, {name: "BrowserForward", number: 167}, {name: "BrowserRefresh", number: 168},
	{name: "BrowserSearch", number: 170}, {name: "BrowserHome", number: 172},
}

// numberPad are the typing keys of the number pad.
var numberPad = []struct {
	code   string
	number int
	text   string
}{
	{"NumpadMultiply", 106, "*"}, {"NumpadAdd", 107, "+"}, {"NumpadSubtract", 109, "-"}, {"NumpadDecimal", 110, "."}, {"NumpadDivide", 111, "/"},
}

// characters are what a US keyboard types, by character.
var characters = func() map[rune]key {
	keys := map[rune]key{' ': {name: " ", code: "Space", number: 32, text: " "}}
	add := func(text, code string, number int, shifted bool) {
		keys[rune(text[0])] = key{name: text, code: code, number: number, text: text, shifted: shifted}
	}
	for _, k := range typingKeys {
		add(k.plain, k.code, k.number, false)
		add(k.with, k.code, k.number, true)
	}
	for c := 'A'; c <= 'Z'; c++ {
		add(strings.ToLower(string(c)), "Key"+string(c), int(c), false)
		add(string(c), "Key"+string(c), int(c), true)
	}
	return keys
}()

// shiftOf gives the character that Shift makes of another one's key.
var shiftOf = func() map[string]string {
	with := map[string]string{}
	for _, k := range typingKeys {
		with[k.plain] = k.with
	}
	for c := 'A'; c <= 'Z'; c++ {
		with[strings.ToLower(string(c))] = string(c)
	}
	return with
}()

// named are the keys by code, in lower case: each has a name of its own there,
// the left and the right one of a pair too.
var named = func() map[string]key {
	keys := map[string]key{"space": characters[' ']}
	add := func(k key) {
		if k.code == "" {
			k.code = k.name
		}
		if k.name == "AltGraph" {
			keys["altgraph"] = k
			return
		}
		keys[strings.ToLower(k.code)] = k
	}
	for _, k := range plainKeys {
		add(k)
	}
	for n := range 24 {
		name := "F" + strconv.Itoa(n+1)
		add(key{name: name, number: 112 + n})
	}
	for n := range 10 {
		add(key{name: strconv.Itoa(n), code: "Numpad" + strconv.Itoa(n), number: 96 + n, location: 3, text: strconv.Itoa(n)})
	}
	for _, k := range numberPad {
		add(key{name: k.text, code: k.code, number: k.number, location: 3, text: k.text})
	}
	for r, k := range characters {
		if !k.shifted && r != ' ' {
			keys[strings.ToLower(k.code)] = k // KeyA, Digit1, BracketLeft
		}
	}
	return keys
}()

func keyNamed(code string) key { return named[strings.ToLower(code)] }
