package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fara/env/chrome"
	"fara/env/envtest"
	"fara/model"
	"fara/model/modeltest"
)

// outcome is what one call of the command left behind.
type outcome struct {
	code           int
	stdout, stderr string
}

// call is one call of the command: its arguments, its environment, its input.
type call struct {
	args  []string
	env   map[string]string
	stdin string
}

func (c call) run(t *testing.T) outcome {
	t.Helper()
	return c.runIn(t, t.Context())
}

func (c call) runIn(t *testing.T, ctx context.Context) outcome {
	t.Helper()
	in := filepath.Join(t.TempDir(), "stdin")
	if err := os.WriteFile(in, []byte(c.stdin), 0o600); err != nil {
		t.Fatal(err)
	}
	stdin, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	var stdout, stderr bytes.Buffer
	p := &program{args: c.args, stdin: stdin, stdout: &stdout, stderr: &stderr, getenv: func(k string) string { return c.env[k] }}
	code := p.run(ctx)
	return outcome{code, stdout.String(), stderr.String()}
}

func fara(t *testing.T, args ...string) outcome {
	t.Helper()
	return call{args: args}.run(t)
}

// oneLine checks that a refusal is one line that says what is wanted.
func (o outcome) oneLine(t *testing.T, code int, wants ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code: got %d, want %d; stderr %q", o.code, code, o.stderr)
	}
	if strings.Count(o.stderr, "\n") != 1 || !strings.HasPrefix(o.stderr, "fara: ") {
		t.Errorf("stderr is not one line of ours: %q", o.stderr)
	}
	for _, w := range wants {
		if !strings.Contains(o.stderr, w) {
			t.Errorf("stderr lacks %q: %q", w, o.stderr)
		}
	}
	if o.stdout != "" {
		t.Errorf("stdout: got %q, want nothing", o.stdout)
	}
}

// serveModel serves a model on this machine until the test ends.
func serveModel(t *testing.T, cfg modeltest.Config, brain model.Chatter) *modeltest.Server {
	t.Helper()
	s, err := cfg.Serve(brain)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func needBrowser(t *testing.T) {
	t.Helper()
	envtest.NeedBrowser(t, chrome.Find)
}

// empty checks that a folder has nothing in it, or does not exist.
func empty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if len(entries) > 0 {
		t.Errorf("%s: got %d entries, want nothing half-written", dir, len(entries))
	}
}

// lines reads JSON lines.
func lines(t *testing.T, text string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for line := range strings.Lines(text) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q is not a JSON object: %v", line, err)
		}
		out = append(out, m)
	}
	return out
}
