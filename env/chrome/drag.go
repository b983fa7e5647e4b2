package chrome

import (
	"context"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// dragSteps is how many moves a drag makes: pages that follow the pointer, such
// as sliders and sortable lists, want to see it travel.
const dragSteps = 10

func (b *instance) planDrag(a env.Action) (act, error) {
	to, err := b.needPoint(a)
	if err != nil {
		return nil, err
	}
	if a.From != nil {
		if err := b.visible(a.Kind, *a.From); err != nil {
			return nil, err
		}
	}
	return b.settled(func(ctx context.Context, p *page) (env.Outcome, error) {
		from := b.pointerOrCentre()
		if a.From != nil {
			from = *a.From
		}
		seen := b.under(ctx, p, from)
		hit := seen.element()
		out := env.Outcome{Text: fmt.Sprintf("dragged from %v to %v", from, to) + on(hit), Hit: hit}
		if err := b.unmoved(ctx, p, seen); err != nil {
			return out, err
		}
		if err := b.move(ctx, p, from); err != nil {
			return out, err
		}
		if err := b.still(ctx, p, from); err != nil {
			return out, err
		}
		err := b.press(ctx, p, from, proto.InputMouseButtonLeft, 1, func() error {
			return b.travel(ctx, p, from, to)
		})
		b.drop(ctx, p, seen, to)
		return out, err
	}), nil
}

// drop ends what the release of the button may have left of the browser's own
// drag and drop: until its end the browser takes every move and click for a part
// of it. Over a frame of another process it drops, but tells only that frame of
// the end, so the document where the drag began is told here.
func (b *instance) drop(ctx context.Context, p *page, began sight, to env.Point) {
	ctx, cancel := b.afterwards(ctx)
	defer cancel()
	s, release := b.bind(ctx, p)
	defer release()
	_ = proto.InputCancelDragging{}.Call(s)
	if b.under(ctx, p, to).process() == began.process() {
		return
	}
	from := began.spots[0].at
	_ = proto.InputDispatchDragEvent{Type: proto.InputDispatchDragEventTypeDragCancel, X: from.X, Y: from.Y,
		Data: &proto.InputDragData{Items: []*proto.InputDragDataItem{}, DragOperationsMask: 1}}.Call(s)
}

// travel moves with the left button held: from (0,0) to (20,10) in ten steps is
// (2,1), (4,2), … (20,10).
func (b *instance) travel(ctx context.Context, p *page, from, to env.Point) error {
	for i := 1; i <= dragSteps; i++ {
		f := float64(i) / dragSteps
		at := env.Point{X: from.X + (to.X-from.X)*f, Y: from.Y + (to.Y-from.Y)*f}
		if i == dragSteps {
			at = to
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		event := moved(at)
		event.Button, event.Buttons = proto.InputMouseButtonLeft, new(1)
		if err := b.whole(ctx, p, event); err != nil {
			return err
		}
		b.pointAt(at)
	}
	return nil
}

// whole has the page take an event to its end, for a while also when ctx ends
// meanwhile. The move that begins the browser's own drag and drop must not be
// overtaken by the release: the drag would begin after it and never end.
func (b *instance) whole(ctx context.Context, p *page, event proto.InputDispatchMouseEvent) error {
	lasting, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(releaseLimit/2, func() { cancel(context.Cause(ctx)) })
	})
	defer stop()
	return b.mouse(lasting, p, event)
}
