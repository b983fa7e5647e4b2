package envtest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"fara/env"
)

// hits moves to a point and gives what was found there.
func (b *Tab) hits(x, y float64) env.Element {
	b.T.Helper()
	out := b.Do(env.Action{Kind: env.MouseMove, Point: point(x, y)})
	if out.Hit == nil {
		b.T.Fatalf("nothing found at (%v, %v)", x, y)
	}
	return *out.Hit
}

func hitNames(t *testing.T, b *Tab) {
	b.Open(`<style>body{margin:0}</style>
<button style="position:absolute;left:100px;top:50px;width:120px;height:30px"><b>Add</b> to
 basket</button><label style="position:absolute;left:100px;top:100px">Your name <input type=password value=hunter2 style="position:absolute;left:100px;top:0;width:80px;height:20px;border:0;padding:0"></label>
<div style="position:absolute;left:100px;top:150px;width:300px;height:20px">` + fmt.Sprintf("%0100d", 7) + `</div>`)
	out := b.Click(110, 65)
	want := env.Element{Tag: "button", Role: "button", Name: "Add to basket", Box: env.Rect{X: 100, Y: 50, W: 120, H: 30}}
	if out.Hit == nil || *out.Hit != want {
		t.Errorf("hit: got %+v, want %+v", out.Hit, want)
	}
	if want := `clicked at (110, 65), on button "Add to basket"`; out.Text != want {
		t.Errorf("outcome: got %q, want %q", out.Text, want)
	}
	want = env.Element{Tag: "input", Role: "textbox", Name: "Your name", Box: env.Rect{X: 200, Y: 100, W: 80, H: 20}}
	if got := b.hits(210, 110); got != want {
		t.Errorf("password field: got %+v, want %+v", got, want)
	}
	if got := b.hits(110, 160); len(got.Name) != 80 {
		t.Errorf("long name: got %+v, want 80 characters of it", got)
	}
}

func hitKinds(t *testing.T, b *Tab) {
	b.Open(`<style>body{margin:0}body>*{position:absolute}</style>
<svg style="left:0;top:0" width=100 height=100><a href="/x"><title>Chart</title><circle cx=50 cy=50 r=40 /></a></svg>
<img usemap="#m" width=100 height=100 style="left:200px;top:0" src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">
<map name=m><area href="/y" alt="North" shape=rect coords="10,20,60,80"></map>
<label style="left:400px;top:0;width:200px;height:30px"><input type=checkbox>I agree</label>
<section id=open style="left:0;top:200px"></section><section id=closed style="left:200px;top:200px"></section>
<main role=main style="left:0;top:400px;width:300px;height:100px">plain words</main>
<script>for (const mode of ['open', 'closed']) document.getElementById(mode).attachShadow({mode}).innerHTML = '<button style="width:100px;height:40px">' + mode + '</button>'</script>`)
	for _, c := range []struct {
		x, y float64
		want env.Element
	}{
		{50, 50, env.Element{Tag: "a", Role: "link", Name: "Chart", Box: env.Rect{X: 10, Y: 10, W: 80, H: 80}}},
		{230, 40, env.Element{Tag: "area", Role: "link", Name: "North", Box: env.Rect{X: 210, Y: 20, W: 50, H: 60}}},
		{550, 10, env.Element{Tag: "label", Role: "checkbox", Name: "I agree", Box: env.Rect{X: 400, W: 200, H: 30}}},
		{50, 220, env.Element{Tag: "button", Role: "button", Name: "open", Box: env.Rect{Y: 200, W: 100, H: 40}}},
		{250, 220, env.Element{Tag: "button", Role: "button", Name: "closed", Box: env.Rect{X: 200, Y: 200, W: 100, H: 40}}},
		{150, 450, env.Element{Tag: "main", Role: "main", Name: "plain words", Box: env.Rect{Y: 400, W: 300, H: 100}}},
	} {
		if got := b.hits(c.x, c.y); got != c.want {
			t.Errorf("(%v, %v): got %+v, want %+v", c.x, c.y, got, c.want)
		}
	}
}

// hitFrames has a button at (10,20) of 60×30 pixels in the innermost document.
func hitFrames(t *testing.T, b *Tab) {
	leaf := b.Site.Page("/leaf", `<body style="margin:0;height:3000px"><div id=h></div><script>
h.attachShadow({mode: 'closed'}).innerHTML = '<button style="position:absolute;left:10px;top:120px;width:60px;height:30px">Deep</button>'; scrollTo(0, 100)</script>`)
	foreign := func(address string) string { return strings.Replace(address, "127.0.0.1", "localhost", 1) }
	outer := func(path, src string) string {
		return b.Site.Page(path, `<body style="margin:0"><iframe style="position:absolute;left:5px;top:15px;border:0;width:200px;height:100px" src="`+src+`"></iframe>`)
	}
	bent := "transform-origin:0 0;transform:scale(2)"
	for _, c := range []struct {
		name, src, css string
		want           env.Rect
	}{
		{"own", leaf, "", env.Rect{X: 110, Y: 70, W: 60, H: 30}},
		{"foreign", foreign(leaf), "", env.Rect{X: 110, Y: 70, W: 60, H: 30}},
		{"foreign in own", outer("/a", foreign(leaf)), "", env.Rect{X: 115, Y: 85, W: 60, H: 30}},
		{"own in foreign", foreign(outer("/b", leaf)), "", env.Rect{X: 115, Y: 85, W: 60, H: 30}},
		{"foreign in foreign, scaled", foreign(outer("/c", foreign(leaf))), bent, env.Rect{X: 130, Y: 120, W: 120, H: 60}},
		{"foreign, turned", foreign(leaf), "transform-origin:0 0;transform:rotate(90deg)", env.Rect{X: 50, Y: 60, W: 30, H: 60}},
	} {
		b.Open(`<body style="margin:0"><iframe style="position:absolute;left:100px;top:50px;border:0;width:300px;height:200px;` + c.css + `" src="` + c.src + `"></iframe>`)
		got := b.hits(c.want.X+c.want.W/2, c.want.Y+c.want.H/2)
		off := math.Abs(got.Box.X-c.want.X) + math.Abs(got.Box.Y-c.want.Y) + math.Abs(got.Box.W-c.want.W) + math.Abs(got.Box.H-c.want.H)
		if got.Tag != "button" || got.Name != "Deep" || off > 0.1 {
			t.Errorf("%s: got %+v, want button Deep in %+v", c.name, got, c.want)
		}
	}
}
