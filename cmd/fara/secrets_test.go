package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fara/model/modeltest"
	"fara/trajectory"
)

func TestSecretsThatCannotBeUsedAreWrongUsageAndChangeNothing(t *testing.T) {
	env := map[string]string{"EMPTY": "", "BLANK": " ", "SHORT": "a1b", "GOOD": "kX9-vLq2-Trw7", "LINES": "kX9\nvLq2"}
	for _, c := range []struct {
		secrets []string
		want    string
	}{
		{[]string{"PW=env:EMPTY@a.test"}, "--secret PW: its environment variable is empty or not set"},
		{[]string{"PW=env:NOT_SET@a.test"}, "empty or not set"},
		{[]string{"PW=env:BLANK@a.test"}, "is empty"},
		{[]string{"PW=env:SHORT@a.test"}, "fewer than 4"},
		{[]string{"PW=env:LINES@a.test"}, "several lines"},
		{[]string{"PW=env:GOOD"}, "no site"},
		{[]string{"PW=env:GOOD@"}, "no site"},
		{[]string{"PW=env:GOOD@a b"}, "is no site"},
		{[]string{"PW=env:GOOD@http://kX9-vLq2-Trw7@a.test"}, "not set"},
		{[]string{"PW=kX9-vLq2-Trw7@a.test"}, "the value itself has no place here"},
		{[]string{"kX9-vLq2-Trw7"}, "begins with its name"},
		{[]string{"PW=file:/nonexistent/kX9-vLq2-Trw7@a.test"}, "cannot be opened"},
		{[]string{"OTP=totp:env:GOOD@a.test"}, "no seed"},
		{[]string{"PW=env:GOOD@a.test", "PW=env:GOOD@b.test"}, "given twice"},
		{[]string{""}, "begins with its name"},
	} {
		out := filepath.Join(t.TempDir(), "runs")
		args := []string{"run", "x", "--url", "a.test", "--endpoint", "http://127.0.0.1:1", "--out", out}
		for _, s := range c.secrets {
			args = append(args, "--secret", s)
		}
		got := call{args: args, env: env}.run(t)
		got.oneLine(t, exitUsage, c.want)
		if strings.Contains(got.stderr, "Trw7") || strings.Contains(got.stderr, "a1b") {
			t.Errorf("%q: the value is repeated: %s", c.secrets, got.stderr)
		}
		empty(t, out)
	}
}

// signIn has a login by POST that fills a whole page: the password above, the button
// below.
func signIn(t *testing.T, got *[]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			*got = append(*got, r.FormValue("pw"))
		}
		io.WriteString(w, `<!doctype html><title>Sign in</title><body style="margin:0"><form method="post"><input type="password" name="pw" aria-label="Password" style="position:absolute;left:0;top:0;width:1440px;height:400px"><button style="position:absolute;left:0;top:450px;width:1440px;height:400px">Sign in</button></form>`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestASecretIsTypedWithoutAYesAndSentWithOne(t *testing.T) {
	needBrowser(t)
	var got []string
	bank := signIn(t, &got)
	env := map[string]string{"PW": "kX9-vLq2-Trw7"}
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(
		typing("<secret>PW</secret>", "200"), clicking("500", "700"),
		tool("Done.", `{"action": "terminate", "answer": "in"}`),
	))
	run := call{args: []string{"run", "Sign in.", "--url", bank, "--endpoint", srv.URL(), "--secret", "PW=env:PW@127.0.0.1", "--json", "--out", t.TempDir()}, env: env}.run(t)
	if run.code != exitWaiting || len(got) != 0 {
		t.Fatalf("exit code %d, sent %q: want it to wait for a yes to sending: %s%s", run.code, got, run.stdout, run.stderr)
	}
	all := lines(t, run.stdout)
	dir := all[len(all)-1]["dir"].(string)
	read, err := trajectory.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, e := range read.Events {
		if e.Decided != nil && len(e.Decided.Classes) > 0 {
			codes = append(codes, e.Decided.Code)
		}
	}
	if !slices.Equal(codes, []string{"secret_bound"}) || read.Result.Approval == nil || !slices.Contains(read.Result.Approval.Classes, "submit") {
		t.Errorf("decided by %q, waits with %+v", codes, read.Result.Approval)
	}
	// A run that goes on takes the variable again, and a name that it was not told of is
	// refused.
	call{args: []string{"resume", dir, "--secret", "PIN=env:PW@127.0.0.1"}, env: env}.run(t).oneLine(t, exitUsage, "--secret PIN", "begun without it")
	call{args: []string{"resume", dir}}.run(t).oneLine(t, exitUsage, "PW (from env:PW@127.0.0.1: its environment variable is empty or not set")
	call{args: []string{"resume", dir, "--secret", "PW=env:ELSE@127.0.0.1"}}.run(t).oneLine(t, exitUsage, "--secret PW", "empty or not set")
	call{args: []string{"resume", dir, "--secret", "PW=env:PW@127.0.0.1"}, env: map[string]string{"PW": "   "}}.run(t).oneLine(t, exitUsage, "is empty")
	if data, err := os.ReadFile(filepath.Join(dir, "task.json")); err != nil || !json.Valid(data) || bytes.Contains(data, []byte("Trw7")) || !bytes.Contains(data, []byte(`"PW=env:PW@127.0.0.1"`)) {
		t.Errorf("task.json: %v, %s", err, data)
	}
}

func TestARuleThatDeniesCredentialsIsAboveASecret(t *testing.T) {
	needBrowser(t)
	var got []string
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte("rules:\n  - {class: credentials, do: deny}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(typing("<secret>PW</secret>", "200"), tool("No.", `{"action": "terminate", "status": "failure", "answer": "no"}`)))
	run := call{args: []string{"run", "Sign in.", "--url", signIn(t, &got), "--endpoint", srv.URL(), "--policy", rules, "--secret", "PW=env:PW@127.0.0.1", "--json", "--out", t.TempDir()},
		env: map[string]string{"PW": "kX9-vLq2-Trw7"}}.run(t)
	if !strings.Contains(run.stdout, `"reason":"rule_deny"`) {
		t.Errorf("got %s%s", run.stdout, run.stderr)
	}
}

func TestWordsOfOursStayWhenTheyAreAValue(t *testing.T) {
	needBrowser(t)
	for _, value := range []string{"click", "step", "4711", "left_click", "success", "true"} {
		srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(tool("I look.", `{"action": "left_click", "coordinate": [500, 500]}`), tool("Done.", `{"action": "terminate", "answer": "ok"}`)))
		got := call{args: []string{"run", "Look.", "--url", site(t, "hello"), "--endpoint", srv.URL(), "--secret", "PW=env:PW@a.test", "--json", "--out", t.TempDir()}, env: map[string]string{"PW": value}}.run(t)
		if got.code != exitSuccess {
			t.Errorf("%q: exit code %d: %s%s", value, got.code, got.stdout, got.stderr)
			continue
		}
		all := lines(t, got.stdout)
		last := all[len(all)-1]
		run, err := trajectory.Read(fmt.Sprint(last["dir"]))
		if err != nil || last["type"] != "result" || run.Result.Status != trajectory.Success || all[1]["type"] != "step" || all[1]["action"] != "left_click" {
			t.Errorf("%q: got %v and %v", value, err, last)
			continue
		}
		if got := fara(t, "prompt", run.Dir, "--step", "2"); got.code != exitSuccess {
			t.Errorf("%q: fara prompt: %s", value, got.stderr)
		}
		if got := fara(t, "judge", run.Dir, "--assert", "answer is ok"); got.code != exitSuccess {
			t.Errorf("%q: fara judge: %s%s", value, got.stdout, got.stderr)
		}
	}
}

func TestAStateIsKeptWithoutAddressesThatHoldAValue(t *testing.T) {
	p := &program{getenv: func(string) string { return "kX9-vLq2-Trw7" }, stdout: io.Discard, stderr: io.Discard}
	s := secretFlags{given: []string{"PW=env:PW@a.test"}}
	if err := p.keepSecrets(&s, nil); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"https://a.test/in?q=1#x":                 "https://a.test/in?q=1#x",
		"https://a.test/in?pw=kX9-vLq2-Trw7&b=1":  "https://a.test/in",
		"https://a.test/in#kX9%2DvLq2-Trw7":       "https://a.test/in",
		"https://a.test/kX9-vLq2-Trw7/x":          "https://a.test/",
		"https://kX9-vLq2-Trw7.a.test/":           "about:blank",
		"data:text/html,kX9-vLq2-Trw7":            "about:blank",
		"https://a.test/in?a=%zz&p=kX9-vLq2-Trw7": "https://a.test/in",
	} {
		given, _ := json.Marshal(map[string]any{"version": 1, "tabs": []map[string]any{{"url": address, "x": 1.5}}, "cookies": []string{"c"}})
		got, err := s.state(func(context.Context) ([]byte, error) { return given, nil })(t.Context())
		var state struct {
			Version int
			Tabs    []struct {
				URL string
				X   float64
			}
			Cookies []string
		}
		if err != nil || json.Unmarshal(got, &state) != nil || state.Tabs[0].URL != want || state.Tabs[0].X != 1.5 || state.Version != 1 || len(state.Cookies) != 1 {
			t.Errorf("%s: got %s, %v, want %s", address, got, err, want)
		}
	}
}

// A field that shows a value is not filled with what stands for it.
func TestFieldsThatHoldAValueAreNotPutBack(t *testing.T) {
	p := &program{getenv: func(string) string { return "correct-horse" }, stdout: io.Discard, stderr: io.Discard}
	s := secretFlags{given: []string{"PW=env:PW@shop.test"}}
	if err := p.keepSecrets(&s, nil); err != nil {
		t.Fatal(err)
	}
	for text, kept := range map[string]bool{"Ada": true, "correct-horse": false, "say correct-horse to <me>": false} {
		raw, err := json.Marshal(map[string]any{"tabs": []map[string]any{{"url": "https://shop.test/", "entered": []map[string]any{{"fields": []map[string]any{{"value": text}}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.state(func(context.Context) ([]byte, error) { return raw, nil })(t.Context())
		if err != nil || strings.Contains(string(got), "entered") != kept {
			t.Errorf("%q: got %s, %v, want it kept: %t", text, got, err, kept)
		}
	}
}
