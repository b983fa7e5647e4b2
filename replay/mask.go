package replay

import (
	"context"
	"errors"
	"math"

	"fara/env"
)

// mask is a field that got a new value: there frames are not compared.
type mask struct {
	// field is the field when it was typed into; its box is where it was seen last, in
	// viewport CSS pixels.
	field env.Element
	// then is the same in the run, from the field's box on.
	then env.Rect
	// url is the page that it is on.
	url string
	// shown: it is there now.
	shown bool
}

// mask remembers where a new value stands.
func (p *player) mask(m *Move, field *env.Element) {
	p.set = append(p.set, p.plan.Texts[m.Text].Name)
	if field == nil || !field.Editable {
		return
	}
	one := mask{field: *field, then: env.Rect{W: field.Box.W, H: field.Box.H}, url: p.seen.URL}
	if m.Hit != nil {
		one.then = env.Rect{X: m.Hit.Box.X - field.Box.X, Y: m.Hit.Box.Y - field.Box.Y, W: m.Hit.Box.W, H: m.Hit.Box.H}
	}
	p.masks = append(p.masks, one)
}

// masked are the boxes of a frame that are not compared.
func (p *player) masked(m *Move) []Box {
	var out []Box
	for _, one := range p.masks {
		if !one.shown {
			continue
		}
		box := one.field.Box
		then := env.Rect{X: box.X + one.then.X, Y: box.Y + one.then.Y, W: one.then.W, H: one.then.H}
		out = append(out, scaled(box, m.Seen.Viewport, m.Seen.Size), scaled(then, m.Seen.Viewport, m.Seen.Size))
	}
	return out
}

// locate finds the fields with new values again: where they were, or else along the
// column that they were in, since pages are scrolled. One that is not found is not
// there, or something lies over it.
func (p *player) locate(ctx context.Context) error {
	shift := 0.0 // how far the last one was found from where it had been
	for i := range p.masks {
		one := &p.masks[i]
		one.shown = false
		if !sameAddress(one.url, p.seen.URL) {
			continue
		}
		tries := []float64{0, shift}
		if p.scrolled {
			tries = append(tries, column(one.field.Box, p.seen.Viewport)...)
		}
		for _, by := range tries {
			box, err := p.at(ctx, one.field, by)
			if err != nil {
				return err
			}
			if box != nil {
				shift = box.Y - one.field.Box.Y
				one.field.Box, one.shown = *box, true
				break
			}
		}
	}
	p.scrolled = false
	return nil
}

// at gives a field's box when it is that far below where it was; nil when it is not.
func (p *player) at(ctx context.Context, field env.Element, by float64) (*env.Rect, error) {
	middle := env.Point{X: field.Box.X + field.Box.W/2, Y: field.Box.Y + field.Box.H/2 + by}
	if middle.X < 0 || middle.Y < 0 || middle.X >= float64(p.seen.Viewport.W) || middle.Y >= float64(p.seen.Viewport.H) {
		return nil, nil
	}
	hit, err := p.page.Aim(ctx, env.Action{Kind: env.LeftClick, Point: &middle})
	var fail *env.ActionError
	switch {
	case errors.As(err, &fail):
		return nil, nil
	case err != nil:
		return nil, err
	case !alike(hit, &field) || math.Abs(hit.Box.W-field.Box.W) > 1 || math.Abs(hit.Box.H-field.Box.H) > 1:
		return nil, nil
	}
	return &hit.Box, nil
}

// column are the distances from a box's middle to points all over the viewport's height,
// so close that none of its size is between two.
func column(box env.Rect, viewport env.Size) []float64 {
	var out []float64
	middle := box.Y + box.H/2
	for y := 1.0; y < float64(viewport.H); y += max(8, box.H-1) {
		out = append(out, y-middle)
	}
	return out
}
