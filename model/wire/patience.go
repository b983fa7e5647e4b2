package wire

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"fara/model"
)

// Patience is how long a call may take in all. The first one may take longer,
// since the server may have to load the model for it. Several goroutines may use
// one Patience.
type Patience struct {
	// First is the limit until a call has succeeded; 0 is ten minutes.
	First time.Duration
	// Later is the limit from then on; 0 is two minutes.
	Later time.Duration

	warm atomic.Bool
}

// Limit bounds ctx. When the limit strikes the context's cause is a *model.Error
// of kind ErrUnreachable.
func (p *Patience) Limit(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := cmp.Or(p.First, 10*time.Minute)
	if p.warm.Load() {
		limit = cmp.Or(p.Later, 2*time.Minute)
	}
	return context.WithTimeoutCause(ctx, limit, &model.Error{
		Kind:    model.ErrUnreachable,
		Message: fmt.Sprintf("no complete reply within %v", limit),
		Hint:    "a slow or still loading model needs a longer timeout",
	})
}

// Succeeded says that a call was answered, so that the model is loaded.
func (p *Patience) Succeeded() { p.warm.Store(true) }

// parting is how long a server may take to end a reply that has been read far
// enough.
const parting = 2 * time.Second

// Parting gives a context for a stream, and part, to be called once enough of it
// has been read: the context then lives on for two seconds, time for the server
// to end by itself and to report what the reply cost.
func Parting(ctx context.Context) (stream context.Context, part func(), cancel context.CancelFunc) {
	stream, cancel = context.WithCancel(ctx)
	return stream, func() { time.AfterFunc(parting, cancel) }, cancel
}
