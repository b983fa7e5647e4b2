package chrome

import (
	"context"
	"fmt"

	"fara/env"
)

// cover is a dialog, or a layer that stays in place over the page, as pageScript
// reports it.
type cover struct {
	Kind string `json:"kind"` // dialog or layer
	Name string `json:"name"`
	// Mute marks what changes without the page's structure changing, such as a
	// text field whose caret moves.
	Mute bool `json:"mute"`
}

// coverWatch follows a click into a cover.
type coverWatch struct {
	b     *instance
	page  *page
	cover cover
	spots []spot // the page and the innermost document
	notes int
}

// watchCover begins to follow a click, nil when what lies there covers nothing.
func (b *instance) watchCover(ctx context.Context, p *page, seen sight) *coverWatch {
	var c *cover
	for _, f := range seen.found {
		if f != nil && f.Cover != nil {
			c = f.Cover
		}
	}
	if inner := seen.found[len(seen.found)-1]; c == nil || c.Mute || inner == nil || inner.Frame {
		return nil
	}
	w := &coverWatch{b: b, page: p, cover: *c, spots: seen.spots[:1], notes: b.happenings()}
	if n := len(seen.spots); n > 1 {
		w.spots = append(w.spots[:1:1], seen.spots[n-1])
	}
	for _, s := range w.spots {
		if b.ask(ctx, p, s, "watchClick()", nil) != nil {
			return nil
		}
	}
	return w
}

// verdict says what was hit when the click changed nothing at all; else it is
// empty.
func (w *coverWatch) verdict(ctx context.Context, at env.Point) string {
	changed := w.b.front() != w.page || w.b.happenings() != w.notes
	for _, s := range w.spots {
		one := true
		if w.b.ask(ctx, w.page, s, "clickChanged()", &one) != nil || one {
			changed = true
		}
	}
	if changed {
		return ""
	}
	what := "a layer over the page"
	if w.cover.Kind == "dialog" {
		what = "a dialog"
	}
	if w.cover.Name != "" {
		what += fmt.Sprintf(" %q", w.cover.Name)
	}
	return fmt.Sprintf("; nothing changed; what is at %v belongs to %s, which has to be answered or closed first", at, what)
}

// happenings counts what happened around the page.
func (b *instance) happenings() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dialogs
}
