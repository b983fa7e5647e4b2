package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
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

// filling is a run of 18 steps through the form.
func filling() []modeltest.Answer {
	return []modeltest.Answer{
		write(190, 120, "Ada"), write(490, 120, "Lovelace"), write(190, 220, "London"), write(490, 220, "no name"),
		point("left_click", 790, 120), point("left_click", 790, 120), point("double_click", 790, 120),
		point("left_click", 790, 220), point("mouse_move", 1000, 600),
		tool("I remember.", `{"action": "pause_and_memorize_fact", "fact": "It says 4."}`),
		tool("I press.", `{"action": "key", "keys": ["Tab"]}`), tool("I wait.", `{"action": "wait", "time": 0.2}`),
		tool("I scroll.", `{"action": "scroll", "coordinate": `+in(1000, 600)+`, "pixels": -1000}`),
		point("left_click", 190, 424), tool("Back.", `{"action": "history_back"}`),
		tool("I scroll up.", `{"action": "scroll", "coordinate": `+in(1000, 600)+`, "pixels": 1000}`), point("left_click", 490, 320),
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

// firstDifference is the kind of a report's first difference, and its step.
func firstDifference(report map[string]any) string {
	return fmt.Sprint(report["reason"], " in step ", report["first_difference"])
}

// One run of 18 steps with fields, a message, a tab that stays behind and a page further
// down is played in several ways; the last one changes the site.
func TestReplayOfAForm(t *testing.T) {
	form := &counter{}
	pages := httptest.NewServer(form)
	t.Cleanup(pages.Close)
	dir := recorded(t, pages.URL, filling())
	t.Run("is the same twice without a model", func(t *testing.T) { sameTwice(t, dir) })
	t.Run("types new values by name", func(t *testing.T) { newValues(t, dir) })
	t.Run("of a killed run goes as far as it went", func(t *testing.T) { killedRun(t, dir) })
	form.move()
	t.Run("names the step in which a button has moved", func(t *testing.T) { movedButton(t, dir) })
}

func sameTwice(t *testing.T, dir string) {
	for range 2 {
		steps, report := replayed(t, dir, exitSuccess, "--tolerance", "0")
		if report["type"] != "replay" || report["status"] != "same" || report["model_calls"] != 0.0 || report["frames"] != 18.0 || report["actions"] != 17.0 {
			t.Errorf("the report is %v", report)
		}
		if len(steps) != 19 { // the first visit, then the run's 18
			t.Errorf("got %d steps, want 19", len(steps))
		}
		if notes := fmt.Sprint(steps[9]["notes"], steps[18]["notes"]); !strings.Contains(notes, "kind:dialog") || !strings.Contains(notes, "kind:tab") {
			t.Errorf("of the message and the new tab it tells %s", notes)
		}
		for _, step := range steps {
			if step["step"] == 10.0 && (step["action"] != nil || !strings.Contains(step["skipped"].(string), "remembered")) {
				t.Errorf("what was remembered: %v", step)
			}
			if step["step"] == 15.0 && !strings.HasSuffix(step["url"].(string), "/thanks") {
				t.Errorf("after the scroll and the click it is at %v", step["url"])
			}
		}
	}
}

func newValues(t *testing.T, dir string) {
	got := fara(t, "replay", dir, "--list")
	if want := "First name  (step 1)  \"Ada\"\nLast name  (step 2)  \"Lovelace\"\nTown  (step 3)  \"London\"\ntext1  (step 4)  \"no name\"\n"; got.code != exitSuccess || got.stdout != want {
		t.Errorf("--list: exit code %d, got %q, want %q", got.code, got.stdout, want)
	}
	fara(t, "replay", dir, "--set", "Street=x").oneLine(t, exitUsage, "Street", "First name, Last name, Town, text1")
	steps, report := replayed(t, dir, exitSuccess, "--set", "First name=Grace", "--set", "text1=Hopper = 1")
	if report["status"] != "same" {
		t.Fatalf("got %v: %v", report["status"], report["message"])
	}
	second := steps[2] // the first visit is before step 1
	if second["frame"] == second["run_frame"] || second["share"] != 0.0 || second["masked"] == nil || second["step"] != 2.0 {
		t.Errorf("the frame after the new value is %v, that of the run %v, share %v, masked %v", second["frame"], second["run_frame"], second["share"], second["masked"])
	}
}

// killedRun plays a run without a result, whose log ends in the middle of an action.
func killedRun(t *testing.T, whole string) {
	dir := filepath.Join(t.TempDir(), filepath.Base(whole))
	if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "events.jsonl")
	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var left strings.Builder
	acting := 0
	for line := range strings.Lines(string(raw)) {
		left.WriteString(line)
		if strings.Contains(line, `"kind":"acting"`) {
			acting++
		}
		if acting == 4 { // the first visit, and three steps
			break
		}
	}
	left.WriteString(`{"v":1,"se`)
	if err := errors.Join(os.WriteFile(log, []byte(left.String()), 0o600), os.Remove(filepath.Join(dir, "result.json"))); err != nil {
		t.Fatal(err)
	}
	steps, report := replayed(t, dir, exitSuccess)
	last := steps[len(steps)-1]
	if report["status"] != "same" || last["step"] != 3.0 || last["action"] != nil || !strings.Contains(last["skipped"].(string), "broke off") {
		t.Errorf("got %v, and the last step %v", report["status"], last)
	}
}

func movedButton(t *testing.T, dir string) {
	for _, c := range []struct {
		tolerance, want string
		says            string
	}{
		{"0.0001", "frame in step 1", "380x40 at (700, 100)"}, // where it was and where it is
		{"0.05", "hit in step 5", `left_click at (791, 120) reaches body, the run hit button "Add"`},
	} {
		steps, report := replayed(t, dir, exitNoSuccess, "--tolerance", c.tolerance, "--wait", "500ms")
		if got := firstDifference(report); got != c.want || report["status"] != "different" || !strings.Contains(report["message"].(string), c.says) {
			t.Errorf("tolerance %s: got %s: %v, want %s: %s", c.tolerance, got, report["message"], c.want, c.says)
		}
		if last := steps[len(steps)-1]; last["step"] != report["first_difference"] {
			t.Errorf("tolerance %s: it went on to step %v", c.tolerance, last["step"])
		}
	}
}

// ordering is a shop with one form, which counts the orders.
func ordering(t *testing.T) (url string, orders func() int) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodPost {
			n++
		}
		fmt.Fprint(w, `<!doctype html><title>Shop</title><form method=post><button style="position:absolute;left:100px;top:100px;width:200px;height:40px">Buy now</button></form>`)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

func TestReplayOrdersNothingAgainWithoutAWord(t *testing.T) {
	url, orders := ordering(t)
	dir := recorded(t, url, []modeltest.Answer{point("left_click", 200, 120), tool("Done.", `{"action": "terminate", "answer": "ordered"}`)}, "--approve", "never")
	if orders() != 1 {
		t.Fatalf("the run ordered %d times", orders())
	}
	for _, word := range []string{"", "no"} {
		got := call{args: []string{"replay", dir, "--out", t.TempDir(), "--approval", word}, env: map[string]string{"FARA_APPROVE": "never"}}.run(t)
		if got.code != exitWaiting || orders() != 1 || !strings.Contains(got.stdout, "--approval yes") || !strings.Contains(got.stdout, "step 1") {
			t.Errorf("--approval %q: exit code %d, %d orders, %s%s", word, got.code, orders(), got.stdout, got.stderr)
		}
	}
	if got := (call{args: []string{"replay", dir, "--out", t.TempDir()}, env: map[string]string{"FARA_APPROVAL": "yes"}}).run(t); got.code != exitWaiting || orders() != 1 {
		t.Errorf("a word in the environment: exit code %d, %d orders", got.code, orders())
	}
	if _, report := replayed(t, dir, exitSuccess, "--approval", "yes"); orders() != 2 {
		t.Errorf("with the word: %d orders, %v", orders(), report["message"])
	}
}

func TestReplayGoesToTheSiteAtItsNewAddress(t *testing.T) {
	before := httptest.NewServer(&counter{})
	dir := recorded(t, before.URL, filling()[:2])
	before.Close()
	now := httptest.NewServer(&counter{})
	t.Cleanup(now.Close)
	_, report := replayed(t, dir, exitSuccess, "--base", before.URL+"="+now.URL)
	if report["status"] != "same" {
		t.Errorf("got %v: %v", report["status"], report["message"])
	}
	_, report = replayed(t, dir, exitNoSuccess, "--wait", "100ms", "--keep-going") // nobody is at the old one
	if got := firstDifference(report); got != "outcome in step 0" || report["different_steps"] != 4.0 {
		t.Errorf("at the old address: got %s in the first of %v: %v", got, report["different_steps"], report["message"])
	}
}

func TestReplayRefusesWhatItCannotDo(t *testing.T) {
	dir := recorded(t, site(t, "hello"), []modeltest.Answer{tool("Done.", `{"action": "terminate", "answer": "hello"}`)})
	out := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		args  []string
		wants []string
	}{
		{[]string{t.TempDir()}, []string{"task.json"}},
		{[]string{dir, "--tolerance", "2"}, []string{"--tolerance 2", "0.001"}},
		{[]string{dir, "--tolerance", "-1"}, []string{"--tolerance"}},
		{[]string{dir, "--wait", "0"}, []string{"--wait"}},
		{[]string{dir, "--compare", "url,title"}, []string{"title", "url, frame, hit"}},
		{[]string{dir, "--approval", "perhaps"}, []string{"perhaps", "yes or no"}},
		{[]string{dir, "--viewport", "800x600"}, []string{"--viewport", "cannot be changed"}},
		{[]string{dir, "--approve", "never"}, []string{"--approve", "cannot be changed"}},
		{[]string{dir, "--base", "http://a.example"}, []string{"OLD=NEW"}},
		{[]string{dir, "--set", "x=1"}, []string{"typed nothing"}},
		{[]string{dir, "--set", "x"}, []string{"NAME=VALUE"}},
		{[]string{}, []string{"replay --help"}},
	} {
		fara(t, append([]string{"replay", "--out", out}, c.args...)...).oneLine(t, exitUsage, c.wants...)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errInterrupted)
	if got := (call{args: []string{"replay", dir, "--out", out}}).runIn(t, ctx); got.code != exitInterrupted {
		t.Errorf("cancelled before the start: exit code %d: %s", got.code, got.stderr)
	}
	empty(t, out)
	fara(t, "replay", dir, "--out", out, "--browser", "/nowhere/chromium").oneLine(t, exitBrowser, "/nowhere/chromium")
	empty(t, out)
}
