package chrome

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// maxDepth bounds how many frames lie in each other where we look.
const maxDepth = 12

// spot is one point in one document: of the page itself, or of a frame in it.
type spot struct {
	session session
	frame   proto.PageFrameID
	// at is the point in the document's own CSS pixels.
	at env.Point
	// local is the point in those of the outermost document of the same process,
	// in which the browser tells where frames lie; inner leads from at to local and
	// outer from local to the page.
	local        env.Point
	inner, outer projection
	scrolled     env.Point // how far that outermost document is scrolled
}

// found is what pageScript's hit reports.
type found struct {
	env.Element
	Frame  bool      `json:"frame"`
	Closed bool      `json:"closed"`
	Scroll env.Point `json:"scroll"`
	Cover  *cover    `json:"cover"`
}

// sight is what lies at a point of the page: documents over each other, the page
// first, with what was found in each.
type sight struct {
	spots []spot
	found []*found // as long as spots; nil where nothing is
	err   error    // why one of the documents, or what is in it, could not be asked
}

// under goes from the page down through the frames at a point, whatever process
// they run in and however they are transformed. It gives what it found until
// something could not be found out.
func (b *instance) under(ctx context.Context, p *page, at env.Point) (seen sight) {
	bound, release := b.bind(ctx, p)
	defer release()
	here := spot{session: bound, frame: proto.PageFrameID(p.target), at: at, local: at, inner: same, outer: same}
	for deeper := true; deeper && len(seen.spots) < maxDepth; {
		here.session.ctx = bound.ctx
		here, deeper = b.descend(p, here, &seen)
	}
	return seen
}

// descend adds what is at a spot and gives the spot in the frame there, if there
// is one. Each document has probeLimit to answer.
func (b *instance) descend(p *page, here spot, seen *sight) (next spot, deeper bool) {
	ctx, cancel := context.WithTimeout(here.session.ctx, probeLimit)
	defer cancel()
	here.session.ctx = ctx
	f, err := here.hit()
	seen.spots, seen.found, seen.err = append(seen.spots, here), append(seen.found, f), err
	if f == nil || !f.Frame {
		return here, false
	}
	if here.inner == same {
		here.scrolled = f.Scroll
	}
	next, err = b.enter(p, here)
	if ctx.Err() != nil { // any other error is that of a frame which holds no document
		seen.err = err
	}
	return next, err == nil
}

// ask calls a function of pageScript in a spot's document, for a moment only.
func (b *instance) ask(ctx context.Context, p *page, at spot, call string, out any) error {
	return b.askWithin(ctx, p, probeLimit, at, call, out)
}

func (b *instance) askWithin(ctx context.Context, p *page, limit time.Duration, at spot, call string, out any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	bound, release := b.bind(ctx, p)
	defer release()
	at.session.ctx = bound.ctx
	return at.session.ask(at.frame, call, out)
}

// hit finds what is at the spot; nil when nothing is.
func (s spot) hit() (f *found, err error) {
	if err := s.session.ask(s.frame, fmt.Sprintf("hit(%v,%v)", s.at.X, s.at.Y), &f); err != nil || f == nil {
		return nil, err
	}
	if f.Closed {
		if deeper := s.pierce(f); deeper != nil {
			f = deeper
		}
	}
	return f, s.session.ctx.Err()
}

// ask calls a function of pageScript in a frame and decodes what it returns into
// out.
func (s session) ask(frame proto.PageFrameID, call string, out any) error {
	q := s.question(frame, call)
	q.enter()
	q.send()
	err := q.answer(out)
	switch {
	case err == nil:
		return nil
	case q.opened == nil && stale(err): // the document was left while it was asked
		return s.ask(frame, call, out)
	case !strings.Contains(err.Error(), "fara is not defined"):
		return err
	}
	if err = s.evaluate(frame, pageScript, nil); err == nil {
		err = s.evaluate(frame, "fara."+call, out)
	}
	return err
}

// pierce asks the browser for the element at the spot, which finds it in a closed
// shadow root too; nil when that gives nothing new.
func (s spot) pierce(f *found) *found {
	scrolled := s.scrolled
	if s.inner == same {
		scrolled = f.Scroll
	}
	node, err := proto.DOMGetNodeForLocation{X: int(s.local.X + scrolled.X), Y: int(s.local.Y + scrolled.Y)}.Call(s.session)
	if err != nil || node.FrameID != s.frame {
		return nil
	}
	var deeper *found
	if s.session.callOn(s.frame, node.BackendNodeID,
		"function() { return fara.pierced(this) }", &deeper) != nil {
		return nil
	}
	return deeper
}

// callOn calls a function in our world of a frame with one of its nodes as this, and
// decodes what it returns into out.
func (s session) callOn(frame proto.PageFrameID, node proto.DOMBackendNodeID, function string, out any) error {
	w, err := proto.PageCreateIsolatedWorld{FrameID: frame, WorldName: world}.Call(s)
	if err != nil {
		return err
	}
	object, err := proto.DOMResolveNode{BackendNodeID: node, ExecutionContextID: w.ExecutionContextID}.Call(s)
	if err != nil {
		return err
	}
	raw, err := s.start(proto.RuntimeCallFunctionOn{ObjectID: object.Object.ObjectID, ReturnByValue: true, Silent: true,
		FunctionDeclaration: function})()
	if err != nil {
		return err
	}
	return decodeResult(raw, out)
}

// enter goes into the frame that hit has just found at the spot.
func (b *instance) enter(p *page, s spot) (spot, error) {
	w, err := proto.PageCreateIsolatedWorld{FrameID: s.frame, WorldName: world}.Call(s.session)
	if err != nil {
		return s, err
	}
	el, err := proto.RuntimeEvaluate{Expression: "fara.found", ContextID: w.ExecutionContextID, Silent: true}.Call(s.session)
	if err != nil {
		return s, err
	}
	model, err := proto.DOMGetBoxModel{ObjectID: el.Result.ObjectID}.Call(s.session)
	if err != nil {
		return s, err
	}
	node, err := proto.DOMDescribeNode{ObjectID: el.Result.ObjectID}.Call(s.session)
	if err != nil {
		return s, err
	}
	if node.Node.FrameID == "" {
		return s, fmt.Errorf("%s holds no document", node.Node.NodeName)
	}
	next := s
	next.frame = node.Node.FrameID
	next.session = b.sessionOf(s.session, p, next.frame)
	var size struct{ W, H float64 }
	if err := next.session.ask(next.frame, "size()", &size); err != nil {
		return s, err
	}
	lies, err := ontoQuad(size.W, size.H, model.Model.Content)
	if err != nil {
		return s, err
	}
	if next.at, err = lies.back(s.local); err != nil {
		return s, err
	}
	next.inner = lies
	if next.session.id != s.session.id {
		next.local, next.inner, next.outer = next.at, same, s.outer.after(lies)
	}
	return next, nil
}

// sessionOf gives the session of the process that runs a frame: its own, or that
// of the document around it.
func (b *instance) sessionOf(around session, p *page, frame proto.PageFrameID) session {
	b.mu.Lock()
	var others []proto.TargetSessionID
	for id, owner := range b.sessions {
		if owner == p && id != p.session {
			others = append(others, id)
		}
	}
	b.mu.Unlock()
	for _, id := range others {
		s := session{ctx: around.ctx, conn: b.conn, id: id}
		info, err := proto.TargetGetTargetInfo{}.Call(s)
		if err == nil && proto.PageFrameID(info.TargetInfo.TargetID) == frame {
			return s
		}
	}
	return around
}

// inPage turns a box of the spot's document into one of the page: the smallest
// that holds it when the frame is turned.
func (s spot) inPage(r env.Rect) env.Rect {
	way := s.outer.after(s.inner)
	if way == same {
		return r
	}
	return around(way.to(env.Point{X: r.X, Y: r.Y}), way.to(env.Point{X: r.X + r.W, Y: r.Y}),
		way.to(env.Point{X: r.X, Y: r.Y + r.H}), way.to(env.Point{X: r.X + r.W, Y: r.Y + r.H}))
}

// process names the session of the innermost document.
func (s sight) process() proto.TargetSessionID { return s.spots[len(s.spots)-1].session.id }

// element describes what a click there would reach: the innermost thing found,
// its box in the page's pixels; nil when nothing was found.
func (s sight) element() *env.Element {
	for i := len(s.found) - 1; i >= 0; i-- {
		if f := s.found[i]; f != nil && (i == 0 || f.Tag != "html" && f.Tag != "body") {
			el := f.Element
			el.Box = s.spots[i].inPage(el.Box)
			return &el
		}
	}
	return nil
}
