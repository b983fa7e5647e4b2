package envtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fara/env"
)

func keyCases() []browserCase {
	return []browserCase{
		{name: "NamedKeysAreKeysAndNoText", run: pressesNamedKeys},
		{name: "KeysGoByManyNames", run: pressesAliases},
		{name: "ChordsHoldTheirModifiers", run: pressesChords},
		{name: "CharactersTypeThemselves", run: pressesCharacters},
		{name: "ARepeatedKeyIsPressedAgain", run: pressesAgain},
		{name: "AnUnknownKeyIsNamedWithCloseOnesAndNoModifierStaysDown", run: refusesUnknownKeys},
		{name: "TheClipboardGoesBetweenFieldsAndTabs", run: copiesAndPastes},
		{name: "EditingChordsEdit", run: edits},
		{name: "BrowserChordsReloadAndTravel", run: travelsByKeys},
		{name: "APageMayKeepABrowserChord", run: keepsChords},
	}
}

// keyLog writes the key events since all keys were last up into the title: d or u,
// the key, and the modifiers held.
const keyLog = `<title>-</title><input id=f autofocus value=kept><script>let s=[],held=0;for(const k of ['keydown','keyup'])f.addEventListener(k,e=>{
if(k=='keydown'&&!held++)s=[];if(k=='keyup')held--;if(e.key=='Tab'||e.key=='Backspace'||e.key=='Delete')e.preventDefault();
s.push(k[3]+e.key+(e.ctrlKey?'^':'')+(e.shiftKey?'s':'')+(e.altKey?'a':'')+(e.metaKey?'m':'')+(e.isTrusted?'':'!')+(e.location==3?'#':'')+(f.value=='kept'?'':' value '+f.value));document.title=s.join(' ').replaceAll('  ',' space ')})</script>`

func pressesNamedKeys(_ *testing.T, b *Tab) {
	b.Open(keyLog)
	names := strings.Fields("Enter Tab Escape Backspace Delete Insert Home End PageUp PageDown ArrowUp ArrowDown ArrowLeft ArrowRight " +
		"CapsLock NumLock ScrollLock PrintScreen Pause ContextMenu Help F1 F2 F3 F4 F6 F7 F8 F9 F10 F11 F12 F13 F24")
	for _, name := range names {
		b.Press(name)
		b.Says("d" + name + " u" + name)
	}
	for name, mark := range map[string]string{"Shift": "s", "Control": "^", "Alt": "a", "Meta": "m"} {
		b.Press(name)
		b.Says("d" + name + mark + " u" + name)
	}
}

func pressesAliases(_ *testing.T, b *Tab) {
	b.Open(keyLog)
	for written, want := range map[string]string{
		"return": "dEnter uEnter", "ESC": "dEscape uEscape", "arrow_down": "dArrowDown uArrowDown", "Down": "dArrowDown uArrowDown", "Page_Down": "dPageDown uPageDown",
		"pgdn": "dPageDown uPageDown", "PgUp": "dPageUp uPageUp", "Prior": "dPageUp uPageUp", "del": "dDelete uDelete", "BackSpace": "dBackspace uBackspace",
		"KP_Enter": "dEnter# uEnter#", "cmd": "dControl^ uControl", "Win": "dMetam uMeta", "super": "dMetam uMeta", "option": "dAlta uAlt", "Super_L": "dMetam uMeta",
		"ctrl": "dControl^ uControl", "Control_L": "dControl^ uControl", "menu": "dContextMenu uContextMenu",
	} {
		b.Press(written)
		b.Says(want)
	}
	b.Open(fmt.Sprintf(fieldPage, `<input id=f autofocus>`))
	for _, name := range []string{"KP_7", "num3", "Numpad0", "KP_Add", "exclam", "space"} {
		b.Press(name)
	}
	b.holds("730+! ")
}

func pressesChords(_ *testing.T, b *Tab) {
	b.Open(keyLog)
	for _, keys := range [][]string{{"ctrl", "a"}, {"ctrl+a"}, {"Control+A"}, {"CMD+A"}, {"ctrl-a"}, {"ctrl a"}, {"Ctrl + A"}} {
		b.Press(keys...)
		b.Says("dControl^ da^ ua^ uControl")
		b.Press("left")
		b.Says("dArrowLeft uArrowLeft")
	}
	b.Press("ctrl+shift+k")
	b.Says("dControl^ dShift^s dK^s uK^s uShift^ uControl")
	b.Press("alt", "shift", "F4")
	b.Says("dAlta dShiftsa dF4sa uF4sa uShifta uAlt")
}

func pressesCharacters(_ *testing.T, b *Tab) {
	b.Open(fmt.Sprintf(fieldPage, `<input id=f autofocus>`))
	for _, key := range []string{"/", "+", "\\", "A", "b", "space", "plus", "shift+c", "shift+1", "é", "日"} {
		b.Press(key)
	}
	b.holds(`/+\Ab +C!é日`)
}

func pressesAgain(_ *testing.T, b *Tab) {
	b.Open(`<title>-</title><input id=f autofocus><script>const s=[];for(const k of ['keydown','keyup'])f.addEventListener(k,e=>{s.push(k[3]+e.key);document.title=s.join(' ')})</script>`)
	b.Press("Down", "Down")
	b.Says("dArrowDown uArrowDown dArrowDown uArrowDown")
}

func refusesUnknownKeys(_ *testing.T, b *Tab) {
	b.Open(fmt.Sprintf(fieldPage, `<input id=f autofocus value=old>`))
	b.Press("ctrl+a")
	for written, want := range map[string]string{"entre": "Enter", "escpe": "Escape", "fn": "F1", "pagedwn": "PageDown"} {
		began := time.Now()
		text := b.Fails(env.Action{Kind: env.Key, Keys: []string{"ctrl", written}}, env.UnknownKey)
		Contains(b.T, "unknown key", text, written, want)
		if took := time.Since(began); took > time.Second {
			b.T.Errorf("%q was refused after %v, want at once", written, took)
		}
	}
	b.Press("x")
	b.holds("x")
}

func copiesAndPastes(_ *testing.T, b *Tab) {
	fields := `<input id=a style="position:absolute;left:0;top:0;width:300px;height:50px" value="Grüße 🎉"><input id=c style="position:absolute;left:0;top:100px;width:300px;height:50px">
<a target=_blank href="/second" style="position:absolute;left:0;top:200px;width:300px;height:50px">next</a><script>setInterval(()=>document.title=a.value+'|'+c.value,20)</script>`
	b.Site.Page("/second", `<title>-</title><textarea id=t autofocus style="position:absolute;left:0;top:0;width:300px;height:50px"></textarea><script>setInterval(()=>document.title='2|'+t.value,20)</script>`)
	b.Open(fields)
	b.Click(100, 25)
	b.Press("ctrl+a")
	b.Press("ctrl+c")
	b.Click(100, 125)
	b.Press("ctrl+v")
	b.Press("ctrl+v")
	b.Says("Grüße 🎉|Grüße 🎉Grüße 🎉")
	b.Click(100, 25)
	b.Press("cmd+a")
	b.Press("ctrl+x")
	b.Says("|Grüße 🎉Grüße 🎉")
	b.Click(100, 225)
	b.Click(100, 25)
	b.Press("shift+Insert")
	b.Says("2|Grüße 🎉")
	b.Do(env.Action{Kind: env.HistoryBack})
}

func edits(_ *testing.T, b *Tab) {
	b.Open(fmt.Sprintf(fieldPage, `<textarea id=f></textarea>`))
	b.into("one two\nthree four")
	for _, step := range []struct{ keys, want string }{
		{"ctrl+BackSpace", "one two\nthree "}, {"ctrl+z", "one two\nthree four"}, {"ctrl+y", "one two\nthree "}, {"ctrl+shift+z", "one two\nthree "},
		{"ctrl+Home", "one two\nthree "}, {"shift+ctrl+right", "one two\nthree "}, {"Delete", " two\nthree "}, {"ctrl+End", " two\nthree "}, {"BackSpace", " two\nthree"},
		{"shift+Home", " two\nthree"}, {"x", " two\nx"}, {"shift+up", " two\nx"}, {"shift+left", " two\nx"}, {"ctrl+a", " two\nx"}, {"y", "y"},
	} {
		b.Press(step.keys)
		b.holds(step.want)
		if b.T.Failed() {
			b.T.Fatalf("after %s", step.keys)
		}
	}
}

func travelsByKeys(_ *testing.T, b *Tab) {
	b.Visit(b.Site.Page("/first", `<title>first</title>`))
	b.Open(`<title>-</title><script>sessionStorage.n=(+sessionStorage.n||0)+1;document.title='load '+sessionStorage.n</script>`)
	b.Says("load 1")
	b.Press("F5")
	b.Says("load 2")
	b.Press("ctrl+r")
	b.Says("load 3")
	b.Press("alt", "left")
	b.Says("first")
	b.Press("alt+right")
	if got := b.See().URL; !strings.HasSuffix(got, "/page") {
		b.T.Errorf("after alt+right: at %s, want /page", got)
	}
	tabs := len(b.See().Tabs)
	for _, keys := range []string{"ctrl+t", "ctrl+n", "ctrl+w", "ctrl+l", "F6", "F11", "ctrl+f", "ctrl+p", "ctrl+plus"} {
		if out := b.Press(keys); !out.Tell {
			b.T.Errorf("%s: got %+v, want it told that it does nothing", keys, out)
		}
	}
	if got := len(b.See().Tabs); got != tabs {
		b.T.Errorf("got %d tabs after the chords, want %d", got, tabs)
	}
}

func keepsChords(_ *testing.T, b *Tab) {
	b.Open(`<title>-</title><script>let s=[];addEventListener('keydown',e=>{if(e.key=='Control')return;e.preventDefault();e.stopImmediatePropagation();s.push(e.key);document.title=s.join()},true)</script>`)
	for _, keys := range []string{"F5", "ctrl+s", "ctrl+f"} {
		if out := b.Press(keys); out.Tell {
			b.T.Errorf("%s: told %q, though the page took it", keys, out.Text)
		}
	}
	b.Says("F5,s,f")
}
