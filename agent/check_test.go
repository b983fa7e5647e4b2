package agent_test

import (
	"errors"
	"strings"
	"testing"

	"fara/env"
	"fara/prompt"
)

func TestCheckFindsContextsThatHoldNoFrame(t *testing.T) {
	for _, c := range []struct {
		name     string
		numCtx   int
		viewport env.Size
		task     string
		fits     bool
	}{
		{"unknown", 0, env.Size{W: 1440, H: 896}, "Buy tea.", true},
		{"large", 16384, env.Size{W: 1440, H: 896}, "Buy tea.", true},
		{"usual default", 4096, env.Size{W: 1440, H: 896}, "Buy tea.", true},
		{"too small", 2048, env.Size{W: 1440, H: 896}, "Buy tea.", false},
		{"small page", 3072, env.Size{W: 640, H: 480}, "Buy tea.", true},
		{"large page", 4096, env.Size{W: 2560, H: 1440}, "Buy tea.", false},
		{"long task", 4096, env.Size{W: 1440, H: 896}, strings.Repeat("Buy tea. ", 800), false},
	} {
		b := newBench(t)
		b.cfg.NumCtx, b.cfg.Dialect.Viewport, b.cfg.Task = c.numCtx, c.viewport, c.task
		err := b.cfg.Check()
		if c.fits != (err == nil) || !c.fits && (!errors.Is(err, prompt.ErrOverflow) || !strings.Contains(err.Error(), "--num-ctx")) {
			t.Errorf("%s: got %v, want that it fits: %v", c.name, err, c.fits)
		}
	}
}
