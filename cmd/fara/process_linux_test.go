package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"fara/model"
	"fara/model/modeltest"
	"fara/scripts/commandtest"
	"fara/trajectory"
)

// beFara makes the test binary the command itself, so that a test has a real
// process to send signals to.
const beFara = "FARA_TEST_BE_FARA"

func TestMain(m *testing.M) {
	if os.Getenv(beFara) != "" {
		main()
	}
	os.Exit(m.Run())
}

// process is a running command with a temporary folder of its own.
type process struct {
	*commandtest.Command
	temp string
}

func start(t *testing.T, stdin *os.File, args ...string) *process {
	t.Helper()
	return startWriting(t, stdin, nil, args...)
}

// startWriting has the command print to stdout; nil keeps it in Printed.
func startWriting(t *testing.T, stdin *os.File, stdout io.Writer, args ...string) *process {
	t.Helper()
	temp := t.TempDir()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), beFara+"=1", "TMPDIR="+temp)
	cmd.Stdin, cmd.Stdout = stdin, stdout
	return &process{Command: commandtest.Start(t, cmd, os.Kill), temp: temp}
}

// browsers are the processes whose command line names the temporary folder.
func (p *process) browsers(t *testing.T) (pids []int) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lines {
		cmdline, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(cmdline, []byte("user-data-dir="+p.temp)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// hanging serves a model that never answers, and says when it was asked.
func hanging(t *testing.T) (address string, asked <-chan struct{}) {
	t.Helper()
	ch := make(chan struct{}, 10)
	srv := serveModel(t, modeltest.Config{}, modeltest.NewEndlessScript(func(ctx context.Context, _ model.Request) (model.Reply, error) {
		ch <- struct{}{}
		<-ctx.Done()
		return model.Reply{}, context.Cause(ctx)
	}))
	return srv.URL(), ch
}

// interrupt presses Ctrl-C while the browser runs: the command ends soon and
// leaves neither process nor file.
func (p *process) interrupt(t *testing.T) {
	t.Helper()
	if len(p.browsers(t)) == 0 {
		t.Fatal("no browser runs with the command's temporary folder; this test sees nothing")
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := p.Ends(t, 5*time.Second); code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, p.Complained.String())
	}
	if left := p.browsers(t); len(left) > 0 {
		t.Errorf("browser processes %v are left", left)
	}
	empty(t, p.temp)
}

func TestCtrlCEndsTheRunAndLeavesNothing(t *testing.T) {
	needBrowser(t)
	address, asked := hanging(t)
	out := t.TempDir()
	p := start(t, nil, "run", "x", "--url", site(t, "hello"), "--endpoint", address, "--json", "--out", out)
	<-asked
	p.interrupt(t)
	results, _ := filepath.Glob(filepath.Join(out, "*", "result.json"))
	if len(results) != 1 {
		t.Fatalf("got results %v", results)
	}
	var r trajectory.Result
	data, err := os.ReadFile(results[0])
	if err != nil || json.Unmarshal(data, &r) != nil || r.Status != trajectory.Cancelled {
		t.Errorf("result: %s, %v", data, err)
	}
}

func TestKillLeavesNoBrowserAndAReadableRun(t *testing.T) {
	needBrowser(t)
	address, asked := hanging(t)
	out := t.TempDir()
	p := start(t, nil, "run", "x", "--url", site(t, "hello"), "--endpoint", address, "--out", out)
	<-asked
	if err := p.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.Ends(t, 5*time.Second)
	commandtest.Eventually(t, 5*time.Second, "the browser dies with its owner", func() bool { return len(p.browsers(t)) == 0 })
	commandtest.Eventually(t, 5*time.Second, "the profile goes with the browser", func() bool {
		left, _ := filepath.Glob(filepath.Join(p.temp, "*"))
		return len(left) == 0
	})
	runs, _ := filepath.Glob(filepath.Join(out, "*"))
	if len(runs) != 1 {
		t.Fatalf("got runs %v", runs)
	}
	run, err := trajectory.Read(runs[0])
	if err != nil || run.Result != nil || len(run.Events) == 0 || run.Events[len(run.Events)-1].Kind != trajectory.KindObserved {
		t.Errorf("the run reads back with %d events, result %v, %v", len(run.Events), run.Result, err)
	}
}

// killing is an answer that has the run's browser killed first.
func killing(t *testing.T, running <-chan *process, answer modeltest.Answer) modeltest.Answer {
	return func(ctx context.Context, req model.Request) (model.Reply, error) {
		p := <-running
		for _, pid := range p.browsers(t) { // they run in this test's own temporary folder
			syscall.Kill(pid, syscall.SIGKILL)
		}
		return answer(ctx, req)
	}
}

func TestKilledBrowserComesBackAndTheRunGoesOn(t *testing.T) {
	needBrowser(t)
	running := make(chan *process, 2)
	click := tool("x", `{"action": "left_click", "coordinate": [5, 5]}`)
	brain := modeltest.NewScript(killing(t, running, click), click, tool("x", `{"action": "terminate", "answer": "ok"}`))
	srv := serveModel(t, modeltest.Config{}, brain)
	out := t.TempDir()
	p := start(t, nil, "run", "x", "--url", site(t, "hello"), "--endpoint", srv.URL(), "--out", out)
	running <- p
	if code := p.Ends(t, 60*time.Second); code != exitSuccess {
		t.Fatalf("exit code %d: %s%s", code, p.Printed.String(), p.Complained.String())
	}
	runs, _ := filepath.Glob(filepath.Join(out, "*"))
	run, err := trajectory.Read(runs[0])
	if err != nil {
		t.Fatal(err)
	}
	var failed, recovered int
	for _, e := range run.Events {
		if e.Acted != nil && e.Acted.Error != nil && e.Acted.Error.Reason == "page" {
			failed++
		}
		if e.Recovered != nil {
			recovered++
		}
	}
	if failed != 1 || recovered != 1 {
		t.Errorf("got %d failed actions and %d recoveries, want one of each", failed, recovered)
	}
	empty(t, p.temp)
}

func TestLostBrowserHasItsExitCode(t *testing.T) {
	needBrowser(t)
	running := make(chan *process, 3)
	click := killing(t, running, tool("x", `{"action": "left_click", "coordinate": [5, 5]}`))
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(click, click, click))
	p := start(t, nil, "run", "x", "--url", site(t, "hello"), "--endpoint", srv.URL(), "--json", "--out", t.TempDir())
	for range 3 {
		running <- p
	}
	if code := p.Ends(t, 60*time.Second); code != exitBrowser {
		t.Errorf("exit code %d, want %d: %s%s", code, exitBrowser, p.Printed.String(), p.Complained.String())
	}
	if !strings.Contains(p.Printed.String(), `"status":"browser_lost"`) {
		t.Errorf("stdout %s", p.Printed.String())
	}
	empty(t, p.temp)
}

func TestReaderThatLeavesDoesNotCostTheEnding(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(
		tool("x", `{"action": "left_click", "coordinate": [5, 5]}`), tool("x", `{"action": "terminate", "answer": "ok"}`)))
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	reader.Close()
	out := t.TempDir()
	p := startWriting(t, nil, writer, "run", "x", "--url", site(t, "hello"), "--endpoint", srv.URL(), "--json", "--out", out)
	if code := p.Ends(t, 30*time.Second); code != exitSuccess {
		t.Errorf("exit code %d: %s", code, p.Complained.String())
	}
	if results, _ := filepath.Glob(filepath.Join(out, "*", "result.json")); len(results) != 1 {
		t.Errorf("got results %v", results)
	}
	empty(t, p.temp)
}

// terminalPair opens a pseudo terminal: what is written to person is typed at
// the keyboard of desk.
func terminalPair(t *testing.T) (person, desk *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	desk, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { desk.Close() })
	return person, desk
}

func TestPersonAtTheTerminalAnswers(t *testing.T) {
	needBrowser(t)
	person, desk := terminalPair(t)
	// Typed long before the question: it is no answer to it.
	if _, err := person.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	brain := modeltest.NewScript(
		tool("hm", `{"action": "ask_user_question", "question": "Which \u001b[31msize?"}`),
		tool("ok", `{"action": "terminate", "answer": "ordered"}`))
	srv := serveModel(t, modeltest.Config{}, brain)
	p := start(t, desk, "run", "Buy it.", "--url", site(t, "hello"), "--endpoint", srv.URL(), "--out", t.TempDir())
	commandtest.Eventually(t, 30*time.Second, "the question is put", func() bool { return strings.Contains(p.Complained.String(), "Which [31msize?") })
	if _, err := person.WriteString("the large one\n"); err != nil {
		t.Fatal(err)
	}
	if code := p.Ends(t, 30*time.Second); code != exitSuccess {
		t.Fatalf("exit code %d: %s%s", code, p.Printed.String(), p.Complained.String())
	}
	turn := srv.Requests()[1].Messages
	if text := turn[len(turn)-1].Text; !strings.HasSuffix(text, "the large one") {
		t.Errorf("the model is told %q", text)
	}
	if strings.Contains(p.Complained.String(), "\x1b") {
		t.Error("a control character of the model reached the terminal")
	}
}
