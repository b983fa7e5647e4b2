// Command batchbench measures collecting with the program itself, against a model that
// answers at once and a page on this machine: tasks an hour and what a run takes for 1,
// 4 and 8 workers, what taking a run up again costs, how fast rows are exported and how
// many of them are what was sent, and whether failing navigations leave anything.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	binary := flag.String("fara", "bin/fara", "the program to measure")
	tasks := flag.Int("tasks", 24, "tasks for each number of workers")
	steps := flag.Int("steps", 10, "steps of a task")
	dead := flag.Int("dead", 200, "tasks whose page cannot be opened")
	limit := flag.Duration("limit", 30*time.Minute, "the longest time for everything")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	if err := measure(ctx, *binary, *tasks, *steps, *dead); err != nil {
		fmt.Fprintln(os.Stderr, "batchbench:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, binary string, tasks, steps, dead int) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "batchbench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := newWorkshop(ctx, binary, dir, steps)
	if err != nil {
		return err
	}
	defer w.close()
	fmt.Printf("%d tasks of %d steps, a model that answers at once\n", tasks, steps)
	out := ""
	for _, workers := range []int{1, 4, 8} {
		if out, err = w.collect(tasks, workers); err != nil {
			return fmt.Errorf("%d workers: %w", workers, err)
		}
	}
	if err := w.export(out); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := w.resume(); err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	if err := w.fail(dead); err != nil {
		return fmt.Errorf("failing navigations: %w", err)
	}
	return nil
}
