package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"

	"fara/model/modeltest"
)

// counter is a site of one form that is filled in, added up and left, all by scripts.
// What is in it stands at fixed places of a page of 1440x896.
type counter struct {
	mu    sync.Mutex
	moved bool // the button Add is elsewhere
}

func (c *counter) move() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved = true
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.URL.Path != "/" {
		fmt.Fprintf(w, `<!doctype html><title>Thanks</title><h1>Thanks for visit %s</h1>`, r.URL.Path)
		return
	}
	left := 700
	if c.moved {
		left = 900
	}
	fmt.Fprintf(w, `<!doctype html><title>Form</title>
<style>body{margin:0;height:2000px;font:16px sans-serif} input,button,p,select,a{position:absolute;margin:0;height:40px} input,button{width:180px}</style>
<input aria-label="First name" style="left:100px;top:100px"><input aria-label="Last name" style="left:400px;top:100px">
<input aria-label="Town" style="left:100px;top:200px"><input style="left:400px;top:200px">
<button style="left:%dpx;top:100px" onclick="n.textContent=+n.textContent+1">Add</button>
<button style="left:700px;top:200px" onclick="alert('hello')">Say hello</button>
<p id=n style="left:100px;top:300px;font-size:40px">0</p>
<a href="/thanks" target=_blank style="left:400px;top:300px;width:180px">Open a tab</a>
<button style="left:100px;top:1300px" onclick="location='/thanks'">Leave</button>`, left)
}

// in is a point of a page of 1440x896, in thousandths.
func in(x, y int) string { return fmt.Sprintf("[%d, %d]", (x*1000+720)/1440, (y*1000+448)/896) }

func point(action string, x, y int) modeltest.Answer {
	return tool("I do.", fmt.Sprintf(`{"action": %q, "coordinate": %s}`, action, in(x, y)))
}

func write(x, y int, text string) modeltest.Answer {
	return tool("I type.", fmt.Sprintf(`{"action": "type", "coordinate": %s, "text": %q}`, in(x, y), text))
}

// filling is a run of 16 steps through the form.
func filling() []modeltest.Answer {
	return []modeltest.Answer{
		write(190, 120, "Ada"), write(490, 120, "Lovelace"), write(190, 220, "London"), write(490, 220, "no name"),
		point("left_click", 790, 120), point("left_click", 790, 120), point("double_click", 790, 120),
		point("left_click", 790, 220), point("mouse_move", 1000, 600),
		tool("I remember.", `{"action": "pause_and_memorize_fact", "fact": "It says 4."}`),
		tool("I press.", `{"action": "key", "keys": ["Tab"]}`), tool("I wait.", `{"action": "wait", "time": 0.2}`),
		tool("I scroll.", `{"action": "scroll", "coordinate": `+in(1000, 600)+`, "pixels": -1000}`),
		point("left_click", 190, 424), tool("Back.", `{"action": "history_back"}`),
		tool("Done.", `{"action": "terminate", "answer": "4"}`),
	}
}

// recorded does a run and gives its folder. Its model's server is gone when it returns.
func recorded(t *testing.T, url string, answers []modeltest.Answer, args ...string) string {
	t.Helper()
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(answers...))
	defer srv.Close()
	out := t.TempDir()
	got := fara(t, append([]string{"run", "Fill in the form.", "--url", url, "--endpoint", srv.URL(), "--out", out}, args...)...)
	dirs, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("exit code %d, folders %v: %s", got.code, dirs, got.stderr)
	}
	return dirs[0]
}

// replayed plays a run again, and gives the lines of --json, the report last.
func replayed(t *testing.T, dir string, code int, args ...string) (steps []map[string]any, report map[string]any) {
	t.Helper()
	got := fara(t, append([]string{"replay", dir, "--json", "--out", t.TempDir()}, args...)...)
	all := lines(t, got.stdout)
	if got.code != code || len(all) == 0 {
		t.Fatalf("exit code %d, want %d: %s%s", got.code, code, got.stdout, got.stderr)
	}
	return all[:len(all)-1], all[len(all)-1]
}

func TestReplayOfAFormIsTheSameTwiceWithoutAModel(t *testing.T) {
	pages := httptest.NewServer(&counter{})
	t.Cleanup(pages.Close)
	dir := recorded(t, pages.URL, filling())
	for range 2 {
		steps, report := replayed(t, dir, exitSuccess, "--tolerance", "0")
		if report["type"] != "replay" || report["status"] != "same" || report["model_calls"] != 0.0 || report["frames"] != 16.0 || report["actions"] != 15.0 {
			t.Errorf("the report is %v", report)
		}
		if len(steps) != 17 { // the first visit, then the run's 16
			t.Errorf("got %d steps, want 17", len(steps))
		}
	}
}
