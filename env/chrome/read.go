package chrome

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// readScript gives the page as plain HTML: what is hidden, scripts and styles
// left out, open shadow roots and same-origin frames put in their place, form
// values written down.
//
//go:embed js/read.js
var readScript string

// Read gives the tab in front as Markdown: the main document, same-origin frames
// and open shadow roots, with the values of forms and without what is hidden. A
// very long page is cut and says so at its end.
func (b *Browser) Read(ctx context.Context) (env.Document, error) {
	caller := ctx
	ctx, end, err := b.begin(ctx)
	if err != nil {
		return env.Document{}, err
	}
	defer end()
	doc, err := b.read(ctx)
	if err != nil {
		if caller.Err() != nil {
			return env.Document{}, context.Cause(caller)
		}
		return env.Document{}, fmt.Errorf("read the page: %w", err)
	}
	return doc, nil
}

func (b *Browser) read(ctx context.Context) (env.Document, error) {
	p, err := b.usable(ctx)
	if err != nil {
		return env.Document{}, err
	}
	var page struct{ URL, Title, HTML string }
	s, cancel := b.bind(ctx, p)
	defer cancel()
	if err := s.evaluate(proto.PageFrameID(p.target), readScript, &page); err != nil {
		return env.Document{}, err
	}
	text, err := markdown(page.HTML)
	if err != nil {
		return env.Document{}, err
	}
	return env.Document{URL: page.URL, Title: page.Title, Markdown: text}, nil
}
