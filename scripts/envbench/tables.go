package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest/matrix"
	"fara/env/envtest/waits"
)

// scales are the device scale factors under which actions are tried.
var scales = []float64{1, 1.25, 1.5, 2, 3}

// pages prints every pointer action on every kind of page. A cell passes when all
// scale factors it was tried at do; every cell is tried at 1, those that scaling
// could break at all.
func pages(ctx context.Context, out io.Writer) error {
	site, err := matrix.Serve()
	if err != nil {
		return err
	}
	defer site.Close()
	var rows []matrix.Row
	for _, scale := range scales {
		cells := site.Few()
		if scale == 1 {
			cells = site.Cells()
		}
		b, err := chrome.Launch(ctx, chrome.Config{Viewport: matrix.Viewport, Scale: scale})
		if err != nil {
			return err
		}
		rows = append(rows, matrix.Rows(ctx, b, scale, cells)...)
		if err := b.Close(); err != nil {
			return err
		}
	}
	return printMatrix(out, rows)
}

func printMatrix(out io.Writer, rows []matrix.Row) error {
	type cell struct{ page, action string }
	var names, actions []string
	tried, failed := map[cell]int{}, map[cell]int{}
	var complaints []string
	for _, row := range rows {
		if !slices.Contains(names, row.Page) {
			names = append(names, row.Page)
		}
		if !slices.Contains(actions, row.Action) {
			actions = append(actions, row.Action)
		}
		tried[cell{row.Page, row.Action}]++
		if row.Err != nil {
			failed[cell{row.Page, row.Action}]++
			complaints = append(complaints, fmt.Sprintf("%s on %s at scale %v: %v", row.Action, row.Page, row.Scale, row.Err))
		}
	}
	fmt.Fprintln(out, "page\t"+strings.Join(actions, "\t"))
	for _, page := range names {
		line := page
		for _, action := range actions {
			n, bad := tried[cell{page, action}], failed[cell{page, action}]
			switch {
			case n == 0:
				line += "\t-"
			case bad > 0:
				line += fmt.Sprintf("\tFAIL %d/%d", bad, n)
			case n > 1:
				line += fmt.Sprintf("\tpass ×%d", n)
			default:
				line += "\tpass"
			}
		}
		fmt.Fprintln(out, line)
	}
	for _, c := range complaints {
		fmt.Fprintln(out, c)
	}
	fmt.Fprintf(out, "%d of %d pass\n", len(rows)-len(complaints), len(rows))
	return nil
}

// settle prints for each page whether pictures show the effect of the action
// before them, and what the slowest action took beyond the moment when its effect
// is due: input, waiting and noticing.
func settle(ctx context.Context, out io.Writer) error {
	site, err := waits.Serve()
	if err != nil {
		return err
	}
	defer site.Close()
	b, err := chrome.Launch(ctx, chrome.Config{})
	if err != nil {
		return err
	}
	defer b.Close()
	fmt.Fprintln(out, "page\tpictures with the effect\taction beyond its effect")
	var seen, pictures int
	for _, p := range site.Pages() {
		row, err := p.Run(ctx, b)
		if err != nil {
			return err
		}
		seen, pictures = seen+row.Seen, pictures+row.Pictures
		fmt.Fprintf(out, "%s\t%d of %d\t%.0f ms\n", row.Page, row.Seen, row.Pictures, ms(row.Added))
	}
	fmt.Fprintf(out, "%d of %d pictures show the effect\n", seen, pictures)
	return static(ctx, out, b)
}

// static prints what waiting adds on a page that shows its change at once: the
// difference between whole actions and their input alone, which is the time until
// the page has seen the click.
func static(ctx context.Context, out io.Writer, b *chrome.Browser) error {
	address, stop, err := serve(`<body style="margin:0"><button style="width:300px;height:200px" onclick="this.textContent=+this.textContent+1">0</button>` +
		strings.Repeat("<p>Words, as most pages of the web have most of the time.", 70))
	if err != nil {
		return err
	}
	defer stop()
	if _, err := b.Perform(ctx, env.Action{Kind: env.VisitURL, URL: address}); err != nil {
		return err
	}
	var took []time.Duration
	for range 30 {
		began := time.Now()
		if _, err := b.Perform(ctx, env.Action{Kind: env.LeftClick, Point: &env.Point{X: 100, Y: 100}}); err != nil {
			return err
		}
		took = append(took, time.Since(began))
		if _, err := b.Observe(ctx); err != nil {
			return err
		}
	}
	slices.Sort(took)
	fmt.Fprintf(out, "a click on a static page, input and waiting: median %.0f ms, slowest tenth %.0f ms\n",
		ms(took[len(took)/2]), ms(took[len(took)*9/10]))
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
