package chrome

import (
	"context"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// Read is Browser.Read.
func (b *instance) Read(ctx context.Context) (env.Document, error) {
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

func (b *instance) read(ctx context.Context) (env.Document, error) {
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
