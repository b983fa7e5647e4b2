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
	// Closed is how many closed shadow trees it has that are not known.
	Closed int `json:"closed"`
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
	g := b.geometry(bound, p)
	found := make([][]shows, len(g.processes))
	var all sync.WaitGroup
	for i, s := range g.processes {
		all.Go(func() { found[i] = b.showing(p, s, values, call) })
	}
	all.Wait()
	out := covering{sure: true}
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
	limit := pageMaskLimit
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
		root, limit = proto.PageFrameID(info.TargetInfo.TargetID), maskLimit
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
			if !d.silent && d.told.Closed > 0 {
				d.silent = limited.openAll(frame) != nil || limited.ask(frame, call, &d.told) != nil
			}
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
