package main

import (
	"bytes"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fara/model/modeltest"
	"fara/scripts/commandtest"
)

func TestCtrlCEndsAReplayWithAReportAndLeavesNothing(t *testing.T) {
	form := &counter{}
	pages := httptest.NewServer(form)
	t.Cleanup(pages.Close)
	dir, out := recorded(t, pages.URL, filling()[:1]), t.TempDir()
	form.move()
	p := start(t, nil, "replay", dir, "--wait", "1m", "--out", out) // for a page that never is what it was
	commandtest.Eventually(t, 20*time.Second, "the first visit is over", func() bool { return strings.Contains(p.Complained.String(), "visit_url") })
	p.interrupt(t)
	reports, _ := filepath.Glob(filepath.Join(out, "*", "replay.json"))
	if len(reports) != 1 {
		t.Fatalf("got reports %v, want one", reports)
	}
	raw, err := os.ReadFile(reports[0])
	if err != nil || !bytes.Contains(raw, []byte(`"reason": "interrupted"`)) {
		t.Errorf("the report is %s, %v", raw, err)
	}
}

// A secret is typed by a replay as by the run, from where the user keeps it, and is
// nowhere in what the replay leaves.
func TestReplayTypesSecretsAndKeepsThem(t *testing.T) {
	const value = "kX9-vLq2-Trw7"
	needBrowser(t)
	url := site(t, `<!doctype html><title>Log in</title><input type=password aria-label=Password oninput="document.title=this.value" style="position:absolute;left:100px;top:100px">`)
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(write(120, 110, "<secret>PW</secret>"), tool("Done.", `{"action": "terminate", "answer": "typed"}`)))
	runs, out := t.TempDir(), t.TempDir()
	with := map[string]string{"PW": value}
	got := call{args: []string{"run", "Log in.", "--url", url, "--endpoint", srv.URL(), "--secret", "PW=env:PW@127.0.0.1", "--out", runs}, env: with}.run(t)
	dirs, _ := filepath.Glob(filepath.Join(runs, "*"))
	if len(dirs) != 1 || got.code != exitSuccess {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	fara(t, "replay", dirs[0], "--out", out).oneLine(t, exitUsage, "PW", "--secret")
	if list := fara(t, "replay", dirs[0], "--list"); !strings.Contains(list.stdout, `Password  (step 1)  "<secret>PW</secret>"`) {
		t.Errorf("--list: %q", list.stdout)
	}
	got = call{args: []string{"replay", dirs[0], "--out", out, "--json"}, env: with}.run(t)
	if got.code != exitSuccess || strings.Contains(got.stdout+got.stderr, value) {
		t.Errorf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	err := fs.WalkDir(os.DirFS(out), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(filepath.Join(out, path))
		if bytes.Contains(raw, []byte(value)) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
