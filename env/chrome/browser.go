package chrome

import (
	"context"

	"fara/env"
)

// Browser is a browser with one tab in front. Observe, Perform and Read may be
// called from several goroutines and are carried out one at a time.
type Browser struct {
	current *instance
}

// Observe shows the tab in front: one picture of Viewport×Scale pixels, where it
// is, the tabs, and the notes since the last observation, each given once. A page
// that has crashed is loaded again first. It returns env.ErrLost when the browser
// is gone and the cause of ctx when that ends.
func (b *Browser) Observe(ctx context.Context) (env.Observation, error) {
	return b.current.Observe(ctx)
}

// Perform does one action with trusted input and waits until the page has come
// to rest. It returns an *env.ActionError for what the page or the argument did
// wrong, env.ErrLost when the browser is gone, and the cause of ctx when that
// ends first. Buttons and keys that were pressed are released in every case.
func (b *Browser) Perform(ctx context.Context, a env.Action) (env.Outcome, error) {
	return b.current.Perform(ctx, a)
}

// Read gives the tab in front as Markdown: the main document, same-origin frames
// and open shadow roots, with the values of forms and without what is hidden. A
// very long page is cut and says so at its end.
func (b *Browser) Read(ctx context.Context) (env.Document, error) {
	return b.current.Read(ctx)
}

// Lost is closed when the browser is gone, after Close too.
func (b *Browser) Lost() <-chan struct{} { return b.current.Lost() }

// Close ends what was opened: the browser, its processes and its temporary
// profile after Launch, our tabs after Attach. It may be called several times
// and gives the same answer each time; calls under way return env.ErrLost.
func (b *Browser) Close() error { return b.current.Close() }
