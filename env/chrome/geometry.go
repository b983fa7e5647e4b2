package chrome

import (
	"context"
	"errors"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// geometry leads from documents to the page.
type geometry struct {
	ctx       context.Context
	processes []session
	main      proto.TargetSessionID
	root      proto.PageFrameID
	onto      map[proto.TargetSessionID]projection // from a process's outermost document to the page
}

// geometry is that of a page now.
func (b *instance) geometry(bound session, p *page) *geometry {
	return &geometry{
		ctx: bound.ctx, processes: append([]session{bound}, b.frameSessions(bound.ctx, p)...), main: p.session,
		root: proto.PageFrameID(p.target), onto: map[proto.TargetSessionID]projection{p.session: same},
	}
}

// inPage gives the boxes of a document in the page; none when it is not drawn.
func (g *geometry) inPage(d shows) ([]env.Rect, error) {
	if d.top && d.session.id == g.main {
		return d.boxes(same), nil
	}
	quad, outer, err := g.frame(d.session.id, d.frame, 0)
	if err != nil || quad == nil {
		return nil, err
	}
	if d.silent || d.told.All {
		return []env.Rect{overQuad(outer, quad)}, nil
	}
	lies, err := ontoQuad(d.told.W, d.told.H, quad)
	if err != nil {
		return nil, nil // it is seen from the side
	}
	return d.boxes(outer.after(lies)), nil
}

// boxes are those of a document in the page.
func (d shows) boxes(way projection) (out []env.Rect) {
	if d.told.All {
		return []env.Rect{spot{outer: way, inner: same}.inPage(env.Rect{W: d.told.W, H: d.told.H})}
	}
	for _, r := range d.told.Boxes {
		out = append(out, spot{outer: way, inner: same}.inPage(r))
	}
	return out
}

func overQuad(way projection, q []float64) env.Rect {
	return around(way.to(env.Point{X: q[0], Y: q[1]}), way.to(env.Point{X: q[2], Y: q[3]}),
		way.to(env.Point{X: q[4], Y: q[5]}), way.to(env.Point{X: q[6], Y: q[7]}))
}

var errNoOwner = errors.New("no document holds the frame")

// frame gives where a frame lies in the outermost document of the process that
// holds it, and the way from there to the page; no quad when it is not drawn.
func (g *geometry) frame(own proto.TargetSessionID, frame proto.PageFrameID, depth int) ([]float64, projection, error) {
	for _, s := range g.processes {
		ctx, cancel := context.WithTimeout(g.ctx, knownSilent)
		quad, err := session{ctx, s.conn, s.id}.quadOf(frame)
		cancel()
		if err != nil {
			continue
		}
		if s.id == g.main || quad == nil {
			return quad, same, nil
		}
		outer, err := g.process(s, depth+1)
		return quad, outer, err
	}
	return nil, same, errNoOwner
}

// process gives the way from a process's outermost document to the page.
func (g *geometry) process(s session, depth int) (projection, error) {
	if way, ok := g.onto[s.id]; ok {
		return way, nil
	}
	if depth > maxDepth {
		return same, errNoOwner
	}
	info, err := proto.TargetGetTargetInfo{}.Call(s)
	if err != nil {
		return same, err
	}
	root := proto.PageFrameID(info.TargetInfo.TargetID)
	var size struct{ W, H float64 }
	if err := s.ask(root, "size()", &size); err != nil {
		return same, err
	}
	quad, outer, err := g.frame(s.id, root, depth)
	if err != nil {
		return same, err
	}
	lies, err := ontoQuad(size.W, size.H, quad)
	if err != nil {
		return same, err
	}
	g.onto[s.id] = outer.after(lies)
	return g.onto[s.id], nil
}

// quadOf gives the corners of a frame that a document of this process holds; none
// when it is not drawn.
func (s session) quadOf(frame proto.PageFrameID) ([]float64, error) {
	owner, err := proto.DOMGetFrameOwner{FrameID: frame}.Call(s)
	if err != nil {
		return nil, err
	}
	model, err := proto.DOMGetBoxModel{BackendNodeID: owner.BackendNodeID}.Call(s)
	var said *cdp.Error
	if errors.As(err, &said) || err == nil && len(model.Model.Content) != 8 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return model.Model.Content, nil
}
