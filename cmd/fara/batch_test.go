package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

// quick answers every request in a run's second step with what the first one found:
// a click, and then the end.
func quick() *modeltest.Script {
	return modeltest.NewEndlessScript(byTurn(
		tool("The red box.", `{"action": "left_click", "coordinate": [750, 250]}`),
		tool("Done.", `{"action": "terminate", "answer": "clicked"}`),
	))
}

// byTurn gives the answer of as many turns as the request has behind it, whatever
// other runs ask meanwhile.
func byTurn(answers ...modeltest.Answer) modeltest.Answer {
	return func(ctx context.Context, req model.Request) (model.Reply, error) {
		turn := 0
		for _, m := range req.Messages {
			if m.Role == model.Assistant {
				turn++
			}
		}
		return answers[min(turn, len(answers)-1)](ctx, req)
	}
}

// tasksFile writes a file of tasks, one JSON object for each.
func tasksFile(t *testing.T, tasks ...map[string]any) string {
	t.Helper()
	var text strings.Builder
	for _, task := range tasks {
		line, err := json.Marshal(task)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s\n", line)
	}
	path := filepath.Join(t.TempDir(), "tasks.jsonl")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// manyTasks are tasks on one page.
func manyTasks(n int, url string) (tasks []map[string]any) {
	for i := range n {
		tasks = append(tasks, map[string]any{"id": fmt.Sprintf("t%02d", i), "task": fmt.Sprintf("Click box %d.", i), "url": url})
	}
	return tasks
}

func TestBatchDoesEveryTaskOnceAndSaysHow(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{}, quick())
	tasks := manyTasks(3, site(t, target))
	tasks = append(tasks,
		map[string]any{"id": "checked", "task": "Click.", "url": site(t, target), "checks": []string{"answer is clicked"}, "meta": map[string]any{"level": "easy"}},
		map[string]any{"id": "short", "task": "Click.", "url": site(t, target), "limits": map[string]any{"max_steps": 1}},
		map[string]any{"id": "gone", "task": "Click.", "url": "http://nowhere.invalid/"},
	)
	file, out := tasksFile(t, tasks...), filepath.Join(t.TempDir(), "out")
	args := []string{"batch", file, "--endpoint", srv.URL(), "--out", out, "--json", "--workers", "2", "--samples", "2", "--temperatures", "0,0.5"}
	got := fara(t, args...)
	if got.code != exitNoSuccess {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	all := lines(t, got.stdout)
	sum := all[len(all)-1]
	if sum["type"] != "summary" || sum["ended"] != 12.0 || sum["remaining"] != 0.0 {
		t.Errorf("the summary is %v", sum)
	}
	if s := sum["statuses"].(map[string]any); s["success"] != 8.0 || s["budget_exhausted"] != 2.0 || s["failure"] != 2.0 {
		t.Errorf("statuses %v", s)
	}
	if v := sum["verified"].(map[string]any); v["assertions"] != 2.0 || sum["unverified"] != 6.0 {
		t.Errorf("verified %v, unverified %v", v, sum["unverified"])
	}
	seen := map[string]map[string]any{}
	for _, l := range all {
		if l["type"] == "task" {
			key := fmt.Sprint(l["id"], "#", l["sample"])
			if seen[key] != nil {
				t.Errorf("%s ended twice", key)
			}
			seen[key] = l
		}
	}
	for key, l := range seen {
		if l["status"] == "failure" {
			continue
		}
		run, err := trajectory.Read(l["dir"].(string))
		if err != nil {
			t.Fatal(err)
		}
		if f := run.Task.Flags; len(f["seed"]) != 1 || len(f["url"]) != 1 {
			t.Errorf("%s: a resumed run would not know its flags: %v", key, f)
		}
		s, began := run.Task.Sample, run.Events[0].Started
		if s == nil || fmt.Sprint(s.Task, "#", s.Number) != key || *began.Seed != s.Number || began.Temperature != float64(s.Number-1)*0.5 {
			t.Errorf("%s: sample %+v, seed %v, temperature %v", key, s, began.Seed, began.Temperature)
		}
	}
	for _, r := range srv.Requests() {
		if r.Seed == nil || *r.Seed < 1 || *r.Seed > 2 || r.Temperature != float64(*r.Seed-1)*0.5 {
			t.Errorf("a request was sent with seed %v and temperature %v", r.Seed, r.Temperature)
		}
	}

	before := len(srv.Requests())
	again := fara(t, args...)
	if after := lines(t, again.stdout); again.code != exitNoSuccess || len(after) != 1 || len(srv.Requests()) != before {
		t.Errorf("a second call: exit code %d, %d lines, %d requests more", again.code, len(after), len(srv.Requests())-before)
	}
	fara(t, append(args, "--max-images", "2")...).oneLine(t, exitUsage, "another batch", "--max-images", "--out")
}

func TestBatchGoesOnWhenASiteAsksToBeLeftAlone(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{}, quick())
	var asked atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		fmt.Fprint(w, target)
	}))
	t.Cleanup(web.Close)
	got := fara(t, "batch", tasksFile(t, manyTasks(2, web.URL)...), "--endpoint", srv.URL(), "--out", filepath.Join(t.TempDir(), "out"), "--json", "--workers", "1")
	all := lines(t, got.stdout)
	sum := all[len(all)-1]
	if got.code != exitSuccess || sum["statuses"].(map[string]any)["success"] != 2.0 || !strings.Contains(got.stdout, "left alone until") {
		t.Errorf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
}
