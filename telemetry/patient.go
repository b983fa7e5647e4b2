package telemetry

import (
	"context"
	"errors"
	"sync"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// keep is the most spans that wait for a collector to come back.
const keep = 4096

// patient is an exporter that never fails: spans that a collector cannot take just
// now it gives again with the next ones, and of all that goes wrong it warns once.
type patient struct {
	next sdk.SpanExporter
	warn func(error)
	// life ends with end: then nothing is waited for any more.
	life context.Context
	end  context.CancelFunc

	mu     sync.Mutex
	kept   []sdk.ReadOnlySpan
	warned bool
}

// ExportSpans sends what was kept and what is new.
func (p *patient) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.life, cancel)()
	p.mu.Lock()
	defer p.mu.Unlock()
	all := append(p.kept, spans...)
	p.kept = nil
	err := p.next.ExportSpans(ctx, all)
	if err == nil {
		return nil
	}
	p.tell(err)
	var final *refusal
	if !errors.As(err, &final) {
		p.kept = all[max(0, len(all)-keep):]
	}
	return nil
}

// tell warns of what went wrong, once.
func (p *patient) tell(err error) {
	if !p.warned {
		p.warned = true
		p.warn(err)
	}
}

// failed warns of what went wrong outside of sending, unless something did in it.
func (p *patient) failed(err error) {
	p.mu.Lock() // a request that was cut off has its say first
	defer p.mu.Unlock()
	p.tell(err)
}

// Shutdown does what the exporter within does.
func (p *patient) Shutdown(ctx context.Context) error { return p.next.Shutdown(ctx) }
