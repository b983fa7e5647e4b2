package policy

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// chord is what matters of keys that are pressed together.
type chord struct {
	enter, space, tab, control bool
	text                       bool // it writes something, or pastes
}

var (
	enterKeys   = []string{"enter", "return", "linefeed", "carriagereturn", "numpadenter", "kpenter", "numenter", "enternumpad", "⏎", "↵", "↩", "\n", "\r"}
	spaceKeys   = []string{"space", "spacebar", "spacekey", "blank", "␣"}
	tabKeys     = []string{"tab", "isolefttab", "⇥", "\t", "f6"}
	controlKeys = []string{"ctrl", "control", "ctl", "cmd", "command", "meta", "super", "⌘", "⌃", "controlleft", "controlright", "ctrll", "ctrlr", "cmdorctrl", "commandorcontrol", "controlormeta", "mod"}
)

// keysOf reads names of keys as loosely as a browser does: what may be Enter is.
func keysOf(names []string) chord {
	var c chord
	letters := false
	for _, name := range names {
		if name == " " {
			c.space = true
		}
		for _, part := range partsOf(name) {
			is := func(keys []string) bool { return slices.Contains(keys, part) }
			c.enter = c.enter || is(enterKeys)
			c.space = c.space || is(spaceKeys)
			c.tab = c.tab || is(tabKeys)
			c.control = c.control || is(controlKeys)
			letters = letters || utf8.RuneCountInString(part) == 1 && !is(enterKeys) && !is(tabKeys) && !is(controlKeys)
		}
	}
	pastes := c.control && slices.ContainsFunc(names, func(n string) bool { return slices.Contains(partsOf(n), "v") })
	c.text = letters && !c.control || pastes
	return c
}

// partsOf splits a chord, in lower case, and adds the whole without its joints.
func partsOf(name string) []string {
	lower := strings.ToLower(name)
	if utf8.RuneCountInString(lower) == 1 {
		return []string{lower}
	}
	lower = strings.Trim(lower, " <>{}[]")
	for _, prefix := range []string{"keys.", "key.", "vk_", "xk_", "keyboardkey.", "keyname."} {
		lower = strings.TrimPrefix(lower, prefix)
	}
	parts := strings.FieldsFunc(lower, func(r rune) bool { return strings.ContainsRune("+-_ ,", r) })
	return append(parts, strings.NewReplacer("+", "", "-", "", "_", "", " ", "").Replace(lower))
}
