package agent

import (
	"errors"
	"fmt"

	"fara/prompt"
	"fara/trajectory"
)

// Check finds out beforehand what cannot work: replies in a form that the dialect
// does not have, and a context that does not hold one frame beside the system
// prompt, the task and a reply. The error, which wraps prompt.ErrOverflow in the
// second case, says what to change.
func (c Config) Check() error {
	c = c.withDefaults()
	picture, err := c.Dialect.Grid.Fit(c.Dialect.Viewport)
	if err != nil {
		return err
	}
	began := c.Started(picture)
	if err := c.checkForm(began); err != nil {
		return err
	}
	frame := c.Dialect.Grid.Tokens(picture)
	events := []trajectory.Event{
		{Kind: trajectory.KindStarted, Started: &began},
		{Kind: trajectory.KindObserved, Observed: &trajectory.Observed{URL: c.URL, Size: picture, Tokens: frame}},
	}
	_, err = prompt.Build(events, c.Dialect, func(string) ([]byte, error) { return nil, nil })
	if !errors.Is(err, prompt.ErrOverflow) {
		return err
	}
	began.NumCtx = 0
	needed, buildErr := prompt.Build(events, c.Dialect, func(string) ([]byte, error) { return nil, nil })
	if buildErr != nil {
		return buildErr
	}
	return fmt.Errorf("%w: the prompt with one frame of %v takes about %d tokens (%d for the frame) and a reply needs room too; raise --num-ctx and the server's context length, or use a smaller --viewport",
		err, picture, needed.Tokens, frame)
}
