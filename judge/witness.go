package judge

import (
	"context"
	"fmt"

	"fara/trajectory"
)

// Witness looks at a page once for every answer, however many verifiers ask.
// Its fields stay as they are; it belongs to one goroutine.
type Witness struct {
	Page  Inspector
	Wants Wants
	// Store keeps what was seen and gives its file below the run's folder; nil keeps
	// nothing.
	Store func(data []byte) (file string, err error)

	seen  *Evidence
	after int // events of the run but for verdicts when it was seen
}

// Evidence gives what is known now. events are all of the run so far: while nothing
// but verdicts comes to them, the page is not asked again. Errors are Look's, and
// Store's.
func (w *Witness) Evidence(ctx context.Context, events []trajectory.Event) (*Evidence, error) {
	n := 0
	for _, e := range events {
		if e.Verdict == nil {
			n++
		}
	}
	if w.seen != nil && w.after == n {
		return w.seen, nil
	}
	seen, err := Look(ctx, w.Page, w.Wants)
	if err != nil {
		return nil, err
	}
	if w.Store != nil {
		data, err := seen.Bytes()
		if err == nil {
			seen.File, err = w.Store(data)
		}
		if err != nil {
			return nil, fmt.Errorf("evidence: %w", err)
		}
	}
	w.seen, w.after = seen, n
	return seen, nil
}
