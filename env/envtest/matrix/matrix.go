// Package matrix checks that every pointer action lands on the exact pixel of
// every kind of page: in frames and shadow roots, under transforms and zoom, after
// scrolling, in the corners. It is data, so that tests and benchmarks can run it
// as they like; what else a browser promises is left to package envtest.
package matrix

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fara/env"
)

// Viewport is the size in CSS pixels that the pages are made for.
var Viewport = env.Size{W: 640, H: 480}

// Subject is the browser under test; its viewport is Viewport.
type Subject interface {
	Observe(context.Context) (env.Observation, error)
	Perform(context.Context, env.Action) (env.Outcome, error)
	Read(context.Context) (env.Document, error)
}

// Cell is one action on one page.
type Cell struct {
	Page   string
	Action string

	page   page
	action action
	site   *Site
}

// Row is what came of a cell.
type Row struct {
	Page   string
	Action string
	Scale  float64 // the device scale factor it ran at
	Err    error   // nil when the page saw exactly what it should
}

// Cells lists every action on every page, page by page. They may be run in any
// order; that of the list loads each page once.
func (s *Site) Cells() []Cell {
	var cells []Cell
	for _, p := range pages() {
		for _, a := range actions() {
			cells = append(cells, Cell{Page: p.name, Action: a.name, page: p, action: a, site: s})
		}
	}
	return cells
}

// Few lists the cells that a scale factor could break: enough for each further
// scale after the whole list has passed at one.
func (s *Site) Few() []Cell {
	var cells []Cell
	for _, c := range s.Cells() {
		if c.page.scales && c.action.scales {
			cells = append(cells, c)
		}
	}
	return cells
}

// Rows runs cells one after the other; scale is only written down. It ends early
// when ctx ends, which is then the error of all that is left.
func Rows(ctx context.Context, e Subject, scale float64, cells []Cell) []Row {
	rows := make([]Row, 0, len(cells))
	for _, c := range cells {
		rows = append(rows, Row{Page: c.Page, Action: c.Action, Scale: scale, Err: c.Run(ctx, e)})
	}
	return rows
}

// patience is how long an event may take to be seen.
const patience = 2 * time.Second

// Run goes to the cell's page unless it is open, does the action and compares
// what the page saw with what a hand would have caused. nil means equal.
func (c Cell) Run(ctx context.Context, e Subject) error {
	address := c.site.address(c.page)
	doc, err := e.Read(ctx)
	if err != nil {
		return err
	}
	if doc.URL != address {
		if err := c.open(ctx, e, address); err != nil {
			return err
		}
	}
	before, err := c.ready(ctx, e)
	if err != nil {
		return err
	}
	for _, a := range c.action.steps(c.page) {
		if _, err := e.Perform(ctx, a); err != nil {
			return fmt.Errorf("%s: %w", a.Kind, err)
		}
	}
	return c.until(ctx, e, func(log record) error { return c.action.check(c.page, log.since(before)) })
}

// open goes to a page and looks at it, as one does before acting: what was never
// drawn cannot be hit.
func (c Cell) open(ctx context.Context, e Subject, address string) error {
	if _, err := e.Perform(ctx, env.Action{Kind: env.VisitURL, URL: address}); err != nil {
		return err
	}
	if _, err := c.ready(ctx, e); err != nil {
		return err
	}
	_, err := e.Observe(ctx)
	return err
}

// ready waits until the page's innermost document has said that it is there.
func (c Cell) ready(ctx context.Context, e Subject) (count int, err error) {
	err = c.until(ctx, e, func(log record) error {
		if count = log.count; count == 0 {
			return errors.New("the innermost document did not load")
		}
		return nil
	})
	return count, err
}

// until reads the page until holds is content, and gives its last complaint when
// that takes too long.
func (c Cell) until(ctx context.Context, e Subject, holds func(record) error) error {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	tick := time.NewTicker(15 * time.Millisecond)
	defer tick.Stop()
	for {
		doc, err := e.Read(ctx)
		if err != nil {
			return err
		}
		complaint := holds(parse(doc.Markdown))
		if complaint == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-limit.C:
			return complaint
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
