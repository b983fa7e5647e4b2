package chrome_test

import (
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"fara/env/chrome"
)

func TestMaskWithstandsPages(t *testing.T) {
	t.Parallel()
	h := newHiding(t, chrome.Config{})
	const style = `<!doctype html><meta charset=utf-8><style>body { font: 22px monospace } .v, input { color: #f00; font: 22px monospace }</style>`
	for name, page := range map[string]string{
		"functions of its own": `<script>for (const [o, k] of [[Document, "createTreeWalker"], [Document, "querySelectorAll"], [Range, "getClientRects"], [Element, "getClientRects"], [Element, "getBoundingClientRect"], [Element, "checkVisibility"], [Node, "getRootNode"], [String, "normalize"]]) o.prototype[k] = () => { throw 1 };
			Object.defineProperty(Element.prototype, "shadowRoot", {get: () => null}); Object.defineProperty(Text.prototype, "data", {get: () => "x"}); Array.prototype.push = () => 0; WeakMap = Map = Set = null; getComputedStyle = () => ({})</script><p class=v>` + hidden,
		"names that hide properties": `<form><input name=children><input name=parentNode><input name=shadowRoot><input name=getBoundingClientRect><input name=checkVisibility><input name=textContent><input name=assignedSlot><b class=v>` + hidden + `</b></form><img name=createTreeWalker><img name=getElementById><img name=documentElement><form name=body></form>`,
		"names inside a closed tree": `<div id=o></div><script>o.attachShadow({mode: "closed"}).innerHTML = "<form><input name=host><input name=getRootNode><b class=v style='color:red'>` + hidden + `</b></form>"</script>`,
		"a tree in a tree":           `<div id=o></div><script>let r = o.attachShadow({mode: "closed"}); for (let i = 0; i < 5; i++) { r.innerHTML = "<div></div>"; r = r.firstChild.attachShadow({mode: "closed"}) } r.innerHTML = "<b style='color:red'>` + hidden + `</b>"</script>`,
		"an attachShadow of its own": `<script>const native = Element.prototype.attachShadow; Element.prototype.attachShadow = function() { return native.call(this, {mode: "closed"}) }</script><div id=o></div><script>o.attachShadow({mode: "open"}).innerHTML = "<b style='color:red'>` + hidden + `</b>"</script>`,
		"escaping a scroller":        `<div style="overflow:hidden;width:10px;height:10px"><b class=v style="position:fixed;left:300px;top:300px">` + hidden + `</b></div>`,
		"escaping by position":       `<div style="overflow:hidden;width:10px;height:10px"><i><b class=v style="position:absolute;left:300px;top:300px">` + hidden + `</b></i></div>`,
		"an inline scroller":         `<span style="overflow:hidden"><b class=v style="display:inline-block;margin:90px">` + hidden + `</b></span>`,
		"slotted elsewhere":          `<div id=o style="overflow:hidden;height:10px"><b class=v>` + hidden + `</b></div><script>o.attachShadow({mode: "open"}).innerHTML = "<div style='position:fixed;left:200px;top:200px'><slot></slot></div>"</script>`,
		"slotted in a closed tree":   `<div id=o style="overflow:hidden;height:10px"><b class=v>` + hidden + `</b></div><script>o.attachShadow({mode: "closed"}).innerHTML = "<div style='position:fixed;left:200px;top:200px'><slot></slot></div>"</script>`,
		"in the top layer":           `<div style="overflow:hidden;width:1px;height:1px"><div popover=manual id=o style="overflow:visible"><b class=v>` + hidden + `</b></div></div><script>o.showPopover()</script>`,
		"in a dialog":                `<dialog id=o><b class=v>` + hidden + `</b></dialog><script>o.showModal()</script>`,
		"a shadow of the letters":    `<p style="margin:100px"><b style="color:transparent;text-shadow:0 60px 0 red">` + hidden + `</b>`,
		"turned over":                `<p class=v style="transform:rotate(90deg) skewX(20deg) scale(1.5);width:200px;margin:150px">` + hidden,
		"in perspective":             `<div style="perspective:300px"><p class=v style="transform:rotateY(50deg);width:300px;margin:100px">` + hidden + `</p></div>`,
		"written downwards":          `<p class=v style="writing-mode:vertical-rl">` + hidden,
		"from right to left":         `<p class=v dir=rtl>` + hidden,
		"broken at every letter":     `<p class=v style="width:1ch;word-break:break-all">` + hidden,
		"in columns":                 `<div style="columns:6;column-fill:auto;height:60px;width:780px"><p class=v style="word-break:break-all;width:2ch">` + hidden + `</p></div>`,
		"zoomed twice":               `<div style="zoom:1.5"><p class=v style="zoom:1.3">` + hidden + `</p></div>`,
		"zoomed in a closed tree":    `<div id=o style="zoom:2"></div><script>o.attachShadow({mode: "closed"}).innerHTML = "<b style='color:red'>` + hidden + `</b>"</script>`,
		"a scaled frame":             `<iframe srcdoc="<b style='color:red;font:20px monospace'>` + hidden + `</b>" style="transform:scale(.7) rotate(10deg);zoom:1.2"></iframe>`,
		"a style's letters":          `<style>#o::after { content: attr(data-x); color: red }</style><p id=o data-x="` + hidden + `">`,
		"a marker":                   `<style>li::marker { content: "` + hidden + `"; color: red }</style><ul style="margin-left:200px"><li>a</ul>`,
		"the values of a list":       `<input class=v list=l value="` + hidden + `"><datalist id=l><option value="` + hidden + `"></datalist>`,
		"a summary":                  `<details open><summary class=v style="list-style:none">` + hidden + `</summary>x</details>`,
		"a ruby":                     `<p style="font-size:40px">x<ruby>a<rt class=v>` + hidden + `</rt></ruby>`,
		"a legend":                   `<fieldset><legend class=v>` + hidden + `</legend></fieldset>`,
		"a table":                    `<table><tr><td>a<td class=v>` + hidden + `<caption class=v>` + hidden + `</caption></table>`,
		"xml":                        `<p class=v><![CDATA[x]]>` + hidden,
	} {
		h.show(style + page)
		h.values = nil
		bare := colours(h.look())
		h.values = []string{hidden}
		if n := colours(h.look()); n > 0 || bare < 30 {
			t.Errorf("%s: got %d of %d pixels of the value", name, n, bare)
		}
	}
}

func TestMaskOfAShortValueThatIsEverywhere(t *testing.T) {
	t.Parallel()
	h := newHiding(t, chrome.Config{})
	h.show(`<!doctype html><style>b { color: #f00 }</style>` + strings.Repeat(`<span>some <b>4711</b> more</span> `, 500))
	h.values = []string{"4711"}
	began := time.Now()
	if n := colours(h.look()); n > 0 {
		t.Errorf("got %d pixels of the value", n)
	}
	t.Logf("500 times the value: %v", time.Since(began))
}

func TestMaskOnAHugePage(t *testing.T) {
	h := newHiding(t, chrome.Config{})
	var rows strings.Builder
	for i := range 17000 {
		fmt.Fprintf(&rows, `<p>Some <b>words</b> of row %d</p>`, i)
	}
	h.show(`<!doctype html><p style="color:#f00;font:20px monospace">` + hidden + `</p>` + rows.String())
	for _, values := range [][]string{nil, {"absent-value", "another"}, {hidden}} {
		h.values = values
		h.look()
		began := time.Now()
		img := h.look()
		t.Logf("51,000 texts, %d values: %v", len(values), time.Since(began))
		if n := colours(img); values != nil && values[0] == hidden && n > 0 {
			t.Errorf("got %d pixels of the value", n)
		}
		if c := rgb(img.At(700, 500)); values != nil && c != rgb(image.White.At(0, 0)) {
			t.Errorf("got %v where nothing is, want white: all was painted over", c)
		}
	}
}
