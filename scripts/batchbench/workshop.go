package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"fara/model"
	"fara/model/modeltest"
)

// page changes with every click, so that no run is taken for stuck.
const page = `<!doctype html><title>page</title><body style="margin:0;font:20px sans-serif" onclick="n.textContent=+n.textContent+1">
<h1>Count: <span id=n>0</span></h1><p>The quick brown fox jumps over the lazy dog.</p>`

// workshop is the program with a page and a model for it.
type workshop struct {
	ctx         context.Context
	binary, dir string
	steps       int
	site        *httptest.Server
	model       *modeltest.Server
	// asked is when the model was asked last; hangAt is the turn at which it does not
	// answer, 0 being none.
	asked  atomic.Int64
	hangAt atomic.Int64
	hung   chan struct{}
}

func newWorkshop(ctx context.Context, binary, dir string, steps int) (*workshop, error) {
	w := &workshop{ctx: ctx, binary: binary, dir: dir, steps: steps, hung: make(chan struct{}, 1)}
	var err error
	if w.model, err = modeltest.Serve(modeltest.NewEndlessScript(w.answer)); err != nil {
		return nil, err
	}
	w.site = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, page) }))
	return w, nil
}

func (w *workshop) close() {
	w.site.Close()
	w.model.Close()
}

// answer clicks here and there until the last step, which ends the run.
func (w *workshop) answer(ctx context.Context, req model.Request) (model.Reply, error) {
	turn := 1
	for _, m := range req.Messages {
		if m.Role == model.Assistant {
			turn++
		}
	}
	w.asked.Store(time.Now().UnixNano())
	if at := w.hangAt.Load(); at > 0 && int64(turn) == at {
		select {
		case w.hung <- struct{}{}:
		default:
		}
		<-ctx.Done()
		return model.Reply{}, context.Cause(ctx)
	}
	arguments := fmt.Sprintf(`{"action": "left_click", "coordinate": [%d, %d]}`, 100+37*turn%800, 100+53*turn%800)
	if turn >= w.steps {
		arguments = `{"action": "terminate", "status": "success", "answer": "counted"}`
	}
	return modeltest.Text("Go on.\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": "+arguments+"}\n</tool_call>")(ctx, req)
}

// tasks writes a file of tasks, one for each address.
func (w *workshop) tasks(name string, addresses []string) (string, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	for i, address := range addresses {
		if err := enc.Encode(map[string]string{"id": fmt.Sprintf("task%03d", i), "task": "Count.", "url": address}); err != nil {
			return "", err
		}
	}
	path := filepath.Join(w.dir, name)
	return path, os.WriteFile(path, text.Bytes(), 0o600)
}

// command is a call of the program with a temporary folder of its own.
func (w *workshop) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.ctx, w.binary, args...)
	temp := filepath.Join(w.dir, "temp")
	_ = os.MkdirAll(temp, 0o755) // the command says it when it is not there
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	cmd.Stderr = new(bytes.Buffer)
	return cmd
}

// complaint adds what the command complained of to why it failed.
func complaint(cmd *exec.Cmd, err error) error {
	text := strings.TrimSpace(cmd.Stderr.(*bytes.Buffer).String())
	if n := len(text); n > 500 {
		text = text[n-500:]
	}
	return fmt.Errorf("%w: %s", err, text)
}

// lastLine is what --json printed last.
func lastLine(out []byte, into any) error {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return json.Unmarshal(lines[len(lines)-1], into)
}
