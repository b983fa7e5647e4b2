package matrix

import (
	"math"

	"fara/env"
)

// Where things are: the stage in its document, the target and the end of drags on
// the stage.
var (
	inDocument = by(20, 10)
	middle     = env.Point{X: 33, Y: 33}
	corner     = env.Point{X: 90, Y: 55}
)

// pages lists the kinds of page.
func pages() []page {
	list := []page{
		plain("top page"), plain("fractions"), shaped("open shadow root", "open"), shaped("closed shadow root", "closed"),
		shaped("scrolled page", "scrolled"), shaped("scrolled container", "inner"),
		larger("zoom 1.5", "zoom:1.5", linear(1.5, 0, 0, 1.5)),
		styled("scale", "transform:scale(.75,2)", linear(.75, 0, 0, 2)),
		styled("rotate", "left:120px;transform:rotate(30deg)", then(turned(30), by(100, 0))),
		styled("skew", "transform:skew(20deg,10deg)", linear(1, math.Tan(20*math.Pi/180), math.Tan(10*math.Pi/180), 1)),
		styled("3d", "transform:perspective(400px) rotateY(40deg)", tilted(40, 400)),
		framed("same-origin frame", frame(home)), framed("same-site frame", frame(sibling)), framed("foreign frame", frame(foreign)),
		framed("sandboxed frame", frame(sandboxed)),
		framed("same in same", frame(home), frame(home)), framed("foreign in same", frame(foreign), frame(home)),
		framed("same in foreign", frame(foreign), frame(foreign)), framed("home in foreign", frame(home), frame(foreign)),
		framed("foreign in foreign in foreign", frame(foreign), frame(home), frame(foreign)),
		framed("scaled frame", bent(home, "transform:scale(1.5)", linear(1.5, 0, 0, 1.5))),
		framed("rotated frame", bent(home, "left:140px;transform:rotate(20deg)", then(turned(20), by(112, 0)))),
		framed("rotated foreign frame", bent(foreign, "left:140px;transform:rotate(20deg)", then(turned(20), by(112, 0)))),
		framed("zoomed foreign frame", zoomed(foreign)),
		edge("first pixel", "first", env.Point{}), edge("last pixel", "last", env.Point{X: float64(Viewport.W), Y: float64(Viewport.H)}),
		inFrame("closed shadow root in foreign frame", "closed", foreign), inFrame("scrolled foreign frame", "scrolled", foreign),
		inFrame("scrolled container in same-origin frame", "inner", home),
	}
	for i := range list {
		p := &list[i]
		switch p.name {
		case "fractions":
			p.target, p.scales = env.Point{X: 32.2, Y: 34.7}, true
		case "foreign frame", "rotate", "last pixel":
			p.scales = true
		case "zoom 1.5":
			p.wheel = 1 / 1.5
		case "zoomed foreign frame":
			p.wheel = 1 / 1.25
		}
	}
	return list
}

func shaped(name, shape string) page {
	return page{name: name, stage: stage{shape: shape, lies: inDocument}, target: middle, end: corner, wheel: 1}
}

func plain(name string) page { return shaped(name, "plain") }

// styled has the stage bent about its top left corner.
func styled(name, css string, lies mapping) page {
	p := plain(name)
	p.stage.css, p.stage.lies = css, then(lies, inDocument)
	return p
}

// larger has the stage zoomed, its place with it.
func larger(name, css string, lies mapping) page {
	p := plain(name)
	p.stage.css, p.stage.lies = css, then(inDocument, lies)
	return p
}

func framed(name string, layers ...layer) page {
	p := plain(name)
	p.layers = layers
	return p
}

func inFrame(name, shape string, from origin) page {
	p := shaped(name, shape)
	p.layers = []layer{frame(from)}
	return p
}

// border is a frame's, in CSS pixels on each side. Like the places of frames it is
// a multiple of four, which is a whole number of device pixels at every scale
// factor tried: what is not, browsers move to one.
const border = 4

func frame(from origin) layer { return bent(from, "", by(0, 0)) }

// bent is a frame at (28,16), transformed about its top left corner.
func bent(from origin, css string, how mapping) layer {
	return layer{origin: from, css: css, lies: then(by(border, border), how, by(28, 16))}
}

// zoomed is a frame whose place and border are zoomed as well; they stay whole
// pixels, which browsers would round them to.
func zoomed(from origin) layer {
	return layer{origin: from, css: "zoom:1.25;left:40px", lies: then(by(44, 20), linear(1.25, 0, 0, 1.25))}
}

// edge has the target, one pixel large, in a corner of the viewport.
func edge(name, shape string, of env.Point) page {
	p := page{name: name, stage: stage{shape: shape, lies: by(0, 0)}, wheel: 1, end: env.Point{X: 50, Y: 50}}
	if shape == "last" {
		p.target = env.Point{X: of.X - 1, Y: of.Y - 1}
		p.end = env.Point{X: of.X - 50, Y: of.Y - 50}
	}
	return p
}
