package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// summary is what of a batch's summary is measured.
type summary struct {
	Ended    int            `json:"ended"`
	Steps    int            `json:"steps"`
	Statuses map[string]int `json:"statuses"`
}

// collect does as many tasks with as many workers, and gives the batch's folder.
func (w *workshop) collect(tasks, workers int) (string, error) {
	file, err := w.tasks(fmt.Sprintf("tasks%d.jsonl", workers), slices.Repeat([]string{w.site.URL}, tasks))
	if err != nil {
		return "", err
	}
	out := filepath.Join(w.dir, fmt.Sprintf("out%d", workers))
	cmd := w.command("batch", file, "--endpoint", w.model.URL(), "--out", out, "--workers", strconv.Itoa(workers), "--json")
	began := time.Now()
	printed, err := cmd.Output()
	took := time.Since(began)
	if err != nil {
		return "", complaint(cmd, err)
	}
	var sum summary
	if err := lastLine(printed, &sum); err != nil {
		return "", err
	}
	if sum.Statuses["success"] != tasks {
		return "", fmt.Errorf("%d of %d tasks succeeded", sum.Statuses["success"], tasks)
	}
	size, err := folderSize(out)
	if err != nil {
		return "", err
	}
	fmt.Printf("%d workers: %.0f tasks/hour, %.1f steps/s, %.2f MB/run on disk, %d MB in the largest process\n", workers,
		float64(tasks)/took.Hours(), float64(sum.Steps)/took.Seconds(), float64(size)/1e6/float64(tasks), maxResident(cmd)/1000)
	began = time.Now()
	if err := w.command("batch", file, "--endpoint", w.model.URL(), "--out", out).Run(); err != nil {
		return "", err
	}
	fmt.Printf("  calling it again when all has ended: %v\n", time.Since(began).Round(time.Millisecond))
	return out, nil
}

func folderSize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		size += info.Size()
		return err
	})
	return size, err
}

// export writes a row for each reply, and says how many are what was sent.
func (w *workshop) export(runs string) error {
	for _, format := range []string{"openai", "sharegpt", "parquet"} {
		out := filepath.Join(w.dir, "export-"+format)
		cmd := w.command("export", runs, "--format", format, "--out", out, "--json")
		began := time.Now()
		printed, err := cmd.Output()
		took := time.Since(began)
		if err != nil {
			return complaint(cmd, err)
		}
		var told struct {
			Rows     struct{ Total int }
			Requests struct{ Equal, Unrecorded, Refused int }
		}
		if err := lastLine(printed, &told); err != nil {
			return err
		}
		fmt.Printf("export as %s: %.0f rows/s, %d rows; requests byte-equal to what was sent: %d of %d\n", format,
			float64(told.Rows.Total)/took.Seconds(), told.Rows.Total, told.Requests.Equal, told.Rows.Total)
		if told.Requests.Equal != told.Rows.Total || told.Rows.Total == 0 || told.Requests.Refused > 0 {
			return errors.New("not every row is what was sent")
		}
	}
	return nil
}

// resume kills a run in its middle and takes it up again.
func (w *workshop) resume() error {
	out := filepath.Join(w.dir, "single")
	w.hangAt.Store(int64(w.steps/2 + 1))
	began := time.Now()
	run := w.command("run", "Count.", "--url", w.site.URL, "--endpoint", w.model.URL(), "--out", out)
	if err := run.Start(); err != nil {
		return err
	}
	select {
	case <-w.hung:
	case <-time.After(time.Minute):
		_ = run.Process.Kill()
		return complaint(run, errors.New("the model was not asked"))
	}
	first := time.Since(began) / time.Duration(w.steps/2+1)
	_ = run.Process.Kill()
	_ = run.Wait() // it was killed
	dirs, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(dirs) != 1 {
		return fmt.Errorf("%d runs, %w", len(dirs), err)
	}
	began = time.Now()
	again := w.command("resume", dirs[0], "--endpoint", w.model.URL())
	if err := again.Start(); err != nil {
		return err
	}
	select {
	case <-w.hung:
	case <-time.After(time.Minute):
		_ = again.Process.Kill()
		return complaint(again, errors.New("the model was not asked again"))
	}
	fmt.Printf("resume: %v from the call to the model's next turn; a run takes %v a step, its start shared among them\n",
		time.Since(began).Round(time.Millisecond), first.Round(time.Millisecond))
	_ = again.Process.Kill()
	_ = again.Wait()
	w.hangAt.Store(0)
	return nil
}

// fail has navigations fail, one after the other, and looks at what stays.
func (w *workshop) fail(tasks int) error {
	var addresses []string
	for range tasks { // each on a site of its own, so that none is given up
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		addresses = append(addresses, "http://"+l.Addr().String()+"/")
		l.Close()
	}
	file, err := w.tasks("dead.jsonl", addresses)
	if err != nil {
		return err
	}
	out := filepath.Join(w.dir, "dead")
	cmd := w.command("batch", file, "--endpoint", w.model.URL(), "--out", out, "--workers", "2", "--retry", "0", "--json")
	cmd.Stdout = nil
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	early, late := 0, 0
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for open := true; open; {
		select {
		case err = <-ended:
			open = false
		case <-tick.C:
			if now := resident(cmd.Process.Pid); now > 0 {
				if late = now; count(out) <= tasks/4 {
					early = max(early, now)
				}
			}
		}
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		return complaint(cmd, fmt.Errorf("exit: %w", err))
	}
	left, err := os.ReadDir(filepath.Join(w.dir, "temp"))
	if err != nil {
		return err
	}
	fmt.Printf("%d failing navigations: %v each, memory %d MB in the first quarter and %d MB at the end, %d browser processes and %d folders left\n",
		tasks, (time.Since(began) / time.Duration(tasks)).Round(time.Millisecond), early/1000, late/1000, browsers(w.dir), len(left))
	if late > early+early/5 || browsers(w.dir) > 0 || len(left) > 0 {
		return errors.New("something stays")
	}
	return nil
}

// count is the number of jobs that have ended.
func count(out string) int {
	raw, err := os.ReadFile(filepath.Join(out, "ledger.jsonl"))
	if err != nil {
		return 0
	}
	return strings.Count(string(raw), `"kind":"ended"`)
}
