package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fara/batch/queue/natsd"
	"fara/model/modeltest"
	"fara/scripts/commandtest"
	"fara/trajectory"
)

// ledgerEnds reads a batch's ledger: how often each job ended.
func ledgerEnds(t *testing.T, out string) map[string]int {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(out, "ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]int{}
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		var e struct{ Kind, Job string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Kind == "ended" {
			ends[e.Job]++
		}
	}
	return ends
}

// wholeRuns checks that every run in a batch's folder has its ending, and that there
// are as many as tasks.
func wholeRuns(t *testing.T, out string, want int) (runs []*trajectory.Run) {
	t.Helper()
	results, err := filepath.Glob(filepath.Join(out, "*", "task.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range results {
		run, err := trajectory.Read(filepath.Dir(path))
		if err != nil || !run.HasResult {
			t.Fatalf("%s: no ending, %v", filepath.Dir(path), err)
		}
		runs = append(runs, run)
	}
	if len(results) != want {
		t.Errorf("%d runs are in the folder, want %d", len(results), want)
	}
	return runs
}

func TestKilledBatchLosesNothingAndDoesNothingTwice(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	const tasks, kills = 40, 15
	srv := serveModel(t, modeltest.Config{}, quick())
	file, out := tasksFile(t, manyTasks(tasks, site(t, target))...), filepath.Join(t.TempDir(), "out")
	args := []string{"batch", file, "--endpoint", srv.URL(), "--out", out, "--workers", "2", "--max-deliveries", "20"}
	random := rand.New(rand.NewPCG(6, 15))
	for range kills {
		p := start(t, nil, args...)
		at := time.After(time.Duration(300+random.IntN(1500)) * time.Millisecond)
		select {
		case <-p.Ended():
		case <-at:
		}
		if err := p.Process.Kill(); err != nil && len(p.browsers(t)) > 0 {
			t.Fatal(err)
		}
		commandtest.Eventually(t, 10*time.Second, "no browser is left", func() bool { return len(p.browsers(t)) == 0 })
	}
	last := start(t, nil, args...)
	if code := last.Ends(t, 3*time.Minute); code != exitSuccess {
		t.Fatalf("exit code %d: %s", code, last.Complained.String())
	}
	ends := ledgerEnds(t, out)
	for i := range tasks {
		if id := fmt.Sprintf("t%02d", i); ends[id] != 1 {
			t.Errorf("%s ended %d times", id, ends[id])
		}
	}
	wholeRuns(t, out, tasks)
	empty(t, last.temp)
}

// resident is what a process holds in memory, in KiB.
func resident(t *testing.T, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestDistributedBatchHasOneResultForEachTask(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	const tasks = 12
	srv := serveModel(t, modeltest.Config{}, quick())
	nats, err := natsd.Start(t.Context(), natsd.Config{Listen: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nats.Close)
	file, out := tasksFile(t, manyTasks(tasks, site(t, target))...), filepath.Join(t.TempDir(), "out")
	hub := start(t, nil, "batch", file, "--nats", nats.URL(), "--out", out, "--ack-wait", "2s", "--max-images", "2")
	worker := func(name string) *process {
		return start(t, nil, "worker", "--nats", nats.URL(), "--endpoint", srv.URL(), "--out", filepath.Join(t.TempDir(), name), "--name", name)
	}
	first, second := worker("first"), worker("second")
	commandtest.Eventually(t, time.Minute, "both have delivered", func() bool {
		return strings.Contains(first.Complained.String(), "success") && strings.Contains(second.Complained.String(), "success")
	})
	first.Process.Kill()
	third := worker("third")
	if code := hub.Ends(t, 2*time.Minute); code != exitSuccess {
		t.Fatalf("exit code %d: %s", code, hub.Complained.String())
	}
	for _, w := range []*process{second, third} {
		if code := w.Ends(t, 30*time.Second); code != exitSuccess {
			t.Errorf("a worker ends with %d: %s", code, w.Complained.String())
		}
	}
	ends := ledgerEnds(t, out)
	for i := range tasks {
		if id := fmt.Sprintf("t%02d", i); ends[id] != 1 {
			t.Errorf("%s ended %d times", id, ends[id])
		}
	}
	for _, run := range wholeRuns(t, out, tasks) {
		if run.Task.MaxImages != 2 {
			t.Errorf("%s was done with %d frames a request, want the batch's 2", run.Task.Run, run.Task.MaxImages)
		}
	}
	commandtest.Eventually(t, 10*time.Second, "no browser of the killed worker is left", func() bool { return len(first.browsers(t)) == 0 })
}

func TestFailingNavigationsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	const tasks = 40
	srv := serveModel(t, modeltest.Config{}, quick())
	var list []map[string]any
	for i := range tasks {
		l, err := net.Listen("tcp", "127.0.0.1:0") // a port of its own that nobody answers at
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, map[string]any{"id": fmt.Sprint("n", i), "task": "Click.", "url": "http://" + l.Addr().String() + "/"})
		l.Close()
	}
	p := start(t, nil, "batch", tasksFile(t, list...), "--endpoint", srv.URL(), "--out", filepath.Join(t.TempDir(), "out"), "--workers", "2", "--retry", "0", "--json")
	ended := func(n int) func() bool {
		return func() bool { return strings.Count(p.Printed.String(), `"type":"task"`) >= n }
	}
	commandtest.Eventually(t, time.Minute, "a quarter has ended", ended(tasks/4))
	before := resident(t, p.Process.Pid)
	commandtest.Eventually(t, 2*time.Minute, "nearly all have ended", ended(tasks-2))
	if after := resident(t, p.Process.Pid); after > before+before/5 {
		t.Errorf("memory grew from %d to %d KiB over %d failing runs", before, after, tasks*3/4)
	}
	if code := p.Ends(t, time.Minute); code != exitNoSuccess {
		t.Errorf("exit code %d: %s", code, p.Complained.String())
	}
	if left := p.browsers(t); len(left) > 0 {
		t.Errorf("browser processes %v are left", left)
	}
	empty(t, p.temp)
}
