package envtest

import (
	"fmt"
	"strings"
	"testing"

	"fara/env"
)

func clickCases() []browserCase {
	return []browserCase{
		{name: "AClickLandsOnSixPixelTargets", run: sixPixels},
		{name: "ClickingKindsSendTheEventsOfAHand", run: clickingKinds},
		{name: "FractionsAreDispatchedAsTheyAre", run: fractions},
		{name: "DoubleAndTripleClickSelectAsAUsersDo", run: clickSelections},
		{name: "ARightClickLeavesNothingInTheWay", run: rightClick},
		{name: "PointsOutsideTheViewportAreErrors", run: outside},
		{name: "HitNamesTheControlAndItsBox", run: hitNames},
		{name: "HitNamesShapesAreasLabelsAndShadows", run: hitKinds},
		{name: "HitNamesWhatIsInFramesOfEveryKind", run: hitFrames},
	}
}

// pixelTargets are 6×6 pixel squares in the corners and off centre; what happens on
// them is written into the title as event@x,y with "!" when it was not trusted.
const pixelTargets = `<title>-</title><style>body{margin:0}i{position:fixed;width:6px;height:6px;background:red}</style>
<i style="left:0;top:0"></i><i style="left:1434px;top:0"></i><i style="left:0;top:890px"></i><i style="left:1434px;top:890px"></i><i style="left:637px;top:397px"></i>
<script>const seen=[];for(const i of document.querySelectorAll('i'))for(const k of ['mousedown','mouseup','click','dblclick','contextmenu','auxclick'])
i.addEventListener(k,e=>{e.preventDefault();seen.push(k+'/'+e.detail+'@'+e.clientX+','+e.clientY+(e.isTrusted?'':'!'));document.title=seen.join(' ')})</script>`

func sixPixels(_ *testing.T, b *Tab) {
	for _, p := range []env.Point{{X: 0, Y: 0}, {X: 1439, Y: 0}, {X: 0, Y: 895}, {X: 1439, Y: 895}, {X: 640, Y: 400}, {X: 637, Y: 402}} {
		b.Open(pixelTargets)
		b.Click(p.X, p.Y)
		b.Says(fmt.Sprintf("mousedown/1@%[1]v,%[2]v mouseup/1@%[1]v,%[2]v click/1@%[1]v,%[2]v", p.X, p.Y))
	}
}

func clickingKinds(_ *testing.T, b *Tab) {
	one := func(n int) string {
		return fmt.Sprintf("mousedown/%[1]d@640,400 mouseup/%[1]d@640,400 click/%[1]d@640,400", n)
	}
	for kind, want := range map[env.Kind]string{
		env.RightClick:  "mousedown/1@640,400 contextmenu/0@640,400 mouseup/1@640,400 auxclick/1@640,400",
		env.DoubleClick: one(1) + " " + one(2) + " dblclick/2@640,400",
		env.TripleClick: one(1) + " " + one(2) + " dblclick/2@640,400 " + one(3),
	} {
		b.Open(pixelTargets)
		b.Do(env.Action{Kind: kind, Point: point(640, 400)})
		b.Says(want)
	}
}

func fractions(_ *testing.T, b *Tab) {
	b.Open(`<title>-</title><body style="margin:0;height:800px"><script>
addEventListener('pointerdown', e => { document.title = e.clientX.toFixed(2) + ',' + e.clientY.toFixed(2) })</script>`)
	b.Click(504.2, 502.2)
	b.Says("504.20,502.20")
}

func clickSelections(_ *testing.T, b *Tab) {
	const style = `style="position:absolute;left:100px;top:100px;width:600px;font:20px monospace;margin:0;padding:0;border:0;line-height:30px"`
	selected := func(html, selection string) string {
		return `<title>-</title>` + html + `<script>const x = document.querySelector('[style]');
setInterval(() => { document.title = '[' + ` + selection + ` + ']' }, 20)</script>`
	}
	inField := `x.value.slice(x.selectionStart, x.selectionEnd).trim()`
	inText := `getSelection().toString().trim()`
	for _, c := range []struct{ html, double, triple string }{
		{selected(`<input `+style+` value="alpha beta gamma">`, inField), "[beta]", "[alpha beta gamma]"},
		{selected(`<textarea rows=2 `+style+">alpha beta gamma\nsecond line</textarea>", inField), "[beta]", "[alpha beta gamma]"},
		{selected(`<p `+style+`>alpha beta gamma</p><p>other</p>`, inText), "[beta]", "[alpha beta gamma]"},
		{selected(`<div contenteditable `+style+`><div>alpha beta gamma</div><div>second</div></div>`, inText), "[beta]", "[alpha beta gamma]"},
	} {
		for kind, want := range map[env.Kind]string{env.DoubleClick: c.double, env.TripleClick: c.triple} {
			b.Open(c.html)
			b.Do(env.Action{Kind: kind, Point: point(190, 115)})
			b.Says(want)
		}
	}
}

func rightClick(_ *testing.T, b *Tab) {
	b.Open(`<title>-</title><body style="margin:0;height:800px"><script>const s = [];
for (const k of ['contextmenu', 'click', 'keydown']) addEventListener(k, e => { s.push(k + (e.key || '')); document.title = s.join(' ') })</script>`)
	b.Do(env.Action{Kind: env.RightClick, Point: point(300, 300)})
	b.Click(320, 320)
	b.Press("a")
	b.Do(env.Action{Kind: env.RightClick, Point: point(300, 300)})
	b.Do(env.Action{Kind: env.RightClick, Point: point(310, 310)})
	b.Says("contextmenu click keydowna contextmenu contextmenu")
}

func outside(t *testing.T, b *Tab) {
	b.Open(`<title>-</title><body style="margin:0;height:800px"><script>addEventListener('mousedown', () => { document.title = 'pressed' })</script>`)
	v := b.See().Viewport
	for _, kind := range []env.Kind{env.MouseMove, env.LeftClick, env.RightClick, env.DoubleClick, env.TripleClick, env.LeftClickDrag} {
		for _, p := range []*env.Point{point(-1, 5), point(float64(v.W), 5), point(5, float64(v.H)), point(5, 1e9)} {
			if text := b.Fails(env.Action{Kind: kind, Point: p}, env.BadArgument); !strings.Contains(text, v.String()) {
				t.Errorf("%s at %v: got %q, want the viewport's size in it", kind, p, text)
			}
		}
	}
	b.Says("-")
}
