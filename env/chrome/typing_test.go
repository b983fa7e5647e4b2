package chrome_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"fara/env"
)

// fields writes the value of what is at (200, 110) into the title, escaped,
// because a title has no line ends.
const fields = `<title>-</title><style>body{margin:0}#f{position:absolute;left:100px;top:100px;width:600px;height:40px}</style>%s
<script>setInterval(()=>document.title='='+encodeURIComponent('value' in f?f.value:f.innerText.replace(/\u00a0/g,' ').replace(/\n$/,'')),20)</script>`

func (b tab) value(want string) {
	b.t.Helper()
	got := ""
	if !eventually(b.t, func() bool {
		got, _ = url.PathUnescape(strings.TrimPrefix(b.see().Title, "="))
		return got == want
	}) {
		b.t.Errorf("field holds %q, want %q", got, want)
	}
}

func TestTypingGivesExactlyTheText(t *testing.T) {
	elements := map[string]string{
		"input": `<input id=f>`, "textarea": `<textarea id=f></textarea>`, "editable": `<div id=f contenteditable></div>`,
	}
	texts := []string{
		"plain ASCII ~!@#$%^&*()_+{}|:\"<>?`-=[]\\;',./", "Grüße, çà et là, naïve", "e\u0301 combining", "東京の天気 한국어",
		"שלום עולם مرحبا", "👨‍👩‍👧 🏳️‍🌈 1️⃣ 🎉", "𝒳 beyond the plane",
	}
	for name, element := range elements {
		t.Run(name, func(t *testing.T) {
			b := sharedTab(t).open(fmt.Sprintf(fields, element))
			for _, text := range texts {
				out := b.do(env.Action{Kind: env.Type, Point: at(200, 110), Text: text, Clear: true})
				if out.Tell {
					t.Errorf("typing %q: told %q", text, out.Text)
				}
				b.value(text)
			}
		})
	}
}

func TestNewlinesAreEnterAndTabsAreTab(t *testing.T) {
	b := sharedTab(t).open(fmt.Sprintf(fields, `<textarea id=f></textarea>`))
	b.do(env.Action{Kind: env.Type, Point: at(200, 110), Text: "one\ntwo\r\nthree"})
	b.value("one\ntwo\nthree")
	b.open(`<title>-</title><form onsubmit="document.title='sent '+a.value+'/'+c.value;return false"><input id=a autofocus><input id=c><button>send</button></form>`)
	b.do(env.Action{Kind: env.Type, Text: "x\ty\n"})
	b.titled("sent x/y")
}

func TestEnterComesLast(t *testing.T) {
	b := sharedTab(t).open(`<title>-</title><form onsubmit="document.title='sent '+a.value;return false"><input id=a autofocus></form>`)
	b.do(env.Action{Kind: env.Type, Text: "query", Enter: true})
	b.titled("sent query")
}

func TestClearLeavesNothingBehind(t *testing.T) {
	for name, element := range map[string]string{
		"input": `<input id=f value="old words">`, "email": `<input id=f type=email value=old@example.com>`, "number": `<input id=f type=number value=42>`,
		"textarea": "<textarea id=f>old\nlines</textarea>", "editable": `<div id=f contenteditable>old <b>rich</b><br>text</div>`,
		"framework": `<input id=f value=old><script>f.addEventListener('input',()=>{const v=f.value;f.value='';f.value=v})</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			b := sharedTab(t).open(fmt.Sprintf(fields, element))
			b.do(env.Action{Kind: env.Type, Point: at(200, 110), Text: "7", Clear: true})
			b.value("7")
		})
	}
}

func TestTypingIntoNothingIsTold(t *testing.T) {
	for html, want := range map[string]string{
		`<p>no field</p>`:                                "nothing that takes text has the focus",
		`<input autofocus readonly value=fixed>`:         "read-only",
		`<input autofocus id=f onkeydown="return true">`: "",
	} {
		out := sharedTab(t).open(html).do(env.Action{Kind: env.Type, Text: "abc"})
		if out.Tell != (want != "") || !strings.Contains(out.Text, want) {
			t.Errorf("typing on %s: got %+v, want %q told", html, out, want)
		}
	}
}

func TestTextThatIsNotUTF8IsRefused(t *testing.T) {
	sharedTab(t).fails(env.Action{Kind: env.Type, Text: "a\xff"}, env.BadArgument)
}

// logger writes the key events since all keys were last up into the title: d or
// u, the key, and the modifiers held.
const logger = `<title>-</title><input id=f autofocus><script>let s=[],held=0;for(const k of ['keydown','keyup'])f.addEventListener(k,e=>{
if(k=='keydown'&&!held++)s=[];if(k=='keyup')held--;
s.push(k[3]+e.key+(e.ctrlKey?'^':'')+(e.shiftKey?'s':'')+(e.altKey?'a':'')+(e.metaKey?'m':'')+(e.isTrusted?'':'!'));document.title=s.join(' ').replaceAll('  ',' space ')})</script>`

func TestNamedKeysAreKeysAndNoText(t *testing.T) {
	b := sharedTab(t).open(logger)
	for written, want := range map[string]string{
		"Enter": "dEnter uEnter", "return": "dEnter uEnter", "ESC": "dEscape uEscape", "escape": "dEscape uEscape", "arrow_down": "dArrowDown uArrowDown", "Down": "dArrowDown uArrowDown",
		"Page_Down": "dPageDown uPageDown", "pgdn": "dPageDown uPageDown", "PgUp": "dPageUp uPageUp", "del": "dDelete uDelete", "BackSpace": "dBackspace uBackspace", "home": "dHome uHome",
		"F2": "dF2 uF2", "insert": "dInsert uInsert", "capslock": "dCapsLock uCapsLock", "KP_Enter": "dEnter uEnter", "cmd": "dControl^ uControl", "Win": "dMetam uMeta", "option": "dAlta uAlt",
	} {
		b.do(env.Action{Kind: env.Key, Keys: []string{written}})
		b.titled(want)
	}
}

func TestChordsHoldTheirModifiers(t *testing.T) {
	b := sharedTab(t).open(logger)
	for _, keys := range [][]string{{"ctrl", "a"}, {"ctrl+a"}, {"Control+A"}, {"CMD+A"}, {"ctrl-a"}} {
		b.do(env.Action{Kind: env.Key, Keys: keys})
		b.titled("dControl^ da^ ua^ uControl")
		b.do(env.Action{Kind: env.Key, Keys: []string{"x"}})
		b.titled("dx ux")
	}
	b.do(env.Action{Kind: env.Key, Keys: []string{"ctrl+shift+k"}})
	b.titled("dControl^ dShift^s dK^s uK^s uShift^ uControl")
}

func TestCharactersTypeThemselves(t *testing.T) {
	b := sharedTab(t).open(fmt.Sprintf(fields, `<input id=f autofocus>`))
	for _, key := range []string{"/", "+", "\\", "A", "b", "space", "plus", "shift+c", "é"} {
		b.do(env.Action{Kind: env.Key, Keys: []string{key}})
	}
	b.value(`/+\Ab +Cé`)
}

func TestARepeatedKeyIsPressedAgain(t *testing.T) {
	b := sharedTab(t).open(`<title>-</title><input id=f autofocus><script>const s=[];for(const k of ['keydown','keyup'])f.addEventListener(k,e=>{s.push(k[3]+e.key);document.title=s.join(' ')})</script>`)
	b.do(env.Action{Kind: env.Key, Keys: []string{"Down", "Down"}})
	b.titled("dArrowDown uArrowDown dArrowDown uArrowDown")
}

func TestNoModifierStaysDown(t *testing.T) {
	b := sharedTab(t).open(fmt.Sprintf(fields, `<input id=f autofocus value=old>`))
	b.do(env.Action{Kind: env.Key, Keys: []string{"ctrl+a"}})
	contains(t, "unknown key", b.fails(env.Action{Kind: env.Key, Keys: []string{"ctrl", "entre"}}, env.UnknownKey), "entre", "enter")
	b.do(env.Action{Kind: env.Key, Keys: []string{"x"}})
	b.value("x")
}

func TestBrowserChordsReloadAndTravel(t *testing.T) {
	b := sharedTab(t)
	first := b.site.Page("/first", `<title>first</title>`)
	b.do(env.Action{Kind: env.VisitURL, URL: first})
	b.open(`<title>-</title><script>sessionStorage.n=(+sessionStorage.n||0)+1;document.title='load '+sessionStorage.n</script>`)
	b.titled("load 1")
	b.do(env.Action{Kind: env.Key, Keys: []string{"F5"}})
	b.titled("load 2")
	b.do(env.Action{Kind: env.Key, Keys: []string{"ctrl+r"}})
	b.titled("load 3")
	b.do(env.Action{Kind: env.Key, Keys: []string{"alt", "left"}})
	b.titled("first")
	b.do(env.Action{Kind: env.Key, Keys: []string{"alt+right"}})
	if got := b.see().URL; !strings.HasSuffix(got, "/page") {
		t.Errorf("after alt+right: at %s, want /page", got)
	}
	if out := b.do(env.Action{Kind: env.Key, Keys: []string{"ctrl+t"}}); !out.Tell {
		t.Errorf("ctrl+t: got %+v, want it told that it does nothing", out)
	}
}
