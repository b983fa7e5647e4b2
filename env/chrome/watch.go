package chrome

import (
	"context"
	"encoding/json"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// watchTries is how often documents that do not answer are asked: on a busy machine
// they may take a moment, and a captcha that is missed is one that gets clicked.
const watchTries = 4

// What a page may show beside a widget that it is there for: a few sentences, the
// buttons that go with it and the links below.
const (
	aloneText    = 1000
	alonePresses = 12
)

// noticed is what pageScript's widgets says of one document.
type noticed struct {
	Found []struct {
		At  int      `json:"at"`
		Box env.Rect `json:"box"`
	} `json:"found"`
	Solved []int   `json:"solved"`
	W      float64 `json:"w"`
	H      float64 `json:"h"`
	Closed int     `json:"closed"`
}

// beside is what pageScript's others says of one document.
type beside struct {
	Text    int  `json:"text"`
	Fields  int  `json:"fields"`
	Presses int  `json:"presses"`
	Large   bool `json:"large"`
}

// widgets looks for Config.Watch in a page. A document that does not answer shows
// none.
func (b *instance) widgets(ctx context.Context, p *page) []env.Widget {
	if len(b.cfg.Watch) == 0 {
		return nil
	}
	type sought struct {
		Selector string `json:"selector"`
		Solved   string `json:"solved"`
	}
	list := make([]sought, len(b.cfg.Watch))
	for i, w := range b.cfg.Watch {
		list[i] = sought{w.Selector, w.Solved}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return nil
	}
	call := "widgets(" + string(raw) + ")"
	bound, release := b.bind(ctx, p)
	defer release()
	documents, err := everyPlace[noticed](ctx, b, p, call, call)
	for again := 1; again < watchTries && err != nil && bound.ctx.Err() == nil; again++ {
		documents, err = everyPlace[noticed](ctx, b, p, call, call)
	}
	for i, d := range documents {
		if d.answer.Closed == 0 {
			continue
		}
		limited, cancel := context.WithTimeout(bound.ctx, probeLimit)
		s := session{limited, b.conn, d.place.session}
		if s.openAll(d.place.frame) == nil {
			_ = s.ask(d.place.frame, call, &documents[i].answer)
		}
		cancel()
	}
	found := b.merge(bound, p, documents)
	if len(found) > 0 && b.littleElse(bound, p, found) {
		for i := range found {
			found[i].Alone = true
		}
	}
	return found
}

// merge puts what the documents of a page show together, in the order of
// Config.Watch.
func (b *instance) merge(bound session, p *page, documents []placed[noticed]) (out []env.Widget) {
	solved := map[int]bool{}
	for _, d := range documents {
		for _, i := range d.answer.Solved {
			solved[i] = true
		}
	}
	g := b.geometry(bound, p)
	for i, w := range b.cfg.Watch {
		for _, d := range documents {
			for _, f := range d.answer.Found {
				if f.At != i {
					continue
				}
				for _, r := range g.visible(d.place, d.answer, f.Box) {
					if r = b.inViewport(r); r.W >= 1 && r.H >= 1 && !withinOne(out, r) {
						out = append(out, env.Widget{Name: w.Name, Box: r, Solved: solved[i]})
					}
				}
			}
		}
	}
	return out
}

// visible gives a box of a document in the page; none when its frame is not seen.
func (g *geometry) visible(at place, d noticed, box env.Rect) []env.Rect {
	s := session{g.ctx, g.processes[0].conn, at.session}
	top := at.session == g.main && at.frame == g.root
	if !top && !g.seen(at.frame) {
		return nil
	}
	boxes, err := g.inPage(shows{session: s, frame: at.frame, top: top, told: told{W: d.W, H: d.H, Boxes: []env.Rect{box}}})
	if err != nil {
		return nil
	}
	return boxes
}

// seen reports whether a frame is shown by the document that holds it.
func (g *geometry) seen(frame proto.PageFrameID) bool {
	for _, s := range g.processes {
		owner, err := proto.DOMGetFrameOwner{FrameID: frame}.Call(s)
		if err != nil {
			continue
		}
		object, err := proto.DOMResolveNode{BackendNodeID: owner.BackendNodeID}.Call(s)
		if err != nil {
			return false
		}
		var shown bool
		raw, err := s.start(proto.RuntimeCallFunctionOn{ObjectID: object.Object.ObjectID, ReturnByValue: true, Silent: true,
			FunctionDeclaration: "function() { return this.checkVisibility({opacityProperty: true, visibilityProperty: true}) }"})()
		_ = proto.RuntimeReleaseObject{ObjectID: object.Object.ObjectID}.Call(s)
		return err == nil && decodeResult(raw, &shown) == nil && shown
	}
	return false
}

// inViewport is the part of a box that the picture shows.
func (b *instance) inViewport(r env.Rect) env.Rect {
	l, t := max(r.X, 0), max(r.Y, 0)
	right, bottom := min(r.X+r.W, float64(b.cfg.Viewport.W)), min(r.Y+r.H, float64(b.cfg.Viewport.H))
	return env.Rect{X: l, Y: t, W: max(right-l, 0), H: max(bottom-t, 0)}
}

// withinOne reports whether most of a box lies in one that is told of already.
func withinOne(told []env.Widget, r env.Rect) bool {
	for _, w := range told {
		width := min(r.X+r.W, w.Box.X+w.Box.W) - max(r.X, w.Box.X)
		height := min(r.Y+r.H, w.Box.Y+w.Box.H) - max(r.Y, w.Box.Y)
		if width > 0 && height > 0 && width*height >= 0.8*r.W*r.H {
			return true
		}
	}
	return false
}

// littleElse reports whether a page shows little beside what was found.
func (b *instance) littleElse(bound session, p *page, found []env.Widget) bool {
	documents, err := everyPlace[beside](bound.ctx, b, p, "others()", "others()")
	if err != nil {
		return false
	}
	g := b.geometry(bound, p)
	var all beside
	for i, d := range documents {
		if i > 0 {
			quad, outer, err := g.frame(d.place.session, d.place.frame, 0)
			if err != nil || quad == nil || withinOne(found, overQuad(outer, quad)) {
				continue
			}
		}
		all.Text += d.answer.Text
		all.Fields += d.answer.Fields
		all.Presses += d.answer.Presses
		all.Large = all.Large || d.answer.Large
	}
	return all.Text < aloneText && all.Fields == 0 && all.Presses <= alonePresses && !all.Large
}
