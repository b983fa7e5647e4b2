package main

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"fara/dialect"
	"fara/model/modeltest"
)

var update = flag.Bool("update", false, "write the golden files")

func TestHelpIsGolden(t *testing.T) {
	for name, args := range map[string][]string{
		"fara": {"--help"}, "run": {"run", "--help"}, "doctor": {"doctor", "--help"}, "demo": {"demo", "--help"},
		"parse": {"parse", "--help"}, "prompt": {"prompt", "--help"}, "calibrate": {"calibrate", "--help"},
		"judge": {"judge", "--help"}, "replay": {"replay", "--help"}, "import": {"import", "--help"},
	} {
		got := fara(t, args...)
		if got.code != exitSuccess || got.stderr != "" {
			t.Errorf("%s: exit code %d, stderr %q", name, got.code, got.stderr)
		}
		path := filepath.Join("testdata", "help", name+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(got.stdout), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got.stdout != string(want) {
			t.Errorf("%s: the help changed; look at it and run with -update\n%s", name, got.stdout)
		}
		if !strings.Contains(got.stdout, "130  interrupted") {
			t.Errorf("%s: the help lacks the exit codes", name)
		}
	}
}

func TestWrongUsageIsOneLine(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	noTools := file("prompt.txt", "You are an agent.")
	badMark := file("mark.txt", "You are an agent.\n{{tool}}")
	badSpace := file("space.yaml", "name: mine\nspace: inches\n")
	noURL := file("endpoint.json", `{"model": "m"}`)
	noJSON := file("broken.json", `{`)
	twoModels := file("two.json", `[{"model": "m", "base_url": "a:1"}, {"model": "n", "base_url": "b:1"}]`)
	emptyList := file("empty.json", ` []`)
	badAPI := file("api.json", `{"model": "m", "base_url": "a:1", "api": "soap"}`)
	for _, c := range []struct {
		args  []string
		wants []string
	}{
		{[]string{"run", "x", "--frobnicate"}, []string{"--frobnicate", "--help"}},
		{[]string{"fly"}, []string{"fly"}},
		{[]string{"help", "fly"}, []string{"fly", "fara --help"}},
		{[]string{"help", "run", "fly"}, []string{"fly"}},
		{[]string{"run", "x", "--endpoint", "ftp://host"}, []string{"--endpoint", "ftp://host"}},
		{[]string{"run", "x", "--endpoint", "host:port"}, []string{"--endpoint"}},
		{[]string{"run", "x", "--endpoint", " "}, []string{"endpoint"}},
		{[]string{"run", "x", "--endpoint", "8000", "--endpoint", "http://127.0.0.1:8000/"}, []string{"twice"}},
		{[]string{"run", "x", "--endpoint-config", twoModels}, []string{"--endpoint-config", "two models", "m", "n"}},
		{[]string{"run", "x", "--endpoint-config", emptyList}, []string{"--endpoint-config", "empty"}},
		{[]string{"run", "x", "--endpoint-config", badAPI}, []string{"--endpoint-config", "soap", "ollama or openai"}},
		{[]string{"run"}, []string{"task is empty"}},
		{[]string{"run", "  "}, []string{"task is empty"}},
		{[]string{"run", "x", "y"}, []string{"--help"}},
		{[]string{"run", "x", "--task", "y"}, []string{"twice"}},
		{[]string{"run", "x", "--max-steps", "0"}, []string{"--max-steps"}},
		{[]string{"run", "x", "--max-steps", "many"}, []string{"max-steps", "many"}},
		{[]string{"run", "x", "--max-images", "-1"}, []string{"--max-images"}},
		{[]string{"run", "x", "--max-tokens", "-1"}, []string{"--max-tokens"}},
		{[]string{"run", "x", "--deadline", "soon"}, []string{"deadline", "soon"}},
		{[]string{"run", "x", "--viewport", "wide"}, []string{"--viewport", "1440x896"}},
		{[]string{"run", "x", "--viewport", "10x10"}, []string{"--viewport"}},
		{[]string{"run", "x", "--viewport", "0x0"}, []string{"--viewport"}},
		{[]string{"run", "x", "--viewport", "9000x500"}, []string{"--viewport", "8000"}},
		{[]string{"run", "x", "--scale", "9"}, []string{"--scale", "0.5 to 4"}},
		{[]string{"run", "x", "--scale", "0"}, []string{"--scale"}},
		{[]string{"run", "x", "--scale", "NaN"}, []string{"--scale"}},
		{[]string{"run", "x", "--viewport", "8000x8000", "--scale", "2"}, []string{"--viewport", "--scale"}},
		{[]string{"doctor", "--viewport", "10x10"}, []string{"--viewport"}},
		{[]string{"run", "x", "--identity", "tor"}, []string{"--identity", "ordinary or as-is"}},
		{[]string{"run", "x", "--grant", "everything"}, []string{"--grant", "geolocation"}},
		{[]string{"run", "x", "--cdp", "9222", "--grant", "midi"}, []string{"--cdp", "--grant"}},
		{[]string{"run", "x", "--cdp-header", "A: b"}, []string{"--cdp-header", "--cdp"}},
		{[]string{"run", "x", "--cdp", "9222", "--cdp-header", "nonsense"}, []string{"--cdp-header", "Name: value"}},
		{[]string{"run", "x", "--cdp", "9222", "--cdp-header", "A B: c"}, []string{"--cdp-header"}},
		{[]string{"run", "x", "--upload", filepath.Join(dir, "nothing.pdf")}, []string{"--upload", "nothing.pdf"}},
		{[]string{"run", "x", "--dialogs", "ask"}, []string{"--dialogs", "policy, accept or dismiss"}},
		{[]string{"run", "x", "--upload", dir}, []string{"--upload", "not a file"}},
		{[]string{"run", "x", "--frame-format", "gif"}, []string{"png or jpeg"}},
		{[]string{"run", "x", "--api", "soap"}, []string{"auto, ollama or openai"}},
		{[]string{"run", "x", "--dialect", "klingon"}, []string{"fara-1.5"}},
		{[]string{"run", "x", "--search-url", "https://a.test/"}, []string{"--search-url", "%s"}},
		{[]string{"run", "x", "--url", "http://"}, []string{"--url"}},
		{[]string{"run", "x", "--url", "http://a b.test/"}, []string{"--url"}},
		{[]string{"run", "x", "--url", "mailto:me"}, []string{"--url", "mailto:"}},
		{[]string{"run", "x", "--browserbase"}, []string{"--cdp"}},
		{[]string{"run", "x", "--cdp", "9222", "--headful"}, []string{"--cdp"}},
		{[]string{"run", "x", "--cdp", "9222", "--scale", "2"}, []string{"--cdp", "--scale"}},
		{[]string{"run", "x", "--dialect", "fara-7b", "--prompt-file", filepath.Join(dir, "none.txt")}, []string{"--prompt-file", "none.txt"}},
		{[]string{"run", "x", "--dialect", "fara-7b", "--prompt-file", noTools}, []string{"--prompt-file", "{{tools}} is missing"}},
		{[]string{"run", "x", "--endpoint-config", filepath.Join(dir, "none.json")}, []string{"none.json"}},
		{[]string{"run", "x", "--endpoint-config", noURL}, []string{"base_url"}},
		{[]string{"run", "x", "--endpoint-config", noJSON}, []string{"broken.json"}},
		{[]string{"parse", "--dialect", "klingon"}, []string{"fara-1.5"}},
		{[]string{"prompt", dir}, []string{"not a run's folder"}},
		{[]string{"prompt", "--prompt-file", noTools}, []string{noTools, "{{tools}} is missing"}},
		{[]string{"prompt", "--prompt-file", badMark}, []string{badMark + ":2: unknown placeholder {{tool}}"}},
		{[]string{"run", "x", "--dialect", badSpace}, []string{badSpace + ":2: space is one of 0-1000, pixels, 0-1"}},
		{[]string{"doctor", "--dialect", badSpace}, []string{badSpace + ":2: space is one of"}},
		{[]string{"parse", "--dialect", badSpace}, []string{badSpace + ":2: space is one of"}},
		{[]string{"run", "x", "--dialect", filepath.Join(dir, "none.yaml")}, []string{"--dialect", "there is no file"}},
	} {
		out := filepath.Join(t.TempDir(), "out")
		got := call{args: c.args, env: map[string]string{"FARA_OUT": out}}.run(t)
		if t.Run(strings.Join(c.args, " "), func(t *testing.T) { got.oneLine(t, exitUsage, c.wants...) }) {
			empty(t, out)
		}
	}
}

func TestDeadEndpointIsOneLine(t *testing.T) {
	needBrowser(t)
	out := filepath.Join(t.TempDir(), "out")
	got := fara(t, "run", "x", "--endpoint", "http://127.0.0.1:9", "--model", "fara-7b", "--out", out)
	got.oneLine(t, exitModel, "127.0.0.1:9")
	empty(t, out)
	fara(t, "run", "x", "--api", "ollama", "--endpoint", "http://127.0.0.1:9", "--model", "fara-7b", "--out", out).oneLine(t, exitModel, "ollama serve")
	empty(t, out)
}

func TestWrongModelNameListsWhatIsThere(t *testing.T) {
	needBrowser(t)
	for _, api := range []string{"ollama", "openai"} {
		srv := serveModel(t, modeltest.Config{Model: "fara-1.5-test"}, modeltest.NewScript())
		out := filepath.Join(t.TempDir(), "out")
		got := fara(t, "run", "x", "--api", api, "--endpoint", srv.URL(), "--model", "fara-7b", "--out", out)
		got.oneLine(t, exitModel, "fara-7b", "fara-1.5-test")
		empty(t, out)
	}
}

func TestServerWithoutModelsSaysSo(t *testing.T) {
	needBrowser(t)
	none := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, map[string]string{"/api/version": `{"version":"1"}`, "/api/tags": `{"models":[]}`, "/v1/models": `{"object":"list","data":[]}`}[r.URL.Path])
	}))
	defer none.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<h1>Welcome</h1>")
	}))
	defer page.Close()
	for _, api := range []string{"ollama", "openai"} {
		fara(t, "run", "x", "--api", api, "--endpoint", none.URL).oneLine(t, exitModel, "has no models")
		got := fara(t, "run", "x", "--api", api, "--endpoint", page.URL)
		got.oneLine(t, exitModel)
		if strings.Contains(got.stderr, "no models") {
			t.Errorf("%s: a web page is taken for a server without models: %s", api, got.stderr)
		}
	}
}

func TestBusyServerIsWaitedFor(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript())
	target, err := url.Parse(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	proxy := httputil.NewSingleHostReverseProxy(target)
	loading := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			http.Error(w, `{"error":"Loading model"}`, http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer loading.Close()
	got := fara(t, "doctor", "--api", "openai", "--endpoint", loading.URL)
	if !strings.Contains(got.stdout, "yes  model") || !strings.Contains(got.stderr, "busy") {
		t.Errorf("stdout %q, stderr %q", got.stdout, got.stderr)
	}
}

// Where every question is answered with 503 the API cannot be told yet: that is a
// busy server too, not a missing one.
func TestServerThatIsBusyAtEveryDoorIsWaitedFor(t *testing.T) {
	srv := serveModel(t, modeltest.Config{Only: modeltest.OpenAI}, modeltest.NewEndlessScript(modeltest.Text("ok")))
	target, err := url.Parse(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	proxy := httputil.NewSingleHostReverseProxy(target)
	loading := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) <= 3 {
			http.Error(w, `{"error":{"message":"Loading model","code":503}}`, http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer loading.Close()
	s, warned, err := connectTo(t, auto(loading.URL))
	if err != nil || s.api != "openai" || len(warned) != 1 || !strings.Contains(warned[0], "busy") {
		t.Errorf("got API %q, warnings %q and error %v, want it waited for", s.api, warned, err)
	}
}

func TestUnknownFamilyAsksForTheDialect(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{Model: "mystery"}, modeltest.NewScript())
	got := fara(t, "run", "x", "--endpoint", srv.URL(), "--out", t.TempDir())
	got.oneLine(t, exitUsage, "mystery", "--dialect")
}

func TestMissingBrowserIsOneLine(t *testing.T) {
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript())
	for name, browser := range map[string]string{"missing": "/no/such/browser", "no program": "/etc/passwd", "no browser": "/bin/false"} {
		out := filepath.Join(t.TempDir(), "out")
		got := fara(t, "run", "x", "--endpoint", srv.URL(), "--browser", browser, "--out", out)
		t.Run(name, func(t *testing.T) { got.oneLine(t, exitBrowser) })
		empty(t, out)
	}
}

func TestUnwritableOutIsOneLine(t *testing.T) {
	needBrowser(t)
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript())
	fara(t, "run", "x", "--endpoint", srv.URL(), "--out", "/dev/null/runs").oneLine(t, exitUsage, "--out")
}

func TestEnvironmentAndUnderscoresSetFlags(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	got := call{args: []string{"run", "x"}, env: map[string]string{"FARA_MAX_STEPS": "many", "FARA_OUT": out}}.run(t)
	got.oneLine(t, exitUsage, "FARA_MAX_STEPS", "many")
	// A task that is given wins over one in the environment.
	got = call{args: []string{"run", "x", "--viewport", "wide"}, env: map[string]string{"FARA_TASK": "y"}}.run(t)
	got.oneLine(t, exitUsage, "--viewport")
	// A flag wins over its variable, and is found with either spelling.
	got = call{args: []string{"run", "x", "--max_steps", "0"}, env: map[string]string{"FARA_MAX_STEPS": "7"}}.run(t)
	got.oneLine(t, exitUsage, "--max-steps 0")
}

func TestParseShowsWhatAReplyIsTakenFor(t *testing.T) {
	for _, c := range []struct {
		name, stdin string
		code        int
		want        string
	}{
		{"clean", "I click.\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [500, 250]}}\n</tool_call>",
			0, `{"thoughts":"I click.","call":{"action":"left_click","coordinate":[500,250]},"repairs":[]}`},
		{"python", "<tool_call>{'name': 'computer_use', 'arguments': {'action': 'type', 'text': \"it's\"}}</tool_call>",
			0, `"text":"it's"`},
		{"prose", "I would click the button.", exitNoSuccess, `"reason":"no_call"`},
		{"nothing", "", exitNoSuccess, `"reason":"empty"`},
	} {
		got := call{args: []string{"parse"}, stdin: c.stdin}.run(t)
		if got.code != c.code || !strings.Contains(got.stdout, c.want) || got.stderr != "" {
			t.Errorf("%s: got %d, %q, %q, want %d and %q", c.name, got.code, got.stdout, got.stderr, c.code, c.want)
		}
		lines(t, got.stdout)
	}
}

func TestPromptShowsTheSystemPrompt(t *testing.T) {
	for _, name := range dialect.Names() {
		d, err := dialect.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		got := fara(t, "prompt", "--dialect", name)
		if got.code != 0 || got.stdout != d.System(d.Viewport)+"\n" {
			t.Errorf("%s: exit code %d, %.200q", name, got.code, got.stdout)
		}
	}
	if got := fara(t, "prompt", "--dialect", "fara-7b", "--viewport", "1440x900"); !strings.Contains(got.stdout, "1428x896") {
		t.Error("a page of 1440x900 is not told to the model as 1428x896")
	}
}

func TestADialectsFileIsADialect(t *testing.T) {
	printed := fara(t, "prompt", "--dialect", "fara-7b", "--as-file")
	path := filepath.Join(t.TempDir(), "mine.yaml")
	mine := strings.Replace(printed.stdout, "space: pixels", "space: 0-1", 1)
	if err := os.WriteFile(path, []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	if again := fara(t, "prompt", "--dialect", path, "--as-file"); again.code != exitSuccess || again.stdout != mine {
		t.Errorf("got %d, %s\n%s", again.code, again.stderr, again.stdout)
	}
	own, theirs := fara(t, "prompt", "--dialect", path), fara(t, "prompt", "--dialect", "fara-7b")
	if own.stdout != theirs.stdout || own.stdout == "" {
		t.Errorf("got the prompt %q, want %q", own.stdout, theirs.stdout)
	}
}
