package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"fara/env"
	"fara/model/modeltest"
	"fara/trajectory"
)

// A button that says nothing of what it does, and a page that asks before it does it.
func TestAPagesOwnQuestionNeedsTheSameYes(t *testing.T) {
	needBrowser(t)
	var deleted atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Account</title><body style="margin:0"><button type=button style="position:absolute;left:0;top:0;width:100vw;height:100vh"
			onclick="if (confirm('Delete your account for ever?')) fetch('/delete', {method: 'POST'})">Next page</button>`)
	})
	mux.HandleFunc("POST /delete", func(http.ResponseWriter, *http.Request) { deleted.Add(1) })
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	click := tool("I go on.", order)
	run := func(args ...string) (outcome, map[string]any) {
		srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(click, click, tool("It is done.", finish)))
		got := fara(t, append([]string{"run", "Look around.", "--url", site.URL, "--endpoint", srv.URL(), "--json", "--out", t.TempDir()}, args...)...)
		all := lines(t, got.stdout)
		return got, all[len(all)-1]
	}
	got, last := run()
	if got.code != exitWaiting || last["status"] != string(trajectory.NeedsApproval) || last["reason"] != "delete" || deleted.Load() != 0 {
		t.Fatalf("exit code %d, deleted %d times: %v\n%s", got.code, deleted.Load(), last, got.stderr)
	}
	told, err := trajectory.Read(last["dir"].(string))
	if err != nil {
		t.Fatal(err)
	}
	declined := 0
	for _, e := range told.Events {
		if e.Observed == nil {
			continue
		}
		for _, n := range e.Observed.Notes {
			if n.Kind == env.NoteDeclined && strings.Contains(n.Quote, "for ever") {
				declined++
			}
		}
	}
	if declined != 1 {
		t.Errorf("the model was told %d times that it was answered with no", declined)
	}
	// A person's yes is for the deed, so for the page's question too.
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(tool("It is done.", finish)))
	if got := fara(t, "resume", last["dir"].(string), "--approval", "yes", "--endpoint", srv.URL()); got.code != exitSuccess || deleted.Load() != 1 {
		t.Errorf("allowed: exit code %d, deleted %d times: %s", got.code, deleted.Load(), got.stderr)
	}
	for _, c := range []struct {
		flag, value string
		deleted     int32
	}{{"--approve", "never", 2}, {"--dialogs", "accept", 2}, {"--dialogs", "dismiss", 0}} {
		deleted.Store(0)
		if got, last := run(c.flag, c.value); got.code != exitSuccess || deleted.Load() != c.deleted {
			t.Errorf("%s %s: exit code %d, deleted %d times, want %d: %v", c.flag, c.value, got.code, deleted.Load(), c.deleted, last)
		}
	}
}
