package main

import (
	"context"
	"fmt"
	"net/url"

	"fara/calibrate"
	"fara/env"
)

// gallery shows one target at a time in a real browser. The page is in its own
// address, so that a browser on another machine can show it too.
type gallery struct {
	open func(ctx context.Context, viewport env.Size) (*guarded, error)

	browser  *guarded
	viewport env.Size // of browser
	seen     map[page]env.Observation
}

// page is what was seen: a size with a target.
type page struct {
	viewport env.Size
	target   env.Point
}

// show gives the picture of a page of that size with one target.
func (g *gallery) show(ctx context.Context, viewport env.Size, target env.Point) (env.Observation, error) {
	if obs, ok := g.seen[page{viewport, target}]; ok {
		return obs, nil
	}
	if g.browser == nil || g.viewport != viewport {
		g.close()
		browser, err := g.open(ctx, viewport)
		if err != nil {
			return env.Observation{}, err
		}
		g.browser, g.viewport = browser, viewport
	}
	obs, err := g.look(ctx, target)
	if ctx.Err() != nil {
		return obs, context.Cause(ctx)
	}
	if err != nil {
		return obs, &exitError{exitBrowser, fmt.Errorf("show the target at %v: %w; fara doctor looks at the browser", target, err)}
	}
	if g.seen == nil {
		g.seen = map[page]env.Observation{}
	}
	g.seen[page{viewport, target}] = obs
	return obs, nil
}

func (g *gallery) look(ctx context.Context, target env.Point) (env.Observation, error) {
	if _, err := g.browser.Perform(ctx, env.Action{Kind: env.VisitURL, URL: targetPage(target)}); err != nil {
		return env.Observation{}, err
	}
	return g.browser.Observe(ctx)
}

// close ends the browser, if there is one.
func (g *gallery) close() {
	if g.browser != nil {
		g.browser.Close()
		g.browser = nil
	}
}

// targetPage is the address of a white page with nothing on it but a red disc.
func targetPage(at env.Point) string {
	const html = `<!doctype html><title>target</title><style>` +
		`:root{color-scheme:only light;forced-color-adjust:none;background:#fff;overflow:hidden}` +
		`b{position:fixed;left:%gpx;top:%gpx;width:%dpx;height:%[3]dpx;border-radius:50%%;background:#dc1414}</style><b></b>`
	page := fmt.Sprintf(html, at.X-calibrate.Disc/2, at.Y-calibrate.Disc/2, calibrate.Disc)
	return "data:text/html;charset=utf-8," + url.PathEscape(page)
}
