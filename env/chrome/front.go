package chrome

import (
	"context"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// afterAction is how long after an action a tab still counts as opened by it.
const afterAction = time.Second

// maxBehind is how many tabs that were never in front may stay open.
const maxBehind = 10

// gesture is the last click or key press of ours, and until when a tab that its
// page opens is taken for its effect: from its start until afterAction after its
// end. Its end is when the page has come to rest, but at most afterAction after
// the last input, so that a page that never rests cannot stretch it. Tabs that
// other actions or nobody set off stay behind, as a popup blocker would have it.
type gesture struct {
	page    *page
	running bool
	until   time.Time
}

func gestures(k env.Kind) bool {
	switch k {
	case env.Key, env.Type, env.LeftClick, env.RightClick, env.DoubleClick, env.TripleClick, env.LeftClickDrag:
		return true
	}
	return false
}

// begins marks the start of an action.
func (b *instance) begins(a env.Action, p *page) {
	k := a.Kind
	b.update(func() {
		b.dialogs, b.sure = 0, a.Sure
		switch {
		case gestures(k):
			b.gesture = gesture{page: p, running: true}
		case k == env.VisitURL || k == env.HistoryBack:
			b.gesture = gesture{}
		}
	})
}

// inputDone marks the last input of an action, before the page is waited for.
func (b *instance) inputDone() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gesture.running {
		b.gesture.running, b.gesture.until = false, time.Now().Add(2*afterAction)
	}
}

// ends marks the end of an action.
func (b *instance) ends(k env.Kind) {
	b.inputDone()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sure = false
	if last := time.Now().Add(afterAction); gestures(k) && b.gesture.until.After(last) {
		b.gesture.until = last
	}
}

// expected reports whether a tab that opens now can be the effect of our action.
func (g gesture) expected() bool { return g.running || time.Now().Before(g.until) }

// wanted reports whether a tab that opens now is the effect of our action: the
// page that was acted on has opened it, or the one that came to the front since.
func (b *instance) wanted(p *page) bool {
	acted := b.gesture.page
	return b.gesture.expected() && (p.opener == b.active.target || (acted != nil && p.opener == acted.target))
}

// show puts a tab in front in our books.
func (b *instance) show(p *page) {
	b.active = p
	b.shown++
	p.shown = b.shown
}

// place decides where a new tab goes: the first one and what our action opened
// are in front, all others stay behind.
func (b *instance) place(p *page) {
	if p.opener == "" && b.active != nil && b.gesture.expected() {
		p.opener = b.active.target // a link opened in the background names nobody
	}
	switch {
	case b.active == nil:
		b.show(p)
	case b.wanted(p):
		b.show(p)
		b.noteLocked(env.Note{Kind: env.NoteTab, Text: "a new tab opened and is now in front"})
	default:
		b.covered = true
		b.noteLocked(env.Note{Kind: env.NoteTab, Text: "a tab opened by itself; it stays behind this page"})
	}
}

// bringForward makes the tab in front visible: one that is hidden cannot be drawn.
func (b *instance) bringForward(ctx context.Context) {
	p := b.front()
	if p == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, mendLimit)
	defer cancel()
	s, release := b.bind(ctx, p)
	defer release()
	if (proto.PageBringToFront{}).Call(s) == nil {
		b.mu.Lock()
		b.covered = b.covered && b.active != p
		b.mu.Unlock()
	}
}

// thinOut closes the oldest tabs that were never in front when there are more
// than maxBehind. One that has opened others stays, because they may need it.
func (b *instance) thinOut(ctx context.Context) {
	b.mu.Lock()
	var behind []*page
	for _, p := range b.pages {
		if p.shown == 0 && !slices.ContainsFunc(b.pages, func(o *page) bool { return o.opener == p.target }) {
			behind = append(behind, p)
		}
	}
	b.mu.Unlock()
	for len(behind) > maxBehind {
		_, _ = proto.TargetCloseTarget{TargetID: behind[0].target}.Call(b.root(ctx))
		behind = behind[1:]
	}
}

// heir is the tab to show after one that closed: its opener, else the one that
// was in front last, else the newest.
func (b *instance) heir(p *page) *page {
	var best *page
	for _, other := range b.pages {
		if other.target == p.opener {
			return other
		}
		if best == nil || other.shown >= best.shown {
			best = other
		}
	}
	return best
}
