package chrome

import (
	"context"
	"errors"
	"sync"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// covering is where a page shows what no picture may, in its CSS pixels.
type covering struct {
	boxes []env.Rect
	whole bool // all of the page must be painted over
	sure  bool // every document has answered
}

// told is what pageScript says of one document: boxes in its own CSS pixels, or all
// of it, and its size.
type told struct {
	All   bool       `json:"all"`
	W     float64    `json:"w"`
	H     float64    `json:"h"`
	Ratio float64    `json:"ratio"` // of the browser's own pixels to those
	Boxes []env.Rect `json:"boxes"`
}

// shows is a document that shows something, or did not answer.
type shows struct {
	session session // of the process that runs it
	frame   proto.PageFrameID
	top     bool // the outermost of its process
	silent  bool
	told    told
}

// places asks every document of a page where it shows one of the values.
func (b *instance) places(ctx context.Context, p *page, values []string, call string) covering {
	bound, release := b.bind(ctx, p)
	defer release()
	processes := append([]session{bound}, b.frameSessions(bound.ctx, p)...)
	found := make([][]shows, len(processes))
	var all sync.WaitGroup
	for i, s := range processes {
		all.Go(func() { found[i] = b.showing(p, s, values, call) })
	}
	all.Wait()
	out := covering{sure: true}
	g := geometry{ctx: bound.ctx, processes: processes, main: p.session, onto: map[proto.TargetSessionID]projection{p.session: same}}
	lost := 0
	for _, documents := range found {
		for _, d := range documents {
			out.sure = out.sure && !d.silent
			if d.silent && d.frame == proto.PageFrameID(p.target) {
				out.whole = true
				return out
			}
			boxes, err := g.inPage(d)
			if err != nil {
				lost++
			}
			out.boxes = append(out.boxes, boxes...)
		}
	}
	if lost > 0 { // it may lie in one that is painted over as a whole, or have gone
		out.whole, out.sure = out.sure, false
	}
	return out
}

// showing asks the documents of one process. Those that show nothing are left out.
func (b *instance) showing(p *page, s session, values []string, call string) (out []shows) {
	limit := maskLimit
	root := proto.PageFrameID(p.target)
	if s.id != p.session {
		info, err := proto.TargetGetTargetInfo{}.Call(s)
		var gone *cdp.Error
		if errors.As(err, &gone) {
			return nil // the process has ended
		}
		if err != nil {
			return []shows{{session: s, top: true, silent: true}}
		}
		root = proto.PageFrameID(info.TargetInfo.TargetID)
		if p.frames.quietLately(place{s.id, root}) {
			limit = knownSilent
		}
	}
	ctx, cancel := context.WithTimeout(s.ctx, limit)
	defer cancel()
	limited := session{ctx, s.conn, s.id}
	silent := []shows{{session: s, frame: root, top: true, silent: true}}
	wait := limited.start(proto.PageGetFrameTree{})
	laid, err := limited.laidOut(values)
	tree, treeErr := decoded[proto.PageGetFrameTreeResult](wait)
	if err != nil || treeErr != nil || tree.FrameTree == nil {
		return silent
	}
	frames := append([]proto.PageFrameID{tree.FrameTree.Frame.ID}, below(tree.FrameTree)...)
	answers := make([]shows, len(frames))
	var all sync.WaitGroup
	for i, frame := range frames {
		all.Go(func() {
			d := shows{session: s, frame: frame, top: frame == root}
			d.silent = limited.open(frame, laid.closed[frame]) != nil || limited.ask(frame, call, &d.told) != nil
			for _, r := range laid.drawn[frame] {
				d.told.Boxes = append(d.told.Boxes, env.Rect{X: r.X / d.told.Ratio, Y: r.Y / d.told.Ratio, W: r.W / d.told.Ratio, H: r.H / d.told.Ratio})
			}
			answers[i] = d
		})
	}
	all.Wait()
	for _, d := range answers {
		if d.silent || d.told.All || len(d.told.Boxes) > 0 {
			out = append(out, d)
		}
	}
	return out
}

// open hands a document nodes of its closed shadow trees. Those that have gone are
// left out.
func (s session) open(frame proto.PageFrameID, nodes []proto.DOMBackendNodeID) error {
	if len(nodes) == 0 {
		return nil
	}
	if err := s.ask(frame, "size()", nil); err != nil { // our code is there
		return err
	}
	const group = "fara closed"
	w, err := proto.PageCreateIsolatedWorld{FrameID: frame, WorldName: world}.Call(s)
	if err != nil {
		return err
	}
	var waits []func() ([]byte, error)
	for _, node := range nodes {
		waits = append(waits, s.start(proto.DOMResolveNode{BackendNodeID: node, ExecutionContextID: w.ExecutionContextID, ObjectGroup: group}))
	}
	var found []*proto.RuntimeCallArgument
	for _, wait := range waits {
		if res, err := decoded[proto.DOMResolveNodeResult](wait); err == nil && res.Object != nil {
			found = append(found, &proto.RuntimeCallArgument{ObjectID: res.Object.ObjectID})
		}
	}
	defer func() { _ = proto.RuntimeReleaseObjectGroup{ObjectGroup: group}.Call(s) }()
	raw, err := s.start(proto.RuntimeCallFunctionOn{FunctionDeclaration: "function(...nodes) { fara.shut(...nodes) }",
		Arguments: found, ExecutionContextID: w.ExecutionContextID, ReturnByValue: true, Silent: true})()
	if err != nil {
		return err
	}
	return decodeResult(raw, nil)
}

// geometry leads from documents to the page.
type geometry struct {
	ctx       context.Context
	processes []session
	main      proto.TargetSessionID
	onto      map[proto.TargetSessionID]projection // from a process's outermost document to the page
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
