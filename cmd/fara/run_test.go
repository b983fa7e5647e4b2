package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

// tool writes a reply in the Fara models' format.
func tool(thought, arguments string) modeltest.Answer {
	return modeltest.Text(fmt.Sprintf("%s\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": %s}\n</tool_call>", thought, arguments))
}

// site serves one page.
func site(t *testing.T, html string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, html) }))
	t.Cleanup(s.Close)
	return s.URL
}

// target is a page of 1440x896 with a box of 6 pixels around (1080, 224), which
// is [750, 250] in thousandths.
const target = `<!doctype html><title>open</title><body style="margin:0"><button style="position:absolute;left:1077px;top:221px;width:6px;height:6px;padding:0;border:0;background:red"
 onclick="document.title=event.isTrusted?'hit '+event.clientX+','+event.clientY:'forged'"></button>`

func TestRunClicksWhereTheModelPointsOverBothAPIs(t *testing.T) {
	needBrowser(t)
	for _, api := range []string{"ollama", "openai", "auto"} {
		brain := modeltest.NewScript(tool("The red box.", `{"action": "left_click", "coordinate": [750, 250]}`), tool("Done.", `{"action": "terminate", "answer": "clicked"}`))
		srv := serveModel(t, modeltest.Config{}, brain)
		got := fara(t, "run", "Click the red box.", "--url", site(t, target), "--endpoint", srv.URL(), "--api", api, "--json", "--out", t.TempDir())
		if got.code != exitSuccess {
			t.Fatalf("%s: exit code %d: %s%s", api, got.code, got.stdout, got.stderr)
		}
		all := lines(t, got.stdout)
		last := all[len(all)-1]
		if last["type"] != "result" || last["status"] != "success" || last["answer"] != "clicked" || last["steps"] != 2.0 {
			t.Errorf("%s: the last line is %v", api, last)
		}
		run, err := trajectory.Read(last["dir"].(string))
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, e := range run.Events {
			if e.Observed != nil {
				titles = append(titles, e.Observed.Title)
			}
		}
		if want := "hit 1080,224"; len(titles) != 2 || titles[1] != want {
			t.Errorf("%s: the page's titles were %q, want %q last", api, titles, want)
		}
		checkRequests(t, srv)
	}
}

// checkRequests looks at what the server was really sent.
func checkRequests(t *testing.T, srv *modeltest.Server) {
	t.Helper()
	for i, req := range srv.Requests() {
		if req.API != "ollama" {
			continue
		}
		if req.Options["num_ctx"] != 16384.0 || req.Truncate == nil || *req.Truncate || req.Shift == nil || *req.Shift || req.KeepAlive == nil {
			t.Errorf("request %d: num_ctx %v, truncate %v, shift %v, keep_alive %v", i, req.Options["num_ctx"], req.Truncate, req.Shift, req.KeepAlive)
		}
	}
}

func TestAPIKeyIsNowhereOnDiskOrScreen(t *testing.T) {
	needBrowser(t)
	const key = "sk-canary-0123456789"
	srv := serveModel(t, modeltest.Config{Key: key}, modeltest.NewScript(tool("x", `{"action": "terminate", "answer": "ok"}`)))
	out := t.TempDir()
	got := call{
		args: []string{"run", "Say ok.", "--url", site(t, "hello"), "--endpoint", srv.URL() + "/v1", "--api", "openai", "--out", out},
		env:  map[string]string{"FARA_API_KEY": key},
	}.run(t)
	if got.code != exitSuccess {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	if strings.Contains(got.stdout+got.stderr, key) {
		t.Error("the key was printed")
	}
	filepath.WalkDir(out, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || bytes.Contains(data, []byte(key)) {
			t.Errorf("%s holds the key, or cannot be read: %v", path, err)
		}
		return nil
	})
	// And a wrong one is refused in one line that does not repeat it.
	out = filepath.Join(t.TempDir(), "out")
	got = call{args: []string{"run", "x", "--endpoint", srv.URL() + "/v1", "--api", "openai", "--out", out}, env: map[string]string{"FARA_API_KEY": "sk-wrong"}}.run(t)
	got.oneLine(t, exitModel, "key")
	if strings.Contains(got.stderr, "sk-wrong") {
		t.Error("the wrong key was printed")
	}
	empty(t, out)
}

func TestTypedTextIsNotLogged(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(
		tool("I type.", `{"action": "type", "text": "hunter2-canary"}`), tool("x", `{"action": "terminate", "answer": "ok"}`)))
	got := fara(t, "run", "Type.", "--url", site(t, "<input autofocus>"), "--endpoint", srv.URL(), "--out", t.TempDir())
	if got.code != exitSuccess || strings.Contains(got.stderr, "hunter2-canary") || !strings.Contains(got.stderr, "type (14 characters)") {
		t.Errorf("exit code %d, stderr %q", got.code, got.stderr)
	}
}

func TestHostThatDoesNotExistIsAnHonestFailure(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript())
	out := t.TempDir()
	got := fara(t, "run", "x", "--url", "http://no-such-host.invalid/", "--endpoint", srv.URL(), "--out", out)
	if got.code != exitNoSuccess || !strings.Contains(got.stdout, "no-such-host.invalid") || !strings.Contains(got.stdout, "--url") {
		t.Errorf("exit code %d, stdout %q, stderr %q", got.code, got.stdout, got.stderr)
	}
	if n := len(srv.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
	runs, err := filepath.Glob(filepath.Join(out, "*", "result.json"))
	if err != nil || len(runs) != 1 {
		t.Errorf("got results %v, want one", runs)
	}
}

func TestQuestionWithoutATerminalWaits(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(tool("hm", `{"action": "ask_user_question", "question": "Which size?"}`)))
	got := fara(t, "run", "Buy it.", "--url", site(t, "hello"), "--endpoint", srv.URL(), "--json", "--out", t.TempDir())
	all := lines(t, got.stdout)
	if last := all[len(all)-1]; got.code != exitWaiting || last["status"] != "waiting_for_user" || last["question"] != "Which size?" {
		t.Errorf("exit code %d, %v", got.code, last)
	}
}

func TestInterruptEndsCleanly(t *testing.T) {
	needBrowser(t)
	asked := make(chan struct{})
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(func(ctx context.Context, _ model.Request) (model.Reply, error) {
		close(asked)
		<-ctx.Done()
		return model.Reply{}, context.Cause(ctx)
	}))
	ctx, cancel := context.WithCancelCause(t.Context())
	var interrupted time.Time
	go func() {
		<-asked
		interrupted = time.Now()
		cancel(errInterrupted)
	}()
	got := call{args: []string{"run", "x", "--url", site(t, "hello"), "--endpoint", srv.URL(), "--json", "--out", t.TempDir()}}.runIn(t, ctx)
	if took := time.Since(interrupted); took > 5*time.Second {
		t.Errorf("it took %v to end", took)
	}
	all := lines(t, got.stdout)
	if last := all[len(all)-1]; got.code != exitInterrupted || last["status"] != "cancelled" {
		t.Errorf("exit code %d, %v, %s", got.code, last, got.stderr)
	}
}

func TestFlagsOfFaraCLIWork(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{Model: "served", Key: "key-of-the-file"}, modeltest.NewScript(tool("It says hello.", `{"action": "terminate", "status": "success"}`)))
	config := filepath.Join(t.TempDir(), "endpoint.json")
	raw, _ := json.Marshal(map[string]string{"model": "served", "base_url": srv.URL() + "/v1", "api_key": "key-of-the-file"})
	if err := os.WriteFile(config, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	got := fara(t, "--task", "What does it say?", "--start_page", site(t, "hello"), "--endpoint_config", config, "--api", "openai",
		"--output_folder", out, "--max_rounds", "5", "--save_screenshots", "--fara-7b", "--json")
	all := lines(t, got.stdout)
	if last := all[len(all)-1]; got.code != exitSuccess || last["answer"] != "It says hello." {
		t.Fatalf("exit code %d, %v, %s", got.code, last, got.stderr)
	}
	tasks, _ := filepath.Glob(filepath.Join(out, "*", "task.json"))
	if len(tasks) != 1 {
		t.Fatalf("got %v", tasks)
	}
	run, err := trajectory.Read(filepath.Dir(tasks[0]))
	if err != nil || run.Task.Dialect != "fara-7b" || run.Task.MaxSteps != 5 || run.Task.Model != "served" {
		t.Errorf("task: %+v, %v", run.Task, err)
	}
}

func TestCancelledBeforeTheStartLeavesNothing(t *testing.T) {
	needBrowser(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errInterrupted)
	out := filepath.Join(t.TempDir(), "out")
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript())
	got := call{args: []string{"run", "x", "--endpoint", srv.URL(), "--out", out}}.runIn(t, ctx)
	if got.code != exitInterrupted {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
	empty(t, out)
}

func TestExitCodes(t *testing.T) {
	for status, want := range map[trajectory.Status]int{
		trajectory.Success: 0, trajectory.Failure: 3, trajectory.BudgetExhausted: 3, trajectory.BadReplies: 3,
		trajectory.ContextOverflow: 3, trajectory.Blocked: 3, trajectory.WaitingForUser: 4,
		trajectory.ModelUnavailable: 5, trajectory.BrowserLost: 6, trajectory.Error: 1,
	} {
		if got := codeOfStatus(trajectory.Result{Status: status}); got != want {
			t.Errorf("%s: got %d, want %d", status, got, want)
		}
	}
	for reason, want := range map[string]int{"interrupted": 130, "abandoned": 3} {
		if got := codeOfStatus(trajectory.Result{Status: trajectory.Cancelled, Reason: reason}); got != want {
			t.Errorf("cancelled/%s: got %d, want %d", reason, got, want)
		}
	}
	if got := codeOf(coded(errors.New("x"))); got != exitInternal {
		t.Errorf("an unexpected error: got %d", got)
	}
}
