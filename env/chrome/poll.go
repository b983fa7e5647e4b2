package chrome

import (
	"context"
	"time"
)

// poll asks every so often until holds says yes, fails, or ctx ends.
func poll(ctx context.Context, every time.Duration, holds func() (bool, error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if ok, err := holds(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
