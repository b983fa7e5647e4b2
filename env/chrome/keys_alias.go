package chrome

import (
	"strconv"
	"strings"
)

// aliases are further names of keys, in lower case and without spaces, dashes and
// underscores: those of the DOM, of Windows, macOS and X, of the libraries that
// models have seen used, and their short forms. Each row is a key's code or the
// character it types, and its other names.
var aliases = func() map[string]key {
	keys := map[string]key{}
	for _, row := range [][2]string{
		{"Enter", "return linefeed carriagereturn ⏎ ↵ ↩"}, {"NumpadEnter", "kpenter numenter enternumpad"},
		{"Tab", "⇥ isolefttab"}, {"Escape", "esc cancel ⎋"}, {"Space", "spacebar spacekey blank ␣"},
		{"Backspace", "bksp bkspc bs backsp ⌫"}, {"Delete", "del kpdelete deleteforward forwarddelete ⌦"},
		{"Insert", "ins kpinsert"}, {"Home", "kphome begin ↖"}, {"End", "kpend ↘"},
		{"PageUp", "pgup prior kpprior kppageup ⇞"}, {"PageDown", "pgdn pgdown next kpnext kppagedown ⇟"},
		{"ArrowUp", "up uparrow kpup ↑"}, {"ArrowDown", "down downarrow kpdown ↓"},
		{"ArrowLeft", "left leftarrow kpleft ←"}, {"ArrowRight", "right rightarrow kpright →"},
		{"ControlLeft", "control ctrl ctl controll ctrll ctrlleft lctrl lcontrol leftcontrol leftctrl controlormeta mod ⌃"},
		{"ControlRight", "controlr ctrlr ctrlright rctrl rcontrol rightcontrol rightctrl"},
		// A Mac's Command key does in a page what Control does here.
		{"ControlLeft", "cmd command cmdl commandl cmdleft commandleft leftcommand cmdorctrl commandorcontrol ⌘"},
		{"ControlRight", "cmdr commandr cmdright commandright rightcommand"},
		{"ShiftLeft", "shift shiftl lshift leftshift ⇧"}, {"ShiftRight", "shiftr rshift rightshift"},
		{"AltLeft", "alt option opt altl lalt leftalt optionleft menual ⌥"}, {"AltRight", "altr ralt rightalt optionright"},
		{"AltGraph", "altgr isolevel3shift"},
		{"MetaLeft", "meta super win windows os winleft lwin leftwin superl metal leftmeta windowskey winkey hyper"},
		{"MetaRight", "superr metar winright rwin rightwin rightmeta"},
		{"CapsLock", "caps capital"}, {"NumLock", "num numberlock"}, {"ScrollLock", "scroll"},
		{"PrintScreen", "print prtsc prtscr prntscrn printscr snapshot sysreq"}, {"Pause", "break pausebreak"},
		{"ContextMenu", "menu apps application contextmenukey"},
		{"NumpadAdd", "kpadd add numplus plusnumpad"}, {"NumpadSubtract", "kpsubtract subtract numminus"},
		{"NumpadMultiply", "kpmultiply multiply"}, {"NumpadDivide", "kpdivide divide"}, {"NumpadDecimal", "kpdecimal decimal kpseparator separator"},
		{"AudioVolumeMute", "volumemute"}, {"AudioVolumeDown", "volumedown"}, {"AudioVolumeUp", "volumeup"},
		{"MediaPlayPause", "playpause"}, {"MediaTrackNext", "nexttrack"}, {"MediaTrackPrevious", "prevtrack"},
		{"BrowserRefresh", "refresh"},
		{"+", "plus"}, {"-", "minus hyphen dash"}, {"=", "equals equal"}, {"_", "underscore"}, {"/", "slash forwardslash"}, {`\`, "backslash"},
		{".", "period dot fullstop"}, {",", "comma"}, {";", "semicolon"}, {":", "colon"}, {"'", "apostrophe quote singlequote quoteright"},
		{`"`, "quotedbl doublequote"}, {"`", "grave backquote backtick quoteleft"}, {"~", "asciitilde tilde"}, {"!", "exclam exclamation"},
		{"@", "at"}, {"#", "numbersign hash pound"}, {"$", "dollar"}, {"%", "percent"}, {"^", "asciicircum caret circumflex"}, {"&", "ampersand"},
		{"*", "asterisk star"}, {"(", "parenleft"}, {")", "parenright"}, {"[", "bracketleft openbracket"}, {"]", "bracketright closebracket"},
		{"{", "braceleft openbrace"}, {"}", "braceright closebrace"}, {"|", "bar pipe"}, {"<", "less lessthan"}, {">", "greater greaterthan"},
		{"?", "question questionmark"},
	} {
		k, ok := characters[rune(row[0][0])]
		if len(row[0]) > 1 || !ok {
			k = keyNamed(row[0])
		}
		for _, name := range strings.Fields(row[1]) {
			keys[name] = k
		}
	}
	for n := range 10 {
		digit := strconv.Itoa(n)
		pad := keyNamed("Numpad" + digit)
		for _, prefix := range []string{"kp", "num", "numpadkey"} {
			keys[prefix+digit] = pad
		}
	}
	return keys
}()
