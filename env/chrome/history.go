package chrome

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// goBack goes to the page before this one. A tab that was opened by another has
// no page before it; then it is closed and the other is in front again.
func (b *instance) goBack(ctx context.Context, p *page) (env.Outcome, error) {
	return b.patiently(b.addressBefore, b.travelling(func(ctx context.Context, p *page) (env.Outcome, error) {
		out, err := b.historyStep(ctx, p, -1)
		var none *env.ActionError
		if !errors.As(err, &none) || none.Code != env.NoEffect || !b.hasOpener(p) {
			return out, err
		}
		return env.Outcome{Text: "closed this tab, which had no page before it; the tab that had opened it is in front", Tell: true}, b.closeTab(ctx, p)
	}))(ctx, p)
}

func (b *instance) goForward(ctx context.Context, p *page) (env.Outcome, error) {
	return b.travelling(func(ctx context.Context, p *page) (env.Outcome, error) {
		return b.historyStep(ctx, p, +1)
	})(ctx, p)
}

func (b *instance) hasOpener(p *page) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ours(p.opener)
}

// historyStep goes one entry back (-1) or forward (+1). The empty page a tab
// starts with counts as no page.
func (b *instance) historyStep(ctx context.Context, p *page, step int) (env.Outcome, error) {
	s, cancel := b.bind(ctx, p)
	defer cancel()
	history, err := proto.PageGetNavigationHistory{}.Call(s)
	if err != nil {
		return env.Outcome{}, err
	}
	way := "earlier"
	if step > 0 {
		way = "later"
	}
	i := history.CurrentIndex + step
	if i < 0 || i >= len(history.Entries) || (i == 0 && history.Entries[0].URL == "about:blank") {
		return env.Outcome{}, env.Fail(env.NoEffect, "there is no %s page in this tab's history", way)
	}
	entry := history.Entries[i]
	if err := (proto.PageNavigateToHistoryEntry{EntryID: entry.ID}).Call(s); err != nil {
		return env.Outcome{}, err
	}
	if err := b.arrived(ctx, p, entry.ID); err != nil {
		return env.Outcome{}, err
	}
	return env.Outcome{Text: fmt.Sprintf("went to the %s page, %s", way, shownAddress(entry.URL))}, nil
}

// arrived waits until the entry is the page's current one: history is walked
// after the command that asks for it has been answered.
func (b *instance) arrived(ctx context.Context, p *page, entry int) error {
	s, cancel := b.bind(ctx, p)
	defer cancel()
	return poll(ctx, settlePoll, func() (bool, error) {
		history, err := proto.PageGetNavigationHistory{}.Call(s)
		if err != nil {
			return false, err
		}
		if err := b.refusedTo(p); err != nil {
			return false, err
		}
		i := history.CurrentIndex
		return i >= 0 && i < len(history.Entries) && history.Entries[i].ID == entry, nil
	})
}

// addressBefore is where goBack leads; empty when that is not known.
func (b *instance) addressBefore(ctx context.Context, p *page) string {
	s, cancel := b.bind(ctx, p)
	defer cancel()
	history, err := proto.PageGetNavigationHistory{}.Call(s)
	if err != nil || history.CurrentIndex < 1 || history.CurrentIndex > len(history.Entries) {
		return ""
	}
	return history.Entries[history.CurrentIndex-1].URL
}
