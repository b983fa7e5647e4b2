package chrome

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// errClosed is the cause of everything that a tab's closing cut short.
var errClosed = errors.New("the tab was closed")

// attached takes in a page or a frame that the browser has attached us to.
func (b *instance) attached(parent proto.TargetSessionID, e *proto.TargetAttachedToTarget) {
	if e.TargetInfo == nil {
		return
	}
	switch e.TargetInfo.Type {
	case proto.TargetTargetInfoTypePage:
		b.adopt(e.TargetInfo, e.SessionID)
	case "iframe":
		b.mu.Lock()
		if p := b.sessions[parent]; p != nil {
			b.sessions[e.SessionID] = p
			p.frames.add(place{e.SessionID, proto.PageFrameID(e.TargetInfo.TargetID)})
		}
		b.mu.Unlock()
		b.background(func(ctx context.Context) { _ = b.setupFrame(ctx, e.SessionID) })
	default:
		b.background(func(ctx context.Context) {
			_ = session{ctx, b.conn, e.SessionID}.pipeline(b.introduced(proto.RuntimeRunIfWaitingForDebugger{})...)
		})
	}
}

// adopt makes a new tab ours.
func (b *instance) adopt(info *proto.TargetTargetInfo, id proto.TargetSessionID) {
	p := newPage(info, id, b.life)
	b.update(func() {
		b.pages = append(b.pages, p)
		b.sessions[id] = p
		b.place(p)
	})
	b.background(func(ctx context.Context) {
		if err := b.setup(ctx, p); err != nil && ctx.Err() == nil {
			b.cfg.Logger.Debug("tab not set up", "err", err)
		}
		if p.opener != "" {
			b.bringForward(ctx) // which of the two the browser shows depends on how it was opened
		}
		close(p.ready)
		b.thinOut(ctx)
	})
}

func (b *instance) ours(target proto.TargetTargetID) bool {
	return target != "" && slices.ContainsFunc(b.pages, func(p *page) bool { return p.target == target })
}

// created attaches to a tab that a page of ours has opened in a browser that is
// not ours; in our own browser that happens by itself.
func (b *instance) created(info *proto.TargetTargetInfo) {
	if info == nil {
		return
	}
	b.mu.Lock()
	wanted := b.process == nil && info.Type == proto.TargetTargetInfoTypePage && b.ours(info.OpenerID)
	b.mu.Unlock()
	if wanted {
		b.background(func(ctx context.Context) {
			_, _ = proto.TargetAttachToTarget{TargetID: info.TargetID, Flatten: true}.Call(b.root(ctx))
		})
	}
}

// gone forgets a tab that was closed and falls back to its opener, or to the
// newest tab left, or to a new one.
func (b *instance) gone(target proto.TargetTargetID) {
	var next *page
	var last bool
	b.update(func() {
		i := slices.IndexFunc(b.pages, func(p *page) bool { return p.target == target })
		if i < 0 {
			return
		}
		p := b.pages[i]
		b.pages = slices.Delete(b.pages, i, i+1)
		for _, other := range b.pages {
			if other.opener == target {
				other.opener = p.opener
			}
		}
		p.fail(errClosed)
		for id, owner := range b.sessions {
			if owner == p {
				delete(b.sessions, id)
			}
		}
		if b.active != p {
			return
		}
		b.active = nil
		if next = b.heir(p); next != nil {
			b.show(next)
		}
		last = next == nil
		text := "the tab closed; the tab before it is in front again"
		if last {
			text = "the last tab closed; this is a new, empty one"
		}
		b.noteLocked(env.Note{Kind: env.NoteTab, Text: text})
	})
	b.background(func(ctx context.Context) {
		switch {
		case next != nil:
			b.bringForward(ctx)
		case last:
			_ = b.newTab(ctx)
		}
	})
}

// newTab opens an empty tab of ours. In a browser that is not ours it gets a window
// of its own behind the others: it can be drawn there, and its owner's tab in front
// stays in front, keeps the focus and notices nothing.
func (b *instance) newTab(ctx context.Context) error {
	theirs := b.process == nil
	t, err := proto.TargetCreateTarget{URL: "about:blank", NewWindow: theirs, Background: theirs}.Call(b.root(ctx))
	if err != nil || !theirs {
		return err
	}
	_, err = proto.TargetAttachToTarget{TargetID: t.TargetID, Flatten: true}.Call(b.root(ctx))
	return err
}

// closeTab closes a tab of ours and waits until it is gone.
func (b *instance) closeTab(ctx context.Context, p *page) error {
	if _, err := (proto.TargetCloseTarget{TargetID: p.target}).Call(b.root(ctx)); err != nil {
		return err
	}
	return b.await(ctx, func() bool { return !slices.Contains(b.pages, p) })
}

// waitReady waits until the tab in front can be used.
func (b *instance) waitReady(ctx context.Context) error {
	for {
		if err := b.await(ctx, func() bool { return b.active != nil }); err != nil {
			return fmt.Errorf("open a tab: %w", err)
		}
		p := b.front()
		if p == nil {
			continue
		}
		b.mu.Lock()
		life := p.life
		b.mu.Unlock()
		select {
		case <-p.ready:
			return nil
		case <-life.Done():
			if b.front() == p {
				return nil // crashed, not closed: whoever uses it revives it
			}
		case <-ctx.Done():
			return fmt.Errorf("open a tab: %w", context.Cause(ctx))
		}
	}
}

// tabs gives what is open, with fresh addresses and titles.
func (b *instance) tabs(ctx context.Context) ([]env.Tab, error) {
	res, err := proto.TargetGetTargets{}.Call(b.root(ctx))
	if err != nil {
		return nil, err
	}
	infos := map[proto.TargetTargetID]*proto.TargetTargetInfo{}
	for _, info := range res.TargetInfos {
		infos[info.TargetID] = info
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var tabs []env.Tab
	for _, p := range b.pages {
		if info := infos[p.target]; info != nil && !p.crashed {
			p.url, p.title = info.URL, info.Title
		}
		tabs = append(tabs, env.Tab{URL: p.shownURL(), Title: shownTitle(p.title), Active: p == b.active})
	}
	return tabs, nil
}
