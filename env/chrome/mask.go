package chrome

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"fara/env"
)

const (
	// maxMasking is how often a picture is taken again because a document of the page
	// could not be looked at meanwhile.
	maxMasking = 2
	// pageMaskLimit is how long the page itself may take to say where it shows
	// something, maskLimit a frame in another process, and knownSilent one that has
	// just not answered.
	pageMaskLimit = 8 * time.Second
	maskLimit     = 2 * time.Second
	knownSilent   = 300 * time.Millisecond
)

// errUnmasked is why there is no picture at all.
var errUnmasked = errors.New("the picture could not be painted over where it must not be seen")

// masked is picture, painted over where it shows what it must not. Before the
// picture is drawn every document begins to watch where it shows such a thing, and
// when it is there each tells of all those places, so that none is missed on a page
// that moves or changes meanwhile.
func (b *instance) masked(ctx context.Context, p *page) ([]byte, error) {
	values := b.unseen()
	b.mu.Lock()
	trusted := p.trusted
	b.mu.Unlock()
	if len(values) == 0 && !trusted {
		return b.picture(ctx, p)
	}
	quoted, err := json.Marshal(append([]string{}, values...))
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		before := b.places(ctx, p, values, "mask("+string(quoted)+")")
		image, err := b.picture(ctx, p)
		if err != nil {
			return nil, err
		}
		after := b.places(ctx, p, values, "masked("+string(quoted)+")")
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if before.sure && after.sure || attempt == maxMasking {
			return b.painted(image, before, after)
		}
	}
}

// unseen are the values that no picture may show now.
func (b *instance) unseen() []string {
	if b.cfg.Mask == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(b.cfg.Mask()), func(v string) bool { return v == "" })
}

// painted paints over what was found before and after the picture.
func (b *instance) painted(image []byte, found ...covering) ([]byte, error) {
	var boxes []env.Rect
	for _, c := range found {
		if c.whole {
			boxes = append(boxes, env.Rect{W: float64(b.cfg.Viewport.W), H: float64(b.cfg.Viewport.H)})
		}
		boxes = append(boxes, c.boxes...)
	}
	if len(boxes) == 0 {
		return image, nil
	}
	return paintOver(image, b.cfg.FrameFormat, float64(b.cfg.Viewport.W), boxes)
}
