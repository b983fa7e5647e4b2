package envtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fara/env"
)

func dragCases() []browserCase {
	return []browserCase{
		{name: "ADragShowsItsWayAndReleasesTheButton", run: dragWay},
		{name: "ADragBeginsWhereItIsToldTo", run: dragFrom},
		{name: "ADragSetsSliders", run: dragSliders},
		{name: "ADragSortsLists", run: dragLists},
		{name: "ADragDropsFromPageToPage", run: dragData},
		{name: "ADragSelectsTextAndDraws", run: dragText},
		{name: "NoDragLeavesTheButtonDown", run: dragTroubles},
		{name: "ACancelledDragReleasesTheButton", run: dragCancelled},
	}
}

// drag moves to one point and drags to another.
func (b *Tab) drag(x, y, toX, toY float64) env.Outcome {
	b.T.Helper()
	b.Do(env.Action{Kind: env.MouseMove, Point: point(x, y)})
	return b.Do(env.Action{Kind: env.LeftClickDrag, Point: point(toX, toY)})
}

func dragWay(t *testing.T, b *Tab) {
	b.Open(`<title>-</title><style>body{margin:0;user-select:none}</style><script>const s=[];
for(const k of ['mousedown','mousemove','mouseup'])addEventListener(k,e=>{if(k!='mousemove'||e.buttons)s.push(k[5]+e.clientX+','+e.clientY+'/'+e.buttons);document.title=s.join(' ')})</script>`)
	out := b.drag(100, 100, 120, 110)
	Contains(t, "outcome", out.Text, "dragged from (100, 100) to (120, 110)")
	b.Says("d100,100/1 m102,101/1 m104,102/1 m106,103/1 m108,104/1 m110,105/1 m112,106/1 m114,107/1 m116,108/1 m118,109/1 m120,110/1 u120,110/0")
}

// dragFrom has the pointer elsewhere before.
func dragFrom(t *testing.T, b *Tab) {
	b.Open(`<title>-</title><style>body{margin:0;user-select:none}</style><script>const s=[];
for(const k of ['mousedown','mouseup'])addEventListener(k,e=>{s.push(k[5]+e.clientX+','+e.clientY);document.title=s.join(' ')})</script>`)
	b.Do(env.Action{Kind: env.MouseMove, Point: point(500, 400)})
	out := b.Do(env.Action{Kind: env.LeftClickDrag, From: point(100, 100), Point: point(120, 110)})
	Contains(t, "outcome", out.Text, "dragged from (100, 100) to (120, 110)")
	b.Says("d100,100 u120,110")
	b.Fails(env.Action{Kind: env.LeftClickDrag, From: point(-1, 100), Point: point(120, 110)}, env.BadArgument)
	b.Says("d100,100 u120,110")
}

func dragSliders(_ *testing.T, b *Tab) {
	const place = `style="position:absolute;left:100px;top:100px;width:400px;margin:0"`
	b.Open(`<title>-</title><input type=range min=0 max=100 value=0 ` + place + ` oninput="document.title=this.value">`)
	b.drag(106, 108, 300, 108)
	b.Says("50")
	b.drag(300, 108, 494, 108)
	b.Says("100")
	// One that follows the pointer wherever it goes once it is held.
	b.Open(`<title>-</title><div ` + place + `><div id=k style="position:absolute;left:0;top:0;width:20px;height:20px;background:red;touch-action:none"></div></div><script>
let from = null; k.onpointerdown = e => { from = e.clientX - k.offsetLeft; k.setPointerCapture(e.pointerId); };
k.onpointermove = e => { if (from !== null && e.buttons === 1) k.style.left = e.clientX - from + 'px'; };
k.onlostpointercapture = () => { from = null; document.title = k.offsetLeft };</script>`)
	b.drag(110, 110, 310, 300)
	b.Says("200")
	b.Do(env.Action{Kind: env.MouseMove, Point: point(400, 110)})
	b.Says("200")
}

func dragLists(_ *testing.T, b *Tab) {
	const list = `<title>-</title><style>ul{position:absolute;left:100px;top:100px;margin:0;padding:0;list-style:none}li{width:200px;height:40px;background:#eee;touch-action:none}</style><ul id=u><li>one<li>two<li>three<li>four</ul>`
	const order = `document.title = [...u.children].map(n => n.textContent).join()`
	b.Open(list + `<script>let held = null;
u.onpointerdown = e => { held = e.target; held.setPointerCapture(e.pointerId) };
u.onpointermove = e => { if (!held) return; const over = [...u.children].find(n => { const r = n.getBoundingClientRect(); return e.clientY >= r.top && e.clientY < r.bottom });
 if (over && over !== held) { const after = [...u.children].indexOf(over) > [...u.children].indexOf(held); after ? over.after(held) : over.before(held) } };
u.onpointerup = () => { held = null; ` + order + ` }</script>`)
	b.drag(150, 120, 150, 205)
	b.Says("two,three,one,four")
	b.Open(list + `<script>let held = null; for (const n of u.children) n.draggable = true;
u.ondragstart = e => { held = e.target; e.dataTransfer.setData('text/plain', held.textContent); e.dataTransfer.effectAllowed = 'move' };
u.ondragover = e => { e.preventDefault(); if (e.target !== held && e.target.parentNode === u) (e.offsetY > 20 ? e.target.after(held) : e.target.before(held)) };
u.ondrop = e => e.preventDefault(); u.ondragend = () => { ` + order + ` }</script>`)
	b.drag(150, 120, 150, 215)
	b.Says("two,three,one,four")
	b.drag(150, 240, 150, 105)
	b.Says("four,two,three,one")
}

// dragData drops HTML5 data on a box of the page, and of a frame of another site.
func dragData(t *testing.T, b *Tab) {
	const box = `<div id=to style="position:absolute;left:0;top:0;width:100px;height:100px;background:#efe"></div><script>
const seen = new Set();
for (const k of ['dragenter', 'dragover', 'drop']) to.addEventListener(k, e => { e.preventDefault(); seen.add(k); if (k === 'drop') top.postMessage([...seen] + ' ' + e.dataTransfer.getData('text/plain'), '*') })</script>`
	const page = `<title>-</title><style>body{margin:0}</style><div draggable=true id=from style="position:absolute;left:300px;top:0;width:100px;height:100px;background:#fee"></div><script>
let log = '', got = ''; const say = () => { document.title = log + got }; onmessage = e => { got = e.data + ';'; say() }; from.ondragstart = e => { e.dataTransfer.setData('text/plain', 'cargo'); log += 'dragstart ' }; from.ondragend = e => { log += 'dragend ' + e.dataTransfer.dropEffect + '; '; say() };
from.onclick = () => { document.title = 'clicked' }</script>`
	b.Open(page + box)
	b.drag(350, 50, 50, 50)
	b.Says("dragstart dragend copy; dragenter,dragover,drop cargo;")
	foreign := strings.Replace(b.Site.Page("/box", `<body style="margin:0">`+box), "127.0.0.1", "localhost", 1)
	b.Open(page + `<iframe style="position:absolute;left:0;top:0;border:0;width:200px;height:200px" src="` + foreign + `"></iframe>`)
	b.See()
	b.drag(350, 50, 50, 50)
	if !Eventually(func() bool { return strings.Contains(b.See().Title, "dragend") }) {
		t.Errorf("drag into a frame of another site: page says %q, want an end", b.See().Title)
	}
	b.Click(350, 50)
	b.Says("clicked")
}

func dragText(_ *testing.T, b *Tab) {
	b.Open(`<title>-</title><p style="position:absolute;left:100px;top:100px;margin:0;font:20px monospace">alpha beta gamma</p><script>document.onselectionchange = () => { document.title = '[' + getSelection() + ']' }</script>`)
	b.drag(100, 112, 161, 112)
	b.Says("[alpha]")
	b.Open(`<title>-</title><canvas id=c width=400 height=400 style="position:absolute;left:0;top:0"></canvas><script>const g = c.getContext('2d'); let down = false;
c.onmousedown = e => { down = true; g.beginPath(); g.moveTo(e.offsetX, e.offsetY) }; c.onmousemove = e => { if (down) { g.lineTo(e.offsetX, e.offsetY); g.lineWidth = 5; g.stroke() } };
c.onmouseup = () => { down = false; document.title = [50, 150, 250].map(n => g.getImageData(n, n, 1, 1).data[3] > 0) }</script>`)
	b.drag(20, 20, 200, 200)
	b.Says("true,true,false")
}

// dragTroubles are drags in which something goes wrong; after each the next click
// is an ordinary one.
func dragTroubles(t *testing.T, b *Tab) {
	const button = `<button style="position:absolute;left:300px;top:300px;width:100px;height:50px" onclick="document.title='clicked'">Go</button>`
	const thing = `<div id=x draggable=%s style="position:absolute;left:50px;top:50px;width:100px;height:100px;background:red"></div>`
	inner := b.Site.Page("/inner", `<body style="margin:0;height:90px;background:#ddd">frame`)
	foreign := strings.Replace(inner, "127.0.0.1", "localhost", 1)
	x := func(draggable string) string { return strings.Replace(thing, "%s", draggable, 1) }
	for name, html := range map[string]string{
		"it disappears when pressed": x("false") + `<script>x.onmousedown = () => x.remove()</script>`,
		"it disappears on the way":   x("true") + `<script>x.ondrag = () => x.remove()</script>`,
		"it disappears at the start": x("true") + `<script>x.ondragstart = () => setTimeout(() => x.remove())</script>`,
		"nothing takes it":           x("true"),
		"it is refused":              x("true") + `<script>x.ondragstart = e => e.preventDefault()</script>`,
		"a message when pressed":     x("false") + `<script>x.onmousedown = () => alert('held')</script>`,
		"a message on the way":       x("false") + `<script>let n = 0; addEventListener('mousemove', e => { if (e.buttons && ++n === 3) alert('moving') })</script>`,
		"a message at the start":     x("true") + `<script>x.ondragstart = () => alert('start')</script>`,
		"a message on the drop":      x("true") + `<script>ondragover = e => e.preventDefault(); ondrop = e => { e.preventDefault(); alert('dropped') }</script>`,
		"it ends in a frame":         x("false") + `<iframe style="position:absolute;left:190px;top:50px;border:0;width:100px;height:100px" src="` + inner + `"></iframe>`,
		"it ends in a foreign frame": x("true") + `<iframe style="position:absolute;left:190px;top:50px;border:0;width:100px;height:100px" src="` + foreign + `"></iframe>`,
		"the page goes on":           x("false") + `<script>let k = 0; addEventListener('mousemove', e => { if (e.buttons && ++k === 3) location.hash = 'on' })</script>`,
	} {
		b.Open(`<title>-</title><style>body{margin:0}</style>` + button + html)
		b.Do(env.Action{Kind: env.MouseMove, Point: point(100, 100)})
		if _, err := b.Perform(t.Context(), env.Action{Kind: env.LeftClickDrag, Point: point(240, 100)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		b.Click(350, 325)
		if !Eventually(func() bool { return b.See().Title == "clicked" }) {
			t.Errorf("%s: the next click did nothing: page says %q", name, b.See().Title)
		}
	}
}

// dragCancelled ends a drag's context at every moment of it.
func dragCancelled(t *testing.T, b *Tab) {
	cause := errors.New("the test is tired of it")
	for _, draggable := range []string{"true", "false"} {
		b.Open(`<title>-</title><body style="margin:0;height:800px"><div draggable=` + draggable + ` style="position:absolute;left:50px;top:50px;width:100px;height:100px;background:red"></div><script>
let held = false, clicks = 0; for (const k of ['mousedown', 'mouseup', 'dragend', 'mousemove', 'click']) addEventListener(k, e => {
 if (k === 'mousedown') held = true; else if (k !== 'mousemove' || !e.buttons) held = false; if (k === 'click') clicks++; document.title = 'held ' + held + ', clicks ' + clicks });</script>`)
		for ms := range 12 {
			b.Do(env.Action{Kind: env.MouseMove, Point: point(100, 100)})
			ctx, cancel := context.WithCancelCause(t.Context())
			timer := time.AfterFunc(time.Duration(ms*5)*time.Millisecond, func() { cancel(cause) })
			_, err := b.Perform(ctx, env.Action{Kind: env.LeftClickDrag, Point: point(600, 600)})
			timer.Stop()
			cancel(nil)
			if err != nil && !errors.Is(err, cause) {
				t.Errorf("cancelled after %d ms: %v", ms*5, err)
			}
			before := b.See().Title
			b.Do(env.Action{Kind: env.LeftClick, Point: point(700, 700)})
			if !Eventually(func() bool {
				now := b.See().Title
				return now != before && strings.HasPrefix(now, "held false")
			}) {
				t.Fatalf("draggable %s, cancelled after %d ms: a click does nothing: page says %q", draggable, ms*5, before)
			}
		}
	}
}
