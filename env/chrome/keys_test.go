package chrome

import (
	"errors"
	"strings"
	"testing"

	"fara/env"
)

// shown names the keys of a chord as outcomes do, with the side of those that come
// in pairs and on the number pad.
func shown(keys []key) string {
	var names []string
	for _, k := range keys {
		names = append(names, shownKey(k)+[]string{"", "", ":right", ":pad"}[k.location])
	}
	return strings.Join(names, " ")
}

func TestChordsAreCutAtTheirSigns(t *testing.T) {
	for written, want := range map[string]string{
		"ctrl+a": "Control a", "ctrl++": "Control +", "+": "+", "-": "-", "ctrl--": "Control -", "Ctrl + Shift + T": "Control Shift T",
		"shift+1": "Shift !", "page up": "PageUp", "KeyQ": "q", "digit7": "7", "ctrl a": "Control a", "Down Down Enter": "ArrowDown ArrowDown Enter",
		"ctrl-shift-t": "Control Shift T", "shift+KP_5": "Shift 5:pad", "Ctrl+Alt+Delete": "Control Alt Delete", "ctrl+KeyC": "Control c",
	} {
		keys, err := parseKeys([]string{written})
		if got := shown(keys); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", written, got, err, want)
		}
	}
	for _, written := range []string{"", "ctrl+", "ctrl-", "ctrl+nokey", "hello", "\xff", "\x07", "hello world"} {
		if keys, err := parseKeys([]string{written}); err == nil {
			t.Errorf("%q: got %v, want an error", written, shown(keys))
		}
	}
}

func TestKeysHaveManyNames(t *testing.T) {
	for want, names := range map[string]string{
		"Enter": "enter ENTER Return return Key.enter <Enter> {ENTER} VK_RETURN linefeed \n ⏎", "Enter:pad": "KP_Enter NumpadEnter numpad_enter",
		"Escape": "esc Esc ESCAPE escape", "Tab": "tab ISO_Left_Tab VK_TAB", "Space": "space SPACE spacebar",
		"Backspace": "BackSpace backspace bksp", "Delete": "del DELETE Delete", "Insert": "ins Insert",
		"Home": "home VK_HOME", "End": "END", "PageUp": "pgup Page_Up Prior page_up PAGEUP", "PageDown": "pgdn Page_Down Next pagedown",
		"ArrowUp": "up Up UpArrow arrow_up arrowup ↑", "ArrowDown": "down arrow_down Arrow-Down DOWN", "ArrowLeft": "left Left", "ArrowRight": "right arrowRight",
		"Control": "ctrl Ctrl CONTROL Control_L ctrlleft cmd Command ControlOrMeta ⌘", "Control:right": "Control_R ctrlright rctrl",
		"Shift": "shift Shift_L lshift", "Shift:right": "Shift_R shiftright", "Alt": "alt Alt_L option", "Alt:right": "Alt_R altright", "AltGraph:right": "altgr AltGraph ISO_Level3_Shift",
		"Meta": "meta super Super_L win Windows winleft LWIN", "Meta:right": "Super_R winright",
		"F1": "f1 F1 VK_F1", "F12": "F12", "F24": "f24", "CapsLock": "caps_lock capslock", "NumLock": "Num_Lock", "ScrollLock": "Scroll_Lock",
		"PrintScreen": "prtsc Print printscreen PrtScr", "Pause": "pause break", "ContextMenu": "Menu apps contextmenu",
		"7:pad": "KP_7 num7 Numpad7 NUMPAD7", "+:pad": "KP_Add add NumpadAdd", ".:pad": "decimal KP_Decimal",
		"!": "exclam !", "~": "asciitilde", "?": "question", "{": "braceleft", "-": "minus hyphen -", "@": "at", "a": "a KeyA Key.a", "Q": "Q",
		"AudioVolumeUp": "volumeup", "MediaPlayPause": "playpause",
	} {
		for _, name := range strings.Fields(names) {
			name = strings.ReplaceAll(name, `\n`, "\n")
			keys, err := parseKeys([]string{name})
			if got := shown(keys); err != nil || got != want {
				t.Errorf("%q: got %q, %v, want %q", name, got, err, want)
			}
		}
	}
}

func TestAnUnknownKeyIsToldWithCloseOnes(t *testing.T) {
	for written, want := range map[string]string{
		"fn": "F1", "entre": "Enter", "escpae": "Escape", "pagedwn": "PageDown", "arowdown": "ArrowDown", "contrl": "Control", "quux-nothing": "use names such as", "ctrl+entr": "Enter",
	} {
		_, err := parseKeys([]string{written})
		var action *env.ActionError
		if !errors.As(err, &action) || action.Code != env.UnknownKey || !strings.Contains(action.Text, want) {
			t.Errorf("%q: got %v, want an unknown key and %q named", written, err, want)
		}
	}
}

func TestEveryKeyIsWhole(t *testing.T) {
	for name, k := range named {
		if k.name == "" || k.code == "" || k.number == 0 {
			t.Errorf("%s: got %+v, want a name, a code and a number", name, k)
		}
	}
	for name, k := range aliases {
		if k.code == "" {
			t.Errorf("alias %s leads to no key", name)
		}
	}
	for r := ' '; r <= '~'; r++ {
		if k := characters[r]; k.text != string(r) || k.code == "" || k.number == 0 {
			t.Errorf("%q: got %+v, want a key that types it", r, k)
		}
	}
}
