package chrome_test

import (
	"fmt"
	"testing"

	"fara/env"
	"fara/env/chrome"
)

// targets are 6×6 pixel squares in the corners and off centre; what happens on
// them is written into the title as event@x,y with "!" when it was not trusted.
const targets = `<title>-</title><style>body{margin:0}i{position:fixed;width:6px;height:6px;background:red}</style>
<i style="left:0;top:0"></i><i style="left:1434px;top:0"></i><i style="left:0;top:890px"></i><i style="left:1434px;top:890px"></i><i style="left:637px;top:397px"></i>
<script>const seen=[];for(const i of document.querySelectorAll('i'))for(const k of ['mousedown','mouseup','click','dblclick','contextmenu','auxclick'])
i.addEventListener(k,e=>{e.preventDefault();seen.push(k+'/'+e.detail+'@'+e.clientX+','+e.clientY+(e.isTrusted?'':'!'));document.title=seen.join(' ')})</script>`

func TestClickLandsOnSixPixelTargets(t *testing.T) {
	b := sharedTab(t)
	for _, p := range []env.Point{{X: 0, Y: 0}, {X: 1439, Y: 0}, {X: 0, Y: 895}, {X: 1439, Y: 895}, {X: 640, Y: 400}, {X: 637, Y: 402}} {
		b.open(targets)
		b.do(env.Action{Kind: env.LeftClick, Point: &p})
		b.titled(fmt.Sprintf("mousedown/1@%[1]v,%[2]v mouseup/1@%[1]v,%[2]v click/1@%[1]v,%[2]v", p.X, p.Y))
	}
}

func TestClickingKindsSendTheEventsOfAHand(t *testing.T) {
	b := sharedTab(t)
	one := func(n int) string {
		return fmt.Sprintf("mousedown/%[1]d@640,400 mouseup/%[1]d@640,400 click/%[1]d@640,400", n)
	}
	for kind, want := range map[env.Kind]string{
		env.RightClick:  "mousedown/1@640,400 contextmenu/0@640,400 mouseup/1@640,400 auxclick/1@640,400",
		env.DoubleClick: one(1) + " " + one(2) + " dblclick/2@640,400",
		env.TripleClick: one(1) + " " + one(2) + " dblclick/2@640,400 " + one(3),
	} {
		t.Run(string(kind), func(t *testing.T) {
			b := tab{b.Browser, t, b.site}
			b.open(targets).do(env.Action{Kind: kind, Point: at(640, 400)})
			b.titled(want)
		})
	}
}

func TestInputIsInCSSPixelsAtEveryScale(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{Viewport: env.Size{W: 640, H: 400}, Scale: 2})
	b.open(`<title>-</title><body onclick="document.title=event.clientX+','+event.clientY" style="height:390px">`)
	if got, want := b.see().ImageSize, (env.Size{W: 1280, H: 800}); got != want {
		t.Errorf("picture of 640x400 at scale 2: got %v, want %v", got, want)
	}
	b.do(env.Action{Kind: env.LeftClick, Point: at(320, 200)})
	b.titled("320,200")
}

func TestClickReachesFramesAndShadowRoots(t *testing.T) {
	b := sharedTab(t)
	inner := b.site.Page("/inner", `<body style="margin:0"><button style="position:absolute;left:10px;top:10px;width:100px;height:20px"
onclick="parent.postMessage('hit '+event.clientX+','+event.clientY+' '+event.isTrusted,'*')">Inside</button>`)
	foreign := "http://localhost" + inner[len("http://127.0.0.1"):]
	page := `<title>-</title><style>body{margin:0}iframe{position:absolute;border:0;top:100px;width:200px;height:100px}</style>
<iframe style="left:50px" src="` + inner + `"></iframe><iframe style="left:350px" src="` + foreign + `"></iframe>
<div id=host style="position:absolute;left:600px;top:100px"></div>
<script>host.attachShadow({mode:'open'}).innerHTML='<button onclick="document.title=\'shadow\'">Deep</button>';
onmessage=e=>document.title=e.data</script>`
	for _, c := range []struct {
		x         float64
		hit, want string
	}{{80, `on button "Inside"`, "hit 30,20 true"}, {380, "on frame", "hit 30,20 true"}, {620, `on button "Deep"`, "shadow"}} {
		b.open(page)
		y := 120.0
		if c.x == 620 {
			y = 110
		}
		out := b.do(env.Action{Kind: env.LeftClick, Point: at(c.x, y)})
		contains(t, "outcome", out.Text, c.hit)
		b.titled(c.want)
	}
}

func TestHitNamesTheControlAndItsBox(t *testing.T) {
	b := sharedTab(t).open(`<style>body{margin:0}</style>
<button style="position:absolute;left:100px;top:50px;width:120px;height:30px"><b>Add</b> to
 basket</button><label style="position:absolute;left:100px;top:100px">Your name <input type=password value=hunter2 style="position:absolute;left:100px;top:0;width:80px;height:20px;border:0;padding:0"></label>
<div style="position:absolute;left:100px;top:150px;width:300px;height:20px">` + fmt.Sprintf("%0100d", 7) + `</div>`)
	out := b.do(env.Action{Kind: env.LeftClick, Point: at(110, 65)})
	want := env.Element{Tag: "button", Role: "button", Name: "Add to basket", Box: env.Rect{X: 100, Y: 50, W: 120, H: 30}}
	if out.Hit == nil || *out.Hit != want {
		t.Errorf("hit: got %+v, want %+v", out.Hit, want)
	}
	if want := `clicked at (110, 65), on button "Add to basket"`; out.Text != want {
		t.Errorf("outcome: got %q, want %q", out.Text, want)
	}
	out = b.do(env.Action{Kind: env.MouseMove, Point: at(210, 110)})
	want = env.Element{Tag: "input", Role: "textbox", Name: "Your name", Box: env.Rect{X: 200, Y: 100, W: 80, H: 20}}
	if out.Hit == nil || *out.Hit != want {
		t.Errorf("password field: got %+v, want %+v", out.Hit, want)
	}
	out = b.do(env.Action{Kind: env.MouseMove, Point: at(110, 160)})
	if out.Hit == nil || len(out.Hit.Name) != 80 {
		t.Errorf("long name: got %+v, want 80 characters of it", out.Hit)
	}
}

func TestDragMovesASlider(t *testing.T) {
	b := sharedTab(t).open(`<title>-</title><style>body{margin:0}</style><input type=range min=0 max=100 value=0 style="position:absolute;left:100px;top:100px;width:400px;margin:0"
oninput="document.title=this.value">`)
	b.do(env.Action{Kind: env.MouseMove, Point: at(106, 108)})
	out := b.do(env.Action{Kind: env.LeftClickDrag, Point: at(300, 108)})
	contains(t, "outcome", out.Text, "dragged from (106, 108) to (300, 108)")
	b.titled("50")
}

func TestDragReleasesTheButtonAndShowsItsWay(t *testing.T) {
	b := sharedTab(t).open(`<title>-</title><style>body{margin:0;user-select:none}</style><script>const s=[];
for(const k of ['mousedown','mousemove','mouseup'])addEventListener(k,e=>{if(k!='mousemove'||e.buttons)s.push(k[5]+e.clientX+','+e.clientY+'/'+e.buttons);document.title=s.join(' ')})</script>`)
	b.do(env.Action{Kind: env.MouseMove, Point: at(100, 100)})
	b.do(env.Action{Kind: env.LeftClickDrag, Point: at(120, 110)})
	b.titled("d100,100/1 m102,101/1 m104,102/1 m106,103/1 m108,104/1 m110,105/1 m112,106/1 m114,107/1 m116,108/1 m118,109/1 m120,110/1 u120,110/0")
}

func TestScrollMovesWhatIsUnderThePointer(t *testing.T) {
	page := `<title>-</title><style>body{margin:0;height:3000px;width:3000px}div{position:fixed;left:100px;top:100px;width:200px;height:200px;overflow:auto}p{margin:0;height:500px}</style>
<div id=d><p>long</p></div><script>setInterval(()=>document.title=[scrollX,scrollY,d.scrollTop].join(),20)</script>`
	b := sharedTab(t).open(page)
	for _, c := range []struct {
		x, y, dx, dy float64
		want         string
	}{
		{600, 500, 0, 250, "0,250,0"}, {600, 500, 120, 0, "120,250,0"}, {200, 200, 0, 100, "120,250,100"},
		{600, 500, 0, -50, "120,200,100"}, {600, 500, 0, 99999, "120,2119,100"},
	} {
		b.do(env.Action{Kind: env.MouseMove, Point: at(c.x, c.y)})
		if out := b.do(env.Action{Kind: env.Scroll, DX: c.dx, DY: c.dy}); out.Tell {
			t.Errorf("scroll %+v: told %q, though it moved", c, out.Text)
		}
		b.titled(c.want)
	}
	out := b.do(env.Action{Kind: env.Scroll, DY: 100})
	if !out.Tell {
		t.Errorf("scroll past the end: got %+v, want it told", out)
	}
	contains(t, "scroll past the end", out.Text, "nothing moved", "down")
}

func TestScrollOfAPageThatHandlesTheWheelIsNotCalledVain(t *testing.T) {
	b := sharedTab(t).open(`<title>-</title><body style="height:600px"><script>let z=0;addEventListener('wheel',e=>{e.preventDefault();document.title='zoom '+(z+=e.deltaY)},{passive:false})</script>`)
	if out := b.do(env.Action{Kind: env.Scroll, DY: 120, Point: at(300, 300)}); out.Tell {
		t.Errorf("a map's own wheel: told %q", out.Text)
	}
	b.titled("zoom 120")
}
