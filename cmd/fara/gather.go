package main

import (
	"context"
	"errors"
	"fara/batch"
	"fara/batch/queue"
	"fara/trajectory"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

var (
	errDamaged = errors.New("the run that came cannot be used")
	runName    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,200}$`)
)

func damaged(err error) report {
	return report{Report: batch.Report{Class: batch.Internal, Result: trajectory.Result{
		Version: trajectory.Version, Status: trajectory.Error, Reason: "damaged", Message: line(err.Error()), Verified: []string{},
	}}}
}

// fetch brings a run's folder below the batch's.
func (h *hub) fetch(ctx context.Context, r queue.Result, rep *report) error {
	if !runName.MatchString(rep.Result.Run) {
		return fmt.Errorf("%w: it is called %q", errDamaged, rep.Result.Run)
	}
	dir := filepath.Join(h.store.Dir, rep.Result.Run)
	if _, err := os.Stat(dir); err != nil {
		if err := h.bring(ctx, r, rep.Folder, dir); err != nil {
			return err
		}
	}
	run, err := trajectory.Read(dir)
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	if s := run.Task.Sample; s == nil || s.Batch != h.store.ID {
		return fmt.Errorf("%w: it belongs to another batch", errDamaged)
	}
	rep.Result.Dir = dir
	return nil
}

// bring moves or fetches it.
func (h *hub) bring(ctx context.Context, r queue.Result, folder, dir string) error {
	if folder == "" {
		return r.Fetch(ctx, dir)
	}
	if h.flags.queue.shared == "" || !filepath.IsLocal(folder) {
		return fmt.Errorf("%w: it is in the workers' shared folder, %s; give that folder with --shared", errDamaged, folder)
	}
	from := filepath.Join(h.flags.queue.shared, folder)
	if err := os.Rename(from, dir); err != nil {
		if err := copyFolder(from, dir); err != nil {
			return err
		}
	}
	return tidy(filepath.Dir(from), "")
}

// copyFolder copies a folder to a place on another file system, whole or not at all.
func copyFolder(from, to string) error {
	part, err := os.MkdirTemp(filepath.Dir(to), ".part-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	whole := filepath.Join(part, "run")
	if err := os.CopyFS(whole, os.DirFS(from)); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	if err := os.Rename(whole, to); err != nil {
		return err
	}
	return os.RemoveAll(from)
}
