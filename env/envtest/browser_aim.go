package envtest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"fara/env"
)

func aimCases() []browserCase {
	return []browserCase{
		{name: "EverythingAboutAControlIsTold", run: aimControls},
		{name: "AFormIsToldAsItIsSent", run: aimForms},
		{name: "EnterSubmitsExactlyWhereItIsSaidTo", run: aimEnter},
		{name: "FormsCannotHideBehindTheNamesOfTheirParts", run: aimClobbered},
		{name: "ControlsAreToldInFramesAndShadowRoots", run: aimInside},
		{name: "WhatTakesKeysIsToldInFramesAndShadowRoots", run: aimFocus},
		{name: "TypedWordsAreNotTold", run: aimSaysNoSecrets},
		{name: "ThePageNoticesNothing", run: aimUnnoticed},
		{name: "WhatHasMovedIsStillRefusedAfterAiming", run: aimThenStale},
		{name: "AimingIsQuick", run: aimQuick},
		{name: "ADocumentWithoutAnAddressIsThatOfItsSite", run: aimAddress},
		{name: "WhatHoldsNoControlsIsToldToo", run: aimOther},
		{name: "ABusyFrameHidesNothing", run: aimBusy},
		{name: "APageThatWaitsForAFileIsTold", options: files("a.txt", "b.txt"), run: aimChooser},
	}
}

// aim gives what a click at a point is about to hit.
func (b *Tab) aim(x, y float64) env.Element {
	b.T.Helper()
	el := aimed(b.T, b.Subject, env.Action{Kind: env.LeftClick, Point: point(x, y)})
	if el == nil {
		b.T.Fatalf("nothing found at (%v, %v)", x, y)
	}
	return *el
}

// aimKeys gives what Enter is about to reach; an empty element when that is
// nothing.
func (b *Tab) aimKeys() env.Element {
	b.T.Helper()
	el := aimed(b.T, b.Subject, env.Action{Kind: env.Key, Keys: []string{"Enter"}})
	if el == nil {
		return env.Element{}
	}
	return *el
}

func aimControls(t *testing.T, b *Tab) {
	b.Open(`<style>body{margin:0}body>*{position:absolute;left:0;width:200px;height:40px;box-sizing:border-box;overflow:hidden}</style>
<button type=button style="top:0"><svg width=40 height=40><circle r=30 cx=20 cy=20 /></svg> Add  to basket</button>
<a href="/next?x=1#y" style="top:50px"><span><b><i><u><s><em><strong>far inside</strong></em></s></u></i></b></span></a>
<input type=password autocomplete=current-password placeholder=Password value=hunter2 style="top:100px">
<label style="top:150px"><input type=checkbox> I agree</label>
<textarea aria-label=Words readonly style="top:200px">old</textarea>
<div contenteditable aria-label=Note style="top:250px">mine</div>
<select aria-label=Size style="top:300px"><option>S<option selected>M</select>
<input type=submit value=Send disabled style="top:350px">
<main style="top:400px">plain words</main>`)
	address := b.Site.URL + "/page"
	box := func(y float64) env.Rect { return env.Rect{Y: y, W: 200, H: 40} }
	for _, c := range []struct {
		y    float64
		want env.Element
	}{
		{0, env.Element{Tag: "button", Role: "button", Name: "Add to basket", Text: "Add to basket", Type: "button"}},
		{50, env.Element{Tag: "a", Role: "link", Name: "far inside", Text: "far inside", Link: b.Site.URL + "/next?x=1#y"}},
		{100, env.Element{Tag: "input", Role: "textbox", Name: "Password", Type: "password", Autocomplete: "current-password", Editable: true}},
		{150, env.Element{Tag: "label", Role: "checkbox", Name: "I agree", Text: "I agree", Type: "checkbox"}},
		{200, env.Element{Tag: "textarea", Role: "textbox", Name: "Words"}},
		{250, env.Element{Tag: "div", Name: "Note", Editable: true}},
		{300, env.Element{Tag: "select", Role: "combobox", Name: "Size", Text: "M"}},
		{350, env.Element{Tag: "input", Role: "button", Name: "Send", Text: "Send", Type: "submit"}},
		{400, env.Element{Tag: "main", Name: "plain words", Text: "plain words"}},
	} {
		c.want.Box, c.want.Document = box(c.y), address
		if got := b.aim(20, c.y+20); !reflect.DeepEqual(got, c.want) {
			t.Errorf("at %v: got %+v, want %+v", c.y, got, c.want)
		}
	}
}

func aimForms(t *testing.T, b *Tab) {
	b.Open(`<style>body{margin:0}.b{position:absolute;left:400px;width:200px;height:40px}</style>
<form id=pay aria-label=Payment method=post action="/pay?now">
<input type=hidden name=token value=1><input name=card autocomplete=cc-number value=4111><input style="display:none" name=trap>
<label>Gift <input type=checkbox name=gift checked></label><select aria-label=Size><option value="">-<option value=1>S</select><textarea name=note></textarea>
<button class=b style="top:0">Pay</button>
<button class=b style="top:50px" type=button>Later</button>
<button class=b style="top:100px" formmethod=get formaction="/draft">Keep</button>
<input class=b style="top:150px" type=reset>
<a class=b style="top:200px" href="/help">Help</a>
</form>
<button class=b style="top:250px" form=pay>Outside</button>
<label class=b style="top:300px" for=go>Go on</label><button id=go form=pay style="position:absolute;top:600px">Go</button>
<form method=dialog></form><button class=b style="top:350px">Alone</button>`)
	fields := []env.Field{
		{Type: "text", Name: "card", Autocomplete: "cc-number", Filled: true}, {Type: "checkbox", Name: "Gift", Filled: true},
		{Type: "select", Name: "Size"}, {Type: "textarea", Name: "note"},
	}
	pay := env.Form{Method: "post", Action: b.Site.URL + "/pay?now", Name: "Payment", Fields: fields}
	sent, draft := pay, pay
	sent.Submits = true
	draft.Submits, draft.Method, draft.Action = true, "get", b.Site.URL+"/draft"
	for _, c := range []struct {
		what string
		y    float64
		want *env.Form
	}{
		{"a submit button", 0, &sent},
		{"a plain button", 50, &pay},
		{"a button that sends elsewhere", 100, &draft},
		{"a reset button", 150, &pay},
		{"a link in the form", 200, &pay},
		{"a button that names the form", 250, &sent},
		{"a label of such a button", 300, &sent},
		{"a button of no form", 350, nil},
	} {
		if got := b.aim(420, c.y+20).Form; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.what, got, c.want)
		}
	}
	b.Open(`<form id=many method=post>` + strings.Repeat(`<input name=n>`, 50) + `<button style="position:absolute;left:600px;top:600px;width:100px;height:40px">x</button></form>`)
	if got := b.aim(620, 620).Form; got == nil || len(got.Fields) != 40 {
		t.Errorf("a long form: got %+v, want its first 40 fields", got)
	}
}

// aimEnter compares what is told with what Enter then does, in each kind of field
// and form.
func aimEnter(t *testing.T, b *Tab) {
	kinds := []string{"text", "search", "url", "tel", "email", "password", "number", "date", "time", "month", "checkbox", "radio", "range"}
	var fields []string
	for _, kind := range kinds {
		fields = append(fields, fmt.Sprintf(`<input id=f type=%s>`, kind))
	}
	fields = append(fields, `<textarea id=f></textarea>`, `<button type=button id=f>b</button>`, `<button id=f>s</button>`,
		`<input type=reset id=f>`, `<div id=f contenteditable>c</div>`, `<div id=f tabindex=0>d</div>`, `<input id=f readonly>`)
	var submitted, kept int
	for _, field := range fields {
		for name, rest := range map[string]string{
			"alone":                          `<form onsubmit="return sent()">` + field + `</form>`,
			"with a second field":            `<form onsubmit="return sent()">` + field + `<input></form>`,
			"with a box":                     `<form onsubmit="return sent()"><input type=checkbox>` + field + `</form>`,
			"with a button":                  `<form onsubmit="return sent()">` + field + `<input><button>go</button></form>`,
			"with an image":                  `<form onsubmit="return sent()">` + field + `<input><input type=image alt=go></form>`,
			"with a disabled button":         `<form onsubmit="return sent()">` + field + `<button disabled>go</button></form>`,
			"with a disabled and another":    `<form onsubmit="return sent()">` + field + `<fieldset disabled><button>go</button></fieldset><button>go</button></form>`,
			"with a button before elsewhere": `<button form=z>go</button><form id=z onsubmit="return sent()">` + field + `<input></form>`,
			"in no form":                     field,
		} {
			b.Open(`<title>-</title><script>function sent() { document.title = 'sent'; return false }</script>` + rest + `<script>f.focus()</script>`)
			told := b.aimKeys()
			b.Press("Enter")
			did := b.See().Title == "sent"
			if says := told.Form != nil && told.Form.Submits; says != did {
				t.Errorf("%s %s: told that Enter submits: %v, Enter submitted: %v", field, name, says, did)
			}
			if did {
				submitted++
			} else {
				kept++
			}
		}
	}
	if submitted < 40 || kept < 40 {
		t.Errorf("%d forms were submitted and %d not, want many of both", submitted, kept)
	}
}

func aimClobbered(t *testing.T, b *Tab) {
	names := []string{"method", "action", "elements", "getAttribute", "parentElement", "parentNode", "matches", "tagName", "getRootNode", "id", "name", "contains", "form", "querySelectorAll", "getBoundingClientRect", "instanceof"}
	hidden := ""
	for _, name := range names {
		hidden += fmt.Sprintf(`<input type=hidden name=%s value=x>`, name)
	}
	b.Open(`<body style="margin:0"><form style="width:400px;height:300px" method=post action="/pay">` + hidden + `<button style="width:100px;height:40px">Go</button></form>`)
	want := &env.Form{Method: "post", Action: b.Site.URL + "/pay", Name: "", Submits: true}
	if got := b.aim(20, 20); got.Tag != "button" || !reflect.DeepEqual(got.Form, want) {
		t.Errorf("got %+v of form %+v, want %+v", got, got.Form, want)
	}
	if got := b.aim(300, 200); got.Tag != "form" || got.Form == nil || got.Form.Submits {
		t.Errorf("the form's own ground: got %+v of form %+v, want a form that sends nothing", got, got.Form)
	}
}

func aimSaysNoSecrets(t *testing.T, b *Tab) {
	b.Open(`<style>body{margin:0}form>*{position:absolute;left:0;width:200px;height:40px}</style><form>
<input type=password style="top:0" value=canary-1><input style="top:50px" value=canary-2><textarea style="top:100px">canary-3</textarea>
<div contenteditable style="top:150px">canary-4</div><input type=submit style="top:200px" value=Go></form>`)
	for y := 20.0; y < 240; y += 50 {
		got := b.aim(20, y)
		if told := fmt.Sprintf("%+v %+v", got.Text, got.Form); strings.Contains(told, "canary") {
			t.Errorf("at %v: typed words are told: %s", y, told)
		}
		if got.Form == nil || len(got.Form.Fields) != 4 || !got.Form.Fields[3].Filled || got.Form.Fields[3].Type != "contenteditable" {
			t.Errorf("at %v: got form %+v, want four filled fields", y, got.Form)
		}
	}
}

func aimUnnoticed(t *testing.T, b *Tab) {
	b.Open(`<title>-</title><body style="margin:0"><form method=post><input autofocus style="width:100px;height:40px"><button style="width:100px;height:40px">x</button></form><script>
const seen = new Set();
for (const k of ['mousemove','mouseover','pointerover','mousedown','click','focus','blur','focusin','keydown','scroll','select','selectionchange','submit','invalid','beforeinput'])
  addEventListener(k, e => { seen.add(k); document.title = [...seen].join() }, true);
new MutationObserver(r => { if (r.some(m => m.target.nodeName !== 'TITLE')) document.title = 'changed' }).observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
</script>`)
	title := b.See().Title
	for _, a := range []env.Action{
		{Kind: env.LeftClick, Point: point(20, 20)}, {Kind: env.LeftClick, Point: point(150, 20)}, {Kind: env.Type, Text: "x", Point: point(20, 20)},
		{Kind: env.Key, Keys: []string{"Enter"}}, {Kind: env.LeftClickDrag, From: point(20, 20), Point: point(300, 300)}, {Kind: env.Scroll, DY: 10},
	} {
		aimed(t, b.Subject, a)
	}
	if got := b.See().Title; got != title {
		t.Errorf("the page noticed %q, want nothing", got)
	}
}

func aimThenStale(t *testing.T, b *Tab) {
	happen := b.lately(stacked, banner)
	if got := b.aim(100, 300); got.Name != "Second" {
		t.Errorf("before: got %+v, want the second link", got)
	}
	happen()
	if got := b.aim(100, 300); got.Name != "First" {
		t.Errorf("after: got %+v, want the first link", got)
	}
	text := b.Fails(env.Action{Kind: env.LeftClick, Point: point(100, 300)}, env.Moved)
	Contains(t, "after aiming", text, `"Second" was at (100, 300)`, `"First" is there`)
	happen = b.lately(stacked, `document.title += '!'`)
	b.aim(100, 300)
	happen()
	b.aim(100, 300)
	b.Click(100, 300)
	b.Says("second")
}

// aimQuick takes the best of some, since other tests run beside it.
func aimQuick(t *testing.T, b *Tab) {
	const limit = 30 * time.Millisecond
	b.Open(`<body style="margin:0"><form method=post style="display:block">` + strings.Repeat(`<label>n <input name=n style="width:50px"></label> <a href="/x">words of a link</a> `, 1000) +
		`<button style="position:fixed;left:600px;top:300px;width:100px;height:40px">x</button></form>`)
	for _, a := range []env.Action{{Kind: env.LeftClick, Point: point(620, 320)}, {Kind: env.Key, Keys: []string{"Enter"}}} {
		best := time.Hour
		for range 20 {
			began := time.Now()
			aimed(t, b.Subject, a)
			best = min(best, time.Since(began))
		}
		if best > limit {
			t.Errorf("aim of %s took %v at best, want less than %v", a.Kind, best, limit)
		}
	}
}
