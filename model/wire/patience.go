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

// Limit bounds ctx. When the limit strikes, the context's cause is a *model.Error
// of kind ErrUnreachable; a first call's is final, since asking again would only
// begin the same load once more.
func (p *Patience) Limit(ctx context.Context) (context.Context, context.CancelFunc) {
	limit, hint := cmp.Or(p.First, 10*time.Minute), "if it is still loading the model, give it longer with --load-timeout"
	warm := p.warm.Load()
	if warm {
		limit, hint = cmp.Or(p.Later, 2*time.Minute), "if the model is slow, give it longer with --model-timeout"
	}
	return context.WithTimeoutCause(ctx, limit, &model.Error{
		Kind:    model.ErrUnreachable,
		Message: fmt.Sprintf("no complete reply within %v", limit),
		Hint:    hint,
		Final:   !warm,
	})
}

// Succeeded says that a call was answered, so that the model is loaded.
func (p *Patience) Succeeded() { p.warm.Store(true) }

// Warm reports whether the last call that ended was answered.
func (p *Patience) Warm() bool { return p.warm.Load() }

// TimedOut says that a call ran into its limit. The model may be gone from the
// server, so the next call gets the time of a first one: two short ones in turn
// would each end the load that the one before began.
func (p *Patience) TimedOut() { p.warm.Store(false) }

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
