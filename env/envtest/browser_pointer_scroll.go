package envtest

import (
	"fmt"
	"strings"
	"testing"

	"fara/env"
)

func scrollCases() []browserCase {
	return []browserCase{
		{name: "TheWheelMovesWhatIsUnderThePointer", run: scrollMoves},
		{name: "TheWheelMovesTheDialogAndNotThePage", run: scrollDialog},
		{name: "TheWheelReachesEveryKindOfScroller", run: scrollKinds},
		{name: "TheWheelReachesFramesOfEveryKind", run: scrollFrames},
		{name: "WhatCannotBeScrolledIsTold", run: scrollVain},
		{name: "TheEndIsSaid", run: scrollEnd},
		{name: "APageThatHandlesTheWheelIsNotCalledStill", run: scrollTaken},
	}
}

func (b *Tab) wheel(x, y, dx, dy float64) env.Outcome {
	b.T.Helper()
	return b.Do(env.Action{Kind: env.Scroll, Point: point(x, y), DX: dx, DY: dy})
}

func scrollMoves(t *testing.T, b *Tab) {
	b.Open(`<title>-</title><style>body{margin:0;height:3000px;width:3000px}div{position:fixed;left:100px;top:100px;width:200px;height:200px;overflow:auto}p{margin:0;height:500px}</style>
<div id=d><p>long</p></div><script>setInterval(()=>document.title=[scrollX,scrollY,d.scrollTop].join(),20)</script>`)
	for _, c := range []struct {
		x, y, dx, dy float64
		want         string
	}{
		{600, 500, 0, 250, "0,250,0"}, {600, 500, 120, 0, "120,250,0"}, {200, 200, 0, 100, "120,250,100"},
		{600, 500, 0, -50, "120,200,100"}, {600, 500, 0, 99999, "120,2119,100"},
	} {
		b.Do(env.Action{Kind: env.MouseMove, Point: point(c.x, c.y)})
		if out := b.Do(env.Action{Kind: env.Scroll, DX: c.dx, DY: c.dy}); out.Tell {
			t.Errorf("scroll %+v: told %q, though it moved", c, out.Text)
		}
		b.Says(c.want)
	}
	out := b.Do(env.Action{Kind: env.Scroll, DY: 100})
	if !out.Tell {
		t.Errorf("scroll past the end: got %+v, want it told", out)
	}
	Contains(t, "scroll past the end", out.Text, "nothing moved", "down")
}

func scrollDialog(t *testing.T, b *Tab) {
	b.Open(`<title>-</title><body style="margin:0;height:5000px"><div style="position:fixed;inset:0;background:#0008"></div>
<div id=m style="position:fixed;left:300px;top:100px;width:400px;height:400px;overflow:auto;background:#fff"><div style="height:1000px">long</div></div>
<script>setInterval(() => { document.title = m.scrollTop + ',' + scrollY }, 20)</script>`)
	out := b.wheel(500, 300, 0, 300)
	Contains(t, "outcome", out.Text, "scrolled down by 300 pixels")
	b.Says("300,0")
	out = b.wheel(500, 300, 0, 500)
	Contains(t, "outcome", out.Text, "by 300 pixels", "this was the end")
	b.Says("600,0")
}

// scrollKinds has in each page one scroller #s at (100,100) of 300×200 pixels.
func scrollKinds(t *testing.T, b *Tab) {
	const box = `position:absolute;left:100px;top:100px;width:300px;height:200px;`
	div := func(css, content string) string {
		return `<div id=s style="` + box + `overflow:auto;` + css + `">` + content + `</div>`
	}
	tall, wide := `<div style="height:2000px">x</div>`, `<div style="width:2000px;height:50px">x</div>`
	for name, c := range map[string]struct {
		html   string
		dx, dy float64
		want   string
	}{
		"nested":            {div("", `<div style="height:2000px"><div style="height:100px;overflow:hidden">x</div></div>`), 0, 300, "0,300"},
		"smooth":            {div("scroll-behavior:smooth", tall), 0, 300, "0,300"},
		"smooth page":       {`<style>html{scroll-behavior:smooth}</style>` + div("", tall), 0, 300, "0,300"},
		"contained":         {div("overscroll-behavior:contain", tall), 0, 300, "0,300"},
		"horizontal strip":  {div("overflow-y:hidden", wide), 300, 0, "300,0"},
		"textarea":          {`<textarea id=s style="` + box + `">` + strings.Repeat("line\n", 100) + `</textarea>`, 0, 300, "0,300"},
		"snapping":          {div("scroll-snap-type:y mandatory", strings.Repeat(`<div style="height:200px;scroll-snap-align:start">x</div>`, 10)), 0, 380, "0,400"},
		"odd distance":      {div("", tall), 0, 37, "0,37"},
		"shadow root":       {`<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML = ` + fmt.Sprintf("%q", div("", tall)) + `; var s = h.shadowRoot.getElementById('s')</script>`, 0, 300, "0,300"},
		"list of a select":  {`<select id=s size=5 style="` + box + `">` + strings.Repeat(`<option>one`, 100) + `</select>`, 0, 300, "0,300"},
		"virtual list":      {div("", `<div id=v style="height:90000px;position:relative"></div>`) + `<script>s.onscroll = () => { const n = Math.floor(s.scrollTop / 20); v.innerHTML = ''; for (let i = n; i < n + 12; i++) v.insertAdjacentHTML('beforeend', '<p style="position:absolute;margin:0;top:' + i * 20 + 'px">' + i) }; s.onscroll()</script>`, 0, 300, "0,300"},
		"sideways in a row": {div("overflow:auto hidden;white-space:nowrap", strings.Repeat(`<span style="display:inline-block;width:150px;height:100px">x</span>`, 20)), 150, 0, "150,0"},
	} {
		b.Open(`<title>-</title><body style="margin:0;height:5000px">` + c.html + `<script>setInterval(() => { document.title = [s.scrollLeft, s.scrollTop].map(Math.round) + '|' + scrollY }, 20)</script>`)
		out := b.wheel(200, 150, c.dx, c.dy)
		b.Says(c.want + "|0")
		if out.Tell || !strings.HasPrefix(out.Text, "scrolled ") {
			t.Errorf("%s: got %+v, want it to say that it scrolled", name, out)
		}
		if name != "snapping" {
			Contains(t, name, out.Text, fmt.Sprintf("by %v pixels", c.dx+c.dy))
		}
	}
}

func scrollFrames(t *testing.T, b *Tab) {
	inner := b.Site.Page("/inner", `<body style="margin:0;height:800px"><script>onscroll = () => top.postMessage('inner ' + scrollY, '*')</script>`)
	foreign := strings.Replace(inner, "127.0.0.1", "localhost", 1)
	b.Site.Page("/mid", `<body style="margin:0"><iframe style="border:0;width:100%;height:190px" src="`+foreign+`"></iframe>`)
	for _, src := range []string{inner, foreign, b.Site.URL + "/mid", strings.Replace(b.Site.URL, "127.0.0.1", "localhost", 1) + "/mid"} {
		b.Open(`<title>-</title><body style="margin:0"><iframe style="position:absolute;left:100px;top:100px;border:0;width:300px;height:200px" src="` + src + `"></iframe>
<script>onmessage = e => { document.title = e.data }; onscroll = () => { document.title = 'page ' + scrollY }</script>`)
		b.See()
		out := b.wheel(200, 150, 0, 300)
		Contains(t, src, out.Text, "scrolled down by 300 pixels")
		b.Says("inner 300")
		out = b.wheel(200, 150, 0, 5000)
		Contains(t, src, out.Text, "this was the end")
		if out = b.wheel(200, 150, 0, 100); !out.Tell {
			t.Errorf("%s: past the end: got %+v, want it told", src, out)
		}
	}
}

func scrollVain(t *testing.T, b *Tab) {
	foreign := strings.Replace(b.Site.Page("/short", `<p>short`), "127.0.0.1", "localhost", 1)
	for name, html := range map[string]string{
		"short page":     `<p>short`,
		"hidden":         `<body style="overflow:hidden;height:5000px">`,
		"ticking page":   `<p id=p></p><script>setInterval(() => { p.textContent = Date.now() }, 100)</script>`,
		"own frame":      `<iframe style="width:600px;height:400px" src="/short"></iframe>`,
		"foreign frame":  `<iframe style="width:600px;height:400px" src="` + foreign + `"></iframe>`,
		"passive hearer": `<p>short<script>addEventListener('wheel', () => {}, {passive: true})</script>`,
		"locked dialog":  `<body style="margin:0;height:5000px"><div style="position:fixed;inset:0;overflow:auto;overscroll-behavior:contain;background:#fff"><div style="height:calc(100% + 0px)">x</div></div>`,
	} {
		if name == "locked dialog" {
			html = strings.Replace(html, "margin:0;", "margin:0;overflow:hidden;", 1)
		}
		b.Open(`<title>-</title>` + html)
		for _, d := range []env.Point{{Y: 200}, {Y: -200}, {X: 200}} {
			if out := b.wheel(300, 200, d.X, d.Y); !out.Tell || !strings.Contains(out.Text, "nothing moved") {
				t.Errorf("%s: wheel by %v: got %+v, want it told that nothing moved", name, d, out)
			}
		}
	}
}

func scrollEnd(t *testing.T, b *Tab) {
	b.Open(`<title>-</title><body style="margin:0;height:1500px;width:1600px">`)
	for _, c := range []struct {
		dx, dy float64
		end    bool
	}{{0, 100, false}, {0, 5000, true}, {0, -100, false}, {0, -5000, true}, {100, 0, false}, {500, 0, true}, {-5000, 0, true}} {
		out := b.wheel(300, 300, c.dx, c.dy)
		if strings.Contains(out.Text, "this was the end") != c.end {
			t.Errorf("wheel by %v, %v: got %q, the end %v", c.dx, c.dy, out.Text, c.end)
		}
	}
}

func scrollTaken(t *testing.T, b *Tab) {
	for name, script := range map[string]string{
		"prevented":      `addEventListener('wheel', e => { e.preventDefault(); document.title = 'zoom ' + (z += e.deltaY) }, {passive: false})`,
		"moved":          `addEventListener('wheel', e => { z += e.deltaY; m.style.transform = 'translateY(-' + z + 'px)'; document.title = 'zoom ' + z })`,
		"drawn again":    `c.onwheel = e => { z += e.deltaY; c.getContext('2d').fillRect(0, 0, z, z); document.title = 'zoom ' + z }`,
		"kept to itself": `window.addEventListener('wheel', e => { e.stopImmediatePropagation(); e.preventDefault(); document.title = 'zoom ' + (z += e.deltaY) }, {capture: true, passive: false})`,
	} {
		html := `<div id=m style="width:600px;height:400px;background:#eee">map</div>`
		if name == "drawn again" {
			html = `<canvas id=c width=600 height=400></canvas>`
		}
		b.Open(`<title>-</title><body style="margin:0;height:600px">` + html + `<script>let z = 0; ` + script + `</script>`)
		if out := b.wheel(300, 300, 0, 120); out.Tell {
			t.Errorf("%s: told %q", name, out.Text)
		}
		b.Says("zoom 120")
	}
}
