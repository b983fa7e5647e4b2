package envtest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"fara/env"
)

func typingCases() []browserCase {
	return append([]browserCase{
		{name: "TypingGivesExactlyTheText", run: typesExactly},
		{name: "NewlinesStartLinesAndTheLastIsEnter", run: typesNewlines},
		{name: "EnterComesLast", run: entersLast},
		{name: "ARestIsNotTypedIntoWhatEnterLeftBehind", run: stopsWhenEnterLeaves},
		{name: "ClearLeavesNothingBehind", run: clears},
		{name: "FieldsOfFrameworksKeepTheText", run: typesIntoFrameworks},
		{name: "FormattedFieldsTakeTheirText", run: typesIntoMasks},
		{name: "SuggestionsDoNotChangeTheText", run: typesPastSuggestions},
		{name: "LongTextIsTypedAtOnce", run: typesLong},
		{name: "WhatAFieldDoesNotTakeIsTold", run: tellsWhatIsNotTaken},
		{name: "TextThatIsNotUTF8IsRefused", run: refusesBadText},
	}, append(typingPlaceCases(), keyCases()...)...)
}

// fieldPage shows one field, f, and writes what it holds into the title, escaped
// because a title has no line ends.
const fieldPage = `<title>-</title><style>body{margin:0}#f{position:absolute;left:100px;top:100px;width:600px;height:40px}</style>%s
<script>setInterval(()=>document.title='='+encodeURIComponent('value' in f?f.value:f.innerText.replace(/\u00a0/g,' ').replace(/\n$/,'')),20)</script>`

// holds checks what the field of a fieldPage holds.
func (b *Tab) holds(want string) {
	b.T.Helper()
	got := ""
	if !Eventually(func() bool {
		got, _ = url.PathUnescape(strings.TrimPrefix(b.See().Title, "="))
		return got == want
	}) {
		b.T.Errorf("field holds %q, want %q", got, want)
	}
}

// into types into the field of a fieldPage, clearing it first.
func (b *Tab) into(text string) env.Outcome {
	b.T.Helper()
	return b.Do(env.Action{Kind: env.Type, Point: point(200, 120), Text: text, Clear: true})
}

// write types where the focus is.
func (b *Tab) write(text string) env.Outcome {
	b.T.Helper()
	return b.Do(env.Action{Kind: env.Type, Text: text})
}

// fieldKinds are the elements that take any text.
var fieldKinds = map[string]string{
	"input": `<input id=f>`, "textarea": `<textarea id=f></textarea>`, "editable": `<div id=f contenteditable></div>`,
	"plain editable": `<div id=f contenteditable=plaintext-only></div>`, "paragraphs": `<div id=f contenteditable><p style="margin:0">old</p></div>`,
	"search": `<input type=search id=f>`, "password": `<input type=password id=f>`, "text box role": `<div id=f contenteditable=true role=textbox></div>`,
}

func typesExactly(_ *testing.T, b *Tab) {
	texts := []string{
		"plain ASCII ~!@#$%^&*()_+{}|:\"<>?`-=[]\\;',./", "Grüße, çà et là, naïve", "e\u0301 combining a\u030a", "東京の天気 한국어", "हिन्दी ไทย",
		"שלום עולם مرحبا", "👨‍👩‍👧 🏳️‍🌈 1️⃣ 🎉 🇩🇪 👍🏽", "𝒳 beyond the plane", "a\tb\tc", "x",
	}
	for name, element := range fieldKinds {
		some := texts
		if name != "input" && name != "textarea" && name != "editable" {
			some = texts[6:9]
		}
		b.Open(fmt.Sprintf(fieldPage, element))
		for _, text := range some {
			if out := b.into(text); out.Tell {
				b.T.Errorf("%s: typing %q: told %q", name, text, out.Text)
			}
			b.holds(text)
		}
	}
}

func typesNewlines(_ *testing.T, b *Tab) {
	for name, element := range fieldKinds {
		if strings.HasPrefix(element, "<input") {
			continue
		}
		b.Open(fmt.Sprintf(fieldPage, element))
		for _, text := range []string{"one\ntwo\nthree", "one\n\nthree", "a\tb\n\tc\n\n\td"} {
			b.into(text)
			b.holds(text)
			if b.T.Failed() {
				b.T.Fatalf("in a field of kind %s", name)
			}
		}
	}
	b.Open(fmt.Sprintf(fieldPage, `<textarea id=f></textarea>`))
	b.into("one\r\ntwo\rthree\n")
	b.holds("one\ntwo\nthree\n")

	b.Open(`<title>-</title><textarea id=f autofocus></textarea><script>let n=0;f.onkeydown=e=>{if(e.key=='Enter'&&!e.shiftKey){e.preventDefault();document.title='sent '+ ++n+' '+f.value.replace(/\n/g,'/');f.value=''}}</script>`)
	b.write("first\nsecond\n")
	b.Says("sent 1 first/second")

	b.Open(`<title>-</title><form onsubmit="document.title='sent '+a.value;return false"><input id=a autofocus><input id=c><button>send</button></form>`)
	b.write("query\n")
	b.Says("sent query")
}

func entersLast(_ *testing.T, b *Tab) {
	for _, text := range []string{"query", "query\n"} {
		b.Open(`<title>-</title><form onsubmit="document.title='sent '+(window.n=(window.n||0)+1)+' '+a.value;return false"><input id=a autofocus></form>`)
		b.Do(env.Action{Kind: env.Type, Text: text, Enter: true})
		b.Says("sent 1 query")
	}
}

func stopsWhenEnterLeaves(_ *testing.T, b *Tab) {
	b.Open(`<title>-</title><input id=a autofocus><input id=c><script>a.onkeydown=e=>{if(e.key=='Enter')c.focus()};setInterval(()=>document.title=a.value+'/'+c.value,20)</script>`)
	out := b.write("one\ntwo")
	if !out.Tell {
		b.T.Errorf("Enter moved the focus: got %+v, want the rest told", out)
	}
	Contains(b.T, "outcome", out.Text, "typed 4 of 7 characters")
	b.Says("one/")

	b.Open(`<title>-</title><input id=a autofocus><script>const tags=[];a.onkeydown=e=>{if(e.key=='Enter'){tags.push(a.value);a.value='';document.title=tags.join()}}</script>`)
	b.write("red\ngreen\nblue\n")
	b.Says("red,green,blue")
}

func clears(_ *testing.T, b *Tab) {
	for name, element := range map[string]string{
		"input": `<input id=f value="old words">`, "email": `<input id=f type=email value=old@example.com>`, "number": `<input id=f type=number value=42>`,
		"tel": `<input id=f type=tel value=555>`, "url": `<input id=f type=url value=http://old/>`, "search": `<input id=f type=search value=old>`, "password": `<input id=f type=password value=old>`,
		"textarea": "<textarea id=f>old\nlines</textarea>", "editable": `<div id=f contenteditable>old <b>rich</b><br>text</div>`,
		"blocks":        `<div id=f contenteditable><p>one</p><ul><li>two<li>three</ul><p>four</p></div>`,
		"with an image": `<div id=f contenteditable>old <img src="data:," width=20> <span contenteditable=false>chip</span> end</div>`,
		"no shortcuts":  `<input id=f value=old onkeydown="if(event.ctrlKey||event.metaKey)event.preventDefault()">`,
		"mask":          `<input id=f value="(555) 123-4567"><script>f.addEventListener('input',()=>{const d=f.value.replace(/\D/g,'');f.value=d.length>3?'('+d.slice(0,3)+') '+d.slice(3):d})</script>`,
		"framework":     `<input id=f value=old><script>f.addEventListener('input',()=>{const v=f.value;f.value='';f.value=v})</script>`,
	} {
		b.Open(fmt.Sprintf(fieldPage, element))
		if out := b.into("7"); out.Tell {
			b.T.Errorf("%s: told %q", name, out.Text)
		}
		b.holds("7")
		if b.T.Failed() {
			b.T.Fatalf("in a field of kind %s", name)
		}
		b.into("")
		b.holds("")
	}
	b.Open(fmt.Sprintf(fieldPage, `<input id=f value=fixed oninput="if(!this.value)this.value='fixed'">`))
	out := b.into("")
	if !out.Tell {
		b.T.Errorf("a field that fills itself again: got %+v, want it told", out)
	}
}

// controlled is a field as frameworks keep it: a value of its own, told apart by a
// tracker on the element, and written back at every change.
const controlled = `<input id=f><script>
const own=Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value');let tracked='',state='';
Object.defineProperty(f,'value',{get(){return own.get.call(this)},set(v){tracked=String(v);own.set.call(this,v)},configurable:true});
addEventListener('input',e=>{const v=own.get.call(f);if(v===tracked)return;tracked=v;state=%s;Promise.resolve().then(()=>{f.value=state})});
</script>`

func typesIntoFrameworks(_ *testing.T, b *Tab) {
	b.Open(fmt.Sprintf(fieldPage, fmt.Sprintf(controlled, "v")))
	for _, text := range []string{"Grüße 東京 🎉", "shorter"} {
		b.into(text)
		b.holds(text)
	}
	b.Open(fmt.Sprintf(fieldPage, fmt.Sprintf(controlled, "v.toUpperCase()")))
	if out := b.into("abc def"); out.Tell {
		b.T.Errorf("capitals: told %q", out.Text)
	}
	b.holds("ABC DEF")
}

func typesIntoMasks(_ *testing.T, b *Tab) {
	for _, c := range []struct{ element, text, want string }{
		{`<input id=f oninput="const d=this.value.replace(/\D/g,'').slice(0,10);this.value=d.length>6?'('+d.slice(0,3)+') '+d.slice(3,6)+'-'+d.slice(6):d">`, "5551234567", "(555) 123-4567"},
		{`<input id=f oninput="this.value=this.value.replace(/\D/g,'').replace(/(....)(?=.)/g,'$1 ')">`, "4111111111111111", "4111 1111 1111 1111"},
		{`<input id=f type=number>`, "-12.5", "-12.5"}, {`<input id=f type=email>`, "me+tag@example.com", "me+tag@example.com"},
		{`<input id=f type=tel>`, "+49 (30) 1234-5", "+49 (30) 1234-5"}, {`<input id=f type=url>`, "https://example.com/?q=a&b=c#d", "https://example.com/?q=a&b=c#d"},
	} {
		b.Open(fmt.Sprintf(fieldPage, c.element))
		if out := b.into(c.text); out.Tell {
			b.T.Errorf("%s: told %q", c.element, out.Text)
		}
		b.holds(c.want)
	}
}

func typesPastSuggestions(_ *testing.T, b *Tab) {
	b.Open(fmt.Sprintf(fieldPage, `<input id=f><script>const words=['berlin central','bern','new york city'];
f.addEventListener('input',e=>{if(!/insert/.test(e.inputType))return;const t=f.value,w=words.find(w=>t&&w.startsWith(t.toLowerCase())&&w!=t);if(w){f.value=t+w.slice(t.length);f.setSelectionRange(t.length,f.value.length)}})</script>`))
	for _, text := range []string{"berlin", "ber", "new york"} {
		b.into(text)
		b.holds(text)
	}
}

func typesLong(_ *testing.T, b *Tab) {
	line := strings.Repeat("Twelve quick foxes, née in 東京. ", 80)
	lines := strings.ReplaceAll(line, ". ", ".\n")
	for element, text := range map[string]string{
		`<input id=f>`: line, `<textarea id=f></textarea>`: lines, `<div id=f contenteditable style="white-space:pre-wrap"></div>`: lines + "end",
		fmt.Sprintf(controlled, "v"): line,
	} {
		b.Open(`<title>-</title><style>body{margin:0}#f{position:absolute;left:100px;top:100px;width:600px;height:40px;overflow:hidden}</style>` + element +
			`<script>const want=` + fmt.Sprintf("%q", text) + `;let last=0;f.onkeyup=()=>{last=('value' in f?f.value:f.innerText).length};
setInterval(()=>{const t='value' in f?f.value:f.innerText;document.title=t===want?'same '+(last>=want.length):t.length+' of '+want.length},20)</script>`)
		began := time.Now()
		b.into(text)
		if took := time.Since(began); took > 5*time.Second {
			b.T.Errorf("%s: %d bytes took %v", element, len(text), took)
		}
		b.Says("same true")
	}
}

func tellsWhatIsNotTaken(_ *testing.T, b *Tab) {
	for _, c := range []struct{ html, text, want string }{
		{`<p>no field</p>`, "abc", "nothing that takes text has the focus"},
		{`<input autofocus readonly value=fixed>`, "abc", "read-only"},
		{`<input autofocus maxlength=4>`, "abcdef", "the last 2 were left out"},
		{`<input autofocus type=number>`, "twelve", "something else"},
		{`<input autofocus oninput="this.value='no'">`, "abc", "something else"},
		{`<input autofocus onkeydown="return true">`, "abc", ""},
		{`<button autofocus role=combobox>b</button>`, "abc", ""},
	} {
		b.Open(c.html)
		out := b.write(c.text)
		if out.Tell != (c.want != "") || !strings.Contains(out.Text, c.want) {
			b.T.Errorf("typing %q on %s: got %+v, want %q told", c.text, c.html, out, c.want)
		}
	}
	b.Open(`<title>-</title><input type=checkbox autofocus aria-label=Terms>`)
	Contains(b.T, "a box", b.Fails(env.Action{Kind: env.Type, Text: "yes"}, env.NoEffect), `"Terms"`, "not ticked", "click it")
	b.Open(`<title>-</title><label` + at(100, 100) + `><input type=checkbox onchange="document.title='ticked'">Terms</label>`)
	b.Fails(env.Action{Kind: env.Type, Text: "yes", Point: point(150, 115)}, env.NoEffect)
	b.Says("-")
	b.Open(`<title>-</title><input maxlength=1 autofocus><input maxlength=1><input maxlength=1><script>const i=[...document.querySelectorAll('input')];
i.forEach((e,n)=>e.oninput=()=>{document.title=i.map(e=>e.value).join();if(i[n+1])i[n+1].focus()})</script>`)
	if out := b.write("123"); out.Tell {
		b.T.Errorf("a code that goes on from box to box: told %q", out.Text)
	}
	b.Says("1,2,3")
	b.Open(`<title>-</title><button autofocus onclick="document.title='pressed'">Delete</button>`)
	Contains(b.T, "a button", b.Fails(env.Action{Kind: env.Type, Text: "a b"}, env.NoEffect), `"Delete"`, "takes no text")
	b.Says("-")
	b.Do(env.Action{Kind: env.Type, Enter: true})
	b.Says("pressed")
	b.Open(`<title>-</title><button style="position:absolute;left:100px;top:100px;width:600px;height:40px" onclick="setTimeout(()=>{document.body.innerHTML='<input id=f>';f.oninput=()=>document.title=f.value;f.focus()},100)">Search</button>`)
	b.into("late field")
	b.Says("late field")
	b.Open(`<input type=password autofocus maxlength=4 aria-label=PIN>`)
	if out := b.write("s3cret!"); strings.Contains(out.Text, "s3c") {
		b.T.Errorf("the outcome repeats what was typed: %q", out.Text)
	}
}

func refusesBadText(_ *testing.T, b *Tab) {
	b.Fails(env.Action{Kind: env.Type, Text: "a\xff"}, env.BadArgument)
}
