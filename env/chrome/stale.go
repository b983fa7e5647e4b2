package chrome

import (
	"context"
	"fmt"
	"math"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// maxRemembered is how many frames of the page's own process are remembered
// beside the page itself.
const maxRemembered = 8

// memory is what the last picture showed, until the next action: its page keeps
// what could be clicked where, and here is what the page cannot keep itself.
type memory struct {
	page    *page // nil when nothing is remembered
	address string
	// refusing is the point of the action under way, when it is not done because
	// another thing has come there; refused is that of the action before. At the
	// same point it is not refused again: some pages never come to rest.
	refusing, refused *env.Point
	// aimed is what Aim told of a point, that somebody decided about; nil when it
	// told nothing.
	aimed   *env.Element
	aimedAt env.Point
}

// remember has the page and the frames of its process keep what can be clicked
// where. It is called just before the picture is taken, so that what changes in
// between leads to a needless look rather than to a wrong click.
func (b *instance) remember(ctx context.Context, p *page) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	s, release := b.bind(ctx, p)
	defer release()
	b.memory.page = nil
	var kept struct {
		Address string `json:"address"`
		Frames  bool   `json:"frames"`
	}
	if s.ask(proto.PageFrameID(p.target), "remember()", &kept) != nil {
		return
	}
	b.memory.page, b.memory.address = p, kept.Address
	if !kept.Frames {
		return
	}
	tree, err := proto.PageGetFrameTree{}.Call(s)
	if err != nil || tree.FrameTree == nil {
		return
	}
	for i, frame := range below(tree.FrameTree) {
		if i == maxRemembered || s.ask(frame, "remember()", nil) != nil {
			return
		}
	}
}

// forget ends what the last picture tells: an action has been done since.
func (b *instance) forget() { b.memory = memory{refused: b.memory.refusing} }

func below(tree *proto.PageFrameTree) (frames []proto.PageFrameID) {
	for _, child := range tree.ChildFrames {
		frames = append(frames, child.Frame.ID)
		frames = append(frames, below(child)...)
	}
	return frames
}

// shift is what pageScript's moved reports.
type shift struct {
	Was *env.Element `json:"was"`
	Now *env.Element `json:"now"`
	DX  float64      `json:"dx"`
	DY  float64      `json:"dy"`
	// Unseen is the address of a document that was not there then.
	Unseen string `json:"unseen"`
}

// unmoved fails with env.Moved when another thing is at a point now than was in
// the last picture.
func (b *instance) unmoved(ctx context.Context, p *page, seen sight) error {
	at := seen.spots[0].at
	last := b.memory.refused
	if b.memory.page != p || last != nil && math.Hypot(last.X-at.X, last.Y-at.Y) <= 3 {
		return nil
	}
	text := b.changedSince(ctx, p, seen)
	if text == "" {
		return nil
	}
	b.memory.refusing = &at
	return env.Fail(env.Moved, "not done, because the page has changed since the last picture: %s; look at the new picture", text)
}

// changedSince says what is at a point instead of what was there; empty when
// nothing else is.
func (b *instance) changedSince(ctx context.Context, p *page, seen sight) string {
	at := seen.spots[0].at
	dx, dy := 0.0, 0.0
	for i, s := range seen.spots {
		var m shift
		call := fmt.Sprintf("moved(%v,%v,%v,%v)", s.at.X, s.at.Y, s.at.X+dx, s.at.Y+dy)
		if b.ask(ctx, p, s, call, &m) != nil {
			return ""
		}
		if i == 0 && m.Unseen != "" && m.Unseen != b.memory.address {
			return "another page has taken its place"
		}
		if m.Was != nil || m.Now != nil {
			return became(at, m)
		}
		dx, dy = m.DX, m.DY
	}
	return ""
}

// became words a shift.
func became(at env.Point, m shift) string {
	switch {
	case m.Was == nil:
		return fmt.Sprintf("%s has moved to %v", the(m.Now), at)
	case m.Now == nil:
		return fmt.Sprintf("%s is not at %v any more", the(m.Was), at)
	}
	return fmt.Sprintf("%s was at %v and now %s is there", the(m.Was), at, the(m.Now))
}
