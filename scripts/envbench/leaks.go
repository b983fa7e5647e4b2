package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"fara/env"
	"fara/env/chrome"
)

// leaks drives many browsers one after the other in this process and counts what
// there is before and after: processes that descend from this one or use its
// temporary folder, defunct ones, what lies in that folder, and goroutines.
func leaks(ctx context.Context, out io.Writer, runs int) error {
	temp, err := os.MkdirTemp("", "envbench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	defer os.Setenv("TMPDIR", os.Getenv("TMPDIR"))
	if err := os.Setenv("TMPDIR", temp); err != nil {
		return err
	}
	fmt.Fprintln(out, "runs\tprocesses\tdefunct\tin the temporary folder\tgoroutines")
	for done := 0; ; done++ {
		if done == 0 || done == 1 || done == runs/2 || done == runs {
			if err := leftovers(out, temp, done); err != nil {
				return err
			}
		}
		if done == runs {
			return nil
		}
		if err := once(ctx); err != nil {
			return fmt.Errorf("run %d: %w", done+1, err)
		}
	}
}

func leftovers(out io.Writer, temp string, runs int) error {
	all, err := processes()
	if err != nil {
		return err
	}
	var living, defunct int
	for _, p := range all {
		switch {
		case p.parent == os.Getpid() && p.defunct:
			defunct++
		case p.parent == os.Getpid(), strings.Contains(p.command, temp):
			living++
		}
	}
	files, err := filepath.Glob(filepath.Join(temp, "*"))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d\t%d\t%d\t%d\t%d\n", runs, living, defunct, len(files), runtime.NumGoroutine())
	return nil
}

// once is a short run: start, open, look, click, look, end.
func once(ctx context.Context) error {
	address, stop, err := serve(`<button style="width:300px;height:200px" onclick="document.title='clicked'">click</button>`)
	if err != nil {
		return err
	}
	defer stop()
	b, err := chrome.Launch(ctx, chrome.Config{})
	if err != nil {
		return err
	}
	for _, a := range []env.Action{{Kind: env.VisitURL, URL: address}, {Kind: env.LeftClick, Point: &env.Point{X: 100, Y: 100}}} {
		if err == nil {
			_, err = b.Perform(ctx, a)
		}
		if err == nil {
			_, err = b.Observe(ctx)
		}
	}
	if closed := b.Close(); err == nil {
		err = closed
	}
	return err
}
