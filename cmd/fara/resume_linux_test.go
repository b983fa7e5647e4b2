package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fara/agent"
	"fara/model"
	"fara/model/modeltest"
	"fara/scripts/commandtest"
	"fara/trajectory"
)

// corridor is a site of doors, each of which leads on by a POST that counts.
type corridor struct {
	mu      sync.Mutex
	at      int         // the door one stands before
	posts   map[int]int // how often each was gone through
	strange []string    // what no sound browser does
}

const doors = 5

func (c *corridor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	here := fmt.Sprintf("/door/%d", c.at)
	cookie, _ := r.Cookie("visitor")
	switch {
	case r.URL.Path == "/favicon.ico":
		http.NotFound(w, r)
	case cookie == nil && c.at > 0:
		c.strange = append(c.strange, r.Method+" "+r.URL.Path+" without its cookie")
		http.Error(w, "who are you?", http.StatusForbidden)
	case r.Method == http.MethodPost:
		var door int
		fmt.Sscanf(r.URL.Path, "/door/%d", &door)
		c.posts[door]++
		if door != c.at {
			c.strange = append(c.strange, fmt.Sprintf("door %d was gone through from door %d", door, c.at))
		}
		c.at = door + 1
		http.Redirect(w, r, fmt.Sprintf("/door/%d", c.at), http.StatusSeeOther)
	case r.URL.Path != here:
		http.Redirect(w, r, here, http.StatusSeeOther)
	default:
		http.SetCookie(w, &http.Cookie{Name: "visitor", Value: "ada"})
		fmt.Fprintf(w, `<!doctype html><title>Door %d</title><body style="margin:0;background:hsl(%d 60%% 80%%)">`, c.at, 60*c.at)
		if c.at < doors {
			name := "Next"
			if c.at == 3 {
				name = "Buy now"
			}
			fmt.Fprintf(w, `<form method=post><button style="position:absolute;left:0;top:0;width:100vw;height:100vh;font-size:60px">%s</button></form>`, name)
		}
	}
}

// visitor is a model that goes through one door after the other. It asks once, and
// looks where it is when it is not known whether it went.
func visitor(ctx context.Context, req model.Request) (model.Reply, error) {
	var all []string
	for _, m := range req.Messages {
		all = append(all, m.Text)
	}
	said, now := strings.Join(all, "\n"), all[len(all)-1]
	switch {
	case strings.Contains(now, "It is not known whether your last action was done"):
		return tool("I look.", `{"action": "wait", "time": 0.1}`)(ctx, req)
	case strings.Contains(now, fmt.Sprintf("/door/%d", doors)):
		return tool("I am there.", `{"action": "terminate", "answer": "the last door"}`)(ctx, req)
	case strings.Contains(now, "/door/2") && !strings.Contains(said, "the blue one"):
		return tool("I ask.", `{"action": "ask_user_question", "question": "Which one?"}`)(ctx, req)
	}
	return tool("I go.", `{"action": "left_click", "coordinate": [500, 500]}`)(ctx, req)
}

// logOf gives the only run's folder below out and its log; empty when there is none.
func logOf(out string) (dir string, log []byte) {
	dirs, _ := filepath.Glob(filepath.Join(out, "*"))
	if len(dirs) == 0 {
		return "", nil
	}
	log, _ = os.ReadFile(filepath.Join(dirs[0], "events.jsonl"))
	return dirs[0], log
}

// The program is killed again and again while it goes through doors that count, at
// instants that chance chooses, and goes on each time: every door is gone through
// once, nothing that was recorded changes, and nothing is left behind.
func TestARunSurvivesKillsAtAnyInstant(t *testing.T) {
	needBrowser(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	chance := rand.New(rand.NewPCG(seed, 0))
	site := &corridor{posts: map[int]int{}}
	pages := httptest.NewServer(site)
	t.Cleanup(pages.Close)
	srv := serveModel(t, modeltest.Config{}, modeltest.NewEndlessScript(visitor))
	out := t.TempDir()
	kills := 0
	for range 60 {
		dir, before := logOf(out)
		args := []string{"run", "Go to the last door.", "--url", pages.URL, "--endpoint", srv.URL(), "--out", out}
		if len(before) > 0 {
			args = append([]string{"resume", dir, "--endpoint", srv.URL()}, whatItWaitsFor(t, dir)...)
		} else if dir != "" { // killed before it began
			os.RemoveAll(dir)
		}
		p := start(t, nil, args...)
		if kills < 12 {
			wanted := bytes.Count(before, []byte("\n")) + 1 + chance.IntN(12)
			if p.killed(t, out, wanted, time.Duration(chance.IntN(200))*time.Millisecond) {
				kills++
			}
		}
		code := p.Ends(t, time.Minute)
		commandtest.Eventually(t, 5*time.Second, "the browser dies with its owner", func() bool { return len(p.browsers(t)) == 0 })
		dir, after := logOf(out)
		if !bytes.HasPrefix(after, before[:bytes.LastIndexByte(before, '\n')+1]) {
			t.Fatal("what was recorded has changed")
		}
		// A kill between the last event and the result leaves the run ended, too.
		ended := code == exitUsage && strings.Contains(p.Complained.String(), "has ended (success, terminate)")
		if code == exitSuccess || ended {
			site.check(t, dir, kills)
			return
		}
		if code != exitWaiting && code != -1 && len(before) > 0 {
			t.Fatalf("exit code %d: %s", code, p.Complained.String())
		}
	}
	t.Fatalf("the run did not come to an end in spite of %d kills", kills)
}

// killed kills the program once its log has that many lines and some time has
// passed, unless it ends before.
func (p *process) killed(t *testing.T, out string, lines int, later time.Duration) bool {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		_, log := logOf(out)
		select {
		case <-p.Ended():
			return false
		case <-limit:
			t.Fatalf("the log has %d lines after half a minute: %s", bytes.Count(log, []byte("\n")), p.Complained.String())
		case <-time.After(2 * time.Millisecond):
		}
		if bytes.Count(log, []byte("\n")) >= lines {
			break
		}
	}
	select {
	case <-p.Ended():
		return false
	case <-time.After(later):
	}
	return p.Process.Signal(syscall.SIGKILL) == nil
}

// whatItWaitsFor are the flags with which a person answers.
func whatItWaitsFor(t *testing.T, dir string) []string {
	t.Helper()
	run, err := trajectory.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	switch asked := agent.Waiting(run.Events); {
	case asked == nil:
		return nil
	case asked.Approval != nil:
		if !slices.Contains(asked.Approval.Classes, "buy") || asked.Approval.Hit.Name != "Buy now" {
			t.Errorf("it waits for %+v", asked.Approval)
		}
		return []string{"--approval", "yes"}
	}
	return []string{"--answer", "the blue one"}
}

func (c *corridor) check(t *testing.T, dir string, kills int) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for door := range doors {
		if c.posts[door] != 1 {
			t.Errorf("door %d was gone through %d times", door, c.posts[door])
		}
	}
	if len(c.strange) > 0 {
		t.Errorf("the site saw %q", c.strange)
	}
	run, err := trajectory.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	restarts, unsure := 0, 0
	for _, e := range run.Events {
		if e.Resumed != nil {
			restarts++
			if e.Resumed.Uncertain != nil {
				unsure++
			}
		}
	}
	bought := slices.IndexFunc(run.Result.Effects, func(e trajectory.Effect) bool { return slices.Contains(e.Classes, "buy") })
	if run.Result.Answer != "the last door" || bought < 0 || kills < 2 || restarts < 2 {
		t.Errorf("after %d kills and %d restarts: %+v", kills, restarts, run.Result)
	}
	t.Logf("%d kills, %d restarts, %d of them with an action of which nobody knew, %d events", kills, restarts, unsure, len(run.Events))
	if _, err := os.Stat(filepath.Join(dir, "state.json")); err == nil {
		t.Error("the state of the browser is kept though the run is over")
	}
}
