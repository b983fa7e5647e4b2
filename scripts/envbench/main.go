// Command envbench measures the browser layer: which actions land on which pages,
// whether frames show what an action did and what waiting for that costs, what a
// hundred runs leave behind, and what sessions cost side by side.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// part is one of the measurements.
type part struct {
	name string
	run  func(ctx context.Context, out io.Writer) error
}

func main() {
	runs := flag.Int("runs", 100, "runs of the part called leaks")
	seconds := flag.Int("seconds", 8, "how long each number of sessions is measured")
	only := flag.String("only", "pages,settle,leaks,sessions", "the parts to measure, with commas between them")
	limit := flag.Duration("limit", 20*time.Minute, "the longest time for everything")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	parts := []part{
		{"pages", pages},
		{"settle", settle},
		{"leaks", func(ctx context.Context, out io.Writer) error { return leaks(ctx, out, *runs) }},
		{"sessions", func(ctx context.Context, out io.Writer) error {
			return sessions(ctx, out, time.Duration(*seconds)*time.Second)
		}},
	}
	if err := measure(ctx, parts, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "envbench:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, parts []part, wanted []string) error {
	for _, name := range wanted {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
			return fmt.Errorf("there is no part %q", name)
		}
	}
	for _, p := range parts {
		if !slices.Contains(wanted, p.name) {
			continue
		}
		table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "\n%s\n", p.name)
		err := p.run(ctx, table)
		if flushed := table.Flush(); err == nil {
			err = flushed
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}
