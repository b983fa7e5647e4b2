package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"fara/agent"
	"fara/calibrate"
	"fara/env"
	"fara/env/chrome"
	"fara/model"
	"fara/model/modeltest"
	"fara/model/modeltest/aim"
	"fara/policy"
	"fara/trajectory"
)

// targets is a gallery that all cases of a test share, so that each target is
// drawn once.
func targets(t *testing.T) *gallery {
	t.Helper()
	g := &gallery{open: func(ctx context.Context, viewport env.Size) (*guarded, error) {
		return (&browserFlags{scale: 1}).open(ctx, "", policy.Policy{}, os.Getenv, chrome.Config{Viewport: viewport})
	}}
	t.Cleanup(g.close)
	return g
}

// measuring has fara calibrate ask a model in front of that gallery, and gives what
// it printed, the result apart.
func measuring(t *testing.T, shown *gallery, brain model.Chatter, args ...string) (got outcome, result map[string]any) {
	t.Helper()
	name := modeltest.DefaultModel
	if at := slices.Index(args, "--model"); at >= 0 {
		name = args[at+1]
	}
	srv := serveModel(t, modeltest.Config{Model: name, Capabilities: []string{"completion", "vision", "tools"}}, brain)
	var f calibrateFlags
	set := pflag.NewFlagSet("calibrate", pflag.ContinueOnError)
	f.register(set)
	err := set.Parse(append([]string{"--endpoint", srv.URL(), "--api", "openai", "--clicks", "10", "--json"}, args...))
	if err == nil {
		err = f.resolve(set)
	}
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	p := &program{stdout: &stdout, stderr: &stderr}
	asked, err := f.model.connect(t.Context(), slog.New(slog.DiscardHandler))
	if err == nil {
		err = coded(p.measure(t.Context(), &f, asked, shown))
	}
	got = outcome{codeOf(err), stdout.String(), stderr.String()}
	if err != nil {
		got.stderr += err.Error()
	}
	if all := lines(t, got.stdout); len(all) > 0 {
		result = all[len(all)-1]
	}
	return got, result
}

func TestCalibrateTellsWhatFitsAndWhyNot(t *testing.T) {
	needBrowser(t)
	shown := targets(t)
	pixels := []string{"--dialect", "fara-7b"}
	for _, c := range []struct {
		name  string
		brain aim.Model
		flags []string
		code  int
		why   calibrate.Why
		space string
		says  string
	}{
		{"thousandths", aim.Model{}, nil, 0, calibrate.Fits, "0-1000", "10 of 10"},
		{"pixels", aim.Model{Space: aim.Pixels}, pixels, 0, calibrate.Fits, "pixels", "pixels of the picture"},
		{"another space than the dialect's", aim.Model{Space: aim.Pixels}, nil, 0, calibrate.Fits, "pixels", "pixels of the picture"},
		{"fractions", aim.Model{Space: aim.Fractions}, nil, 0, calibrate.Fits, "0-1", "0 to 1"},
		{"small noise", aim.Model{Noise: 2.5}, nil, 0, calibrate.Fits, "0-1000", "of 10"},
		{"large noise", aim.Model{Noise: 30}, nil, 3, calibrate.Noisy, "", "larger model"},
		{"offset", aim.Model{Space: aim.Pixels, Offset: aim.Pair{X: 50, Y: -20}}, nil, 3, calibrate.Offset, "pixels", "50 px to the right of and 20 px above"},
		{"a server that shrinks pictures", aim.Model{Space: aim.Pixels, Scale: aim.Pair{X: 0.5, Y: 0.5}}, nil, 3, calibrate.Scaled, "", "--viewport 7"},
		{"swapped axes", aim.Model{Order: aim.YFirst}, nil, 3, calibrate.Swapped, "", "y before x"},
		{"guesses", aim.Model{Sight: aim.Guesses}, nil, 3, calibrate.Blind, "", "does not see"},
		{"one answer for all", aim.Model{Sight: aim.Constant}, nil, 3, calibrate.Blind, "", "always answers [500, 500]"},
		{"prose", aim.Model{Form: aim.Prose}, nil, 3, calibrate.Unread, "", "There is a red disc"},
		{"refusal", aim.Model{Form: aim.Refusal}, nil, 3, calibrate.Unread, "", "can't help"},
	} {
		t.Run(c.name, func(t *testing.T) {
			save := filepath.Join(t.TempDir(), "c.json")
			got, result := measuring(t, shown, c.brain, append(c.flags, "--save", save)...)
			if got.code != c.code || result["why"] != string(c.why) || c.space != "" && result["space"] != c.space {
				t.Fatalf("exit code %d, %v in %v, want %d, %s in %q; %s%s", got.code, result["why"], result["space"], c.code, c.why, c.space, got.stdout, got.stderr)
			}
			if text := result["text"].(string); !strings.Contains(text, c.says) {
				t.Errorf("it says %q, want %q", text, c.says)
			}
			file, err := calibrate.Load(save)
			if fits := c.code == 0; fits != (err == nil) || fits && (string(file.Space) != c.space || len(file.Clicks) != 10) {
				t.Errorf("the file holds %+v, %v", file, err)
			}
		})
	}
}

func TestCalibrateTriesTheFormsOfReplies(t *testing.T) {
	needBrowser(t)
	shown := targets(t)
	plain := func(b model.Chatter) model.Chatter {
		return brain(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
			if len(req.Schema) > 0 {
				return model.Reply{}, &model.Error{Kind: model.ErrSchema, Status: 400, Message: "guided decoding is not supported"}
			}
			if len(req.Tools) > 0 {
				return model.Reply{}, &model.Error{Kind: model.ErrTools, Status: 400, Message: `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`}
			}
			return b.Chat(ctx, req, until)
		})
	}
	for _, c := range []struct {
		name, model string
		brain       model.Chatter
		flags       []string
		code        int
		dialect     string
		replies     agent.Replies
		tried       int // manners
	}{
		{"tagged", "mystery", aim.Model{}, nil, 0, "qwen3-vl", agent.FreeText, 1},
		{"text", "mystery", aim.Model{Form: aim.Text, Space: aim.Pixels}, nil, 0, "ui-tars-1.5", agent.FreeText, 2},
		{"held to a schema", "mystery", aim.Model{Form: aim.Held}, nil, 0, "json", agent.Constrained, 4},
		{"a name that says the dialect", "qwen2.5-vl:7b", aim.Model{Space: aim.Pixels}, nil, 0, "qwen2.5-vl", agent.FreeText, 1},
		{"a name, and prose", "fara-7b", aim.Model{Form: aim.Held, Space: aim.Pixels}, nil, 0, "fara-7b", agent.Constrained, 2},
		{"a dialect that is not the model's", "mystery", aim.Model{Form: aim.Text}, []string{"--dialect", "fara-1.5"}, 0, "fara-1.5", agent.Constrained, 2},
		{"no schemas there", "mystery", plain(aim.Model{Form: aim.Text}), []string{"--dialect", "fara-1.5"}, 0, "ui-tars-1.5", agent.FreeText, 4},
		{"constrained at once", "fara-1.5", aim.Model{Form: aim.Held}, []string{"--constrain"}, 0, "fara-1.5", agent.Constrained, 1},
		{"tools", "fara-1.5", aim.Model{}, []string{"--tools"}, 0, "fara-1.5", agent.NativeTools, 1},
		{"no tools there", "fara-1.5", plain(aim.Model{}), []string{"--tools"}, 0, "fara-1.5", agent.FreeText, 2},
		{"prose for ever", "mystery", aim.Model{Form: aim.Prose}, nil, 3, "qwen3-vl", agent.FreeText, 5},
		{"blind", "mystery", aim.Model{Sight: aim.Constant}, nil, 3, "qwen3-vl", agent.FreeText, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			save := filepath.Join(t.TempDir(), "c.json")
			got, result := measuring(t, shown, c.brain, append(c.flags, "--model", c.model, "--save", save)...)
			if got.code != c.code || result["dialect"] != c.dialect || result["replies"] != string(c.replies) {
				t.Fatalf("exit code %d, %v as %v, want %d, %s as %s; %s%s", got.code, result["dialect"], result["replies"], c.code, c.dialect, c.replies, got.stdout, got.stderr)
			}
			tried := map[string]bool{}
			for _, l := range lines(t, got.stdout) {
				if l["type"] == "space" || l["type"] == "refused" {
					tried[l["dialect"].(string)+l["replies"].(string)] = true
				}
			}
			if len(tried) != c.tried {
				t.Errorf("tried %v, want %d manners", tried, c.tried)
			}
		})
	}
}

func TestCalibrationOfOnesOwnDialectIsTakenFromAnywhere(t *testing.T) {
	needBrowser(t)
	folder := t.TempDir()
	t.Chdir(folder)
	mine := strings.Replace(fara(t, "prompt", "--dialect", "fara-7b", "--as-file").stdout, "name: fara-7b", "name: mine", 1)
	if err := os.WriteFile("mine.yaml", []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := serveModel(t, modeltest.Config{Model: "unheard-of"}, aim.Model{Space: aim.Pixels})
	got := fara(t, "calibrate", "--endpoint", srv.URL(), "--clicks", "10", "--dialect", "mine.yaml", "--save", "c.json")
	file, err := calibrate.Load("c.json")
	if got.code != exitSuccess || err != nil || file.Dialect != filepath.Join(folder, "mine.yaml") {
		t.Fatalf("exit code %d, %+v, %v: %s%s", got.code, file, err, got.stdout, got.stderr)
	}
	t.Chdir(t.TempDir())
	brain := modeltest.NewScript(tool("x", `{"action": "terminate", "status": "success"}`))
	again := serveModel(t, modeltest.Config{Model: "unheard-of"}, brain)
	out := t.TempDir()
	got = fara(t, "run", "Stop.", "--url", site(t, "hello"), "--endpoint", again.URL(), "--calibration", filepath.Join(folder, "c.json"), "--out", out)
	if got.code != exitSuccess || !strings.Contains(got.stderr, "dialect mine,") {
		t.Errorf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
}

func TestCalibrationIsSavedAndRunTakesIt(t *testing.T) {
	needBrowser(t)
	t.Chdir(t.TempDir())
	// A model that counts pixels, although the dialect asks for thousandths.
	srv := serveModel(t, modeltest.Config{Model: "maker/fara-1.5:4b"}, aim.Model{Space: aim.Pixels})
	const name = "calibration-maker-fara-1.5-4b.json"
	got := fara(t, "calibrate", "--endpoint", srv.URL(), "--clicks", "10", "--viewport", "701x503", "--scale", "2", "--frame-format", "jpeg")
	if got.code != exitSuccess || !strings.Contains(got.stdout, "saved: "+name) || !strings.Contains(got.stdout, "10/10  fits") {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	file, err := calibrate.Load(name)
	if err != nil || file.Model != "maker/fara-1.5:4b" || file.Dialect != "fara-1.5" || file.Space != "pixels" || file.Viewport != (env.Size{W: 701, H: 503}) || file.Picture != (env.Size{W: 704, H: 512}) {
		t.Fatalf("got %+v, %v", file, err)
	}
	// In a run the same model hits a button that is 6 px wide: what it gives as
	// [352, 256] of 704x512 is the middle of 701x503.
	page := `<title>open</title><body style="margin:0"><button style="position:absolute;left:347px;top:248px;width:6px;height:6px;padding:0;border:0" onclick="document.title='hit'"></button>`
	brain := modeltest.NewScript(tool("x", `{"action": "left_click", "coordinate": [352, 256]}`), tool("x", `{"action": "terminate", "answer": "ok"}`))
	again := serveModel(t, modeltest.Config{Model: "maker/fara-1.5:4b"}, brain)
	got = fara(t, "run", "Click.", "--url", site(t, page), "--endpoint", again.URL(), "--calibration", name, "--json", "--out", t.TempDir())
	if got.code != exitSuccess {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	all := lines(t, got.stdout)
	run, err := trajectory.Read(all[len(all)-1]["dir"].(string))
	if err != nil {
		t.Fatal(err)
	}
	title := ""
	for _, e := range run.Events {
		if e.Observed != nil {
			title = e.Observed.Title
		}
	}
	if title != "hit" {
		t.Errorf("the last title is %q", title)
	}
	if run.Task.Calibration != name || run.Task.Viewport != file.Viewport {
		t.Errorf("task: %+v", run.Task)
	}
}

func TestWrongCalibrationIsOneLineBeforeABrowserStarts(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, change func(*calibrate.File)) string {
		size := env.Size{W: 1440, H: 896}
		f := calibrate.File{Model: "m", Dialect: "fara-1.5", Space: "0-1000", Replies: string(agent.FreeText), Sizes: calibrate.Sizes{Viewport: size, Picture: size}}
		change(&f)
		path := filepath.Join(dir, name)
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good.json", func(*calibrate.File) {})
	klingon := file("klingon.json", func(f *calibrate.File) { f.Dialect = "klingon" })
	held := file("held.json", func(f *calibrate.File) { f.Replies = string(agent.Constrained) })
	inches := file("inches.json", func(f *calibrate.File) { f.Space = "inches" })
	half := filepath.Join(dir, "half.json")
	if err := os.WriteFile(half, []byte("{\n  \"version\": 1,\n  \"mod"), 0o600); err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := serveModel(t, modeltest.Config{Model: "other"}, aim.Model{})
	for name, c := range map[string]struct {
		args  []string
		wants []string
	}{
		"missing":                  {[]string{"run", "x", "--calibration", filepath.Join(dir, "none.json")}, []string{"--calibration", "none.json", "fara calibrate"}},
		"half":                     {[]string{"run", "x", "--calibration", half}, []string{"half.json:3:", "JSON object"}},
		"wrong space":              {[]string{"run", "x", "--calibration", inches}, []string{"inches.json:5:", "0-1000, pixels, 0-1"}},
		"unknown dialect":          {[]string{"run", "x", "--calibration", klingon}, []string{"klingon", "fara-1.5"}},
		"another model":            {[]string{"run", "x", "--model", "n", "--calibration", good}, []string{"good.json", "of the model m, not of n"}},
		"another model there":      {[]string{"run", "x", "--endpoint", srv.URL(), "--calibration", good}, []string{"of the model m, not of other"}},
		"another dialect":          {[]string{"run", "x", "--model", "m", "--dialect", "fara-7b", "--calibration", good}, []string{"--dialect fara-7b contradicts", "fara-1.5"}},
		"another manner":           {[]string{"run", "x", "--model", "m", "--tools", "--calibration", held}, []string{"constrained", "--tools"}},
		"doctor takes it too":      {[]string{"doctor", "--model", "n", "--calibration", good}, []string{"not of n"}},
		"calibrate makes one":      {[]string{"calibrate", "--calibration", good}, []string{"--calibration has no place", "--save"}},
		"few clicks":               {[]string{"calibrate", "--clicks", "9"}, []string{"--clicks 9", "10 to 200"}},
		"many clicks":              {[]string{"calibrate", "--clicks", "1000"}, []string{"--clicks 1000"}},
		"no number of clicks":      {[]string{"calibrate", "--clicks", "some"}, []string{"clicks", "some"}},
		"folder there is not":      {[]string{"calibrate", "--save", filepath.Join(dir, "none", "c.json")}, []string{"--save", "none"}},
		"folder that is read only": {[]string{"calibrate", "--save", "/proc/c.json"}, []string{"--save", "/proc"}},
		"a folder":                 {[]string{"calibrate", "--save", dir}, []string{"--save", "folder"}},
		"a file of another kind":   {[]string{"calibrate", "--save", notes}, []string{"notes.txt", "no calibration"}},
		"small context":            {[]string{"calibrate", "--endpoint", srv.URL(), "--dialect", "fara-1.5", "--num-ctx", "2048"}, []string{"1440x896", "2048", "--num-ctx"}},
		"form there is not":        {[]string{"calibrate", "--endpoint", srv.URL(), "--dialect", "ui-tars-1.5", "--tools"}, []string{"ui-tars-1.5", "--tools"}},
		"small page":               {[]string{"calibrate", "--viewport", "10x10"}, []string{"--viewport"}},
		"arguments":                {[]string{"calibrate", "x"}, []string{"--help"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			call{args: c.args, env: map[string]string{"FARA_BROWSER": "/bin/true"}}.run(t).oneLine(t, exitUsage, c.wants...)
			empty(t, ".")
		})
	}
	if got, err := os.ReadFile(notes); err != nil || string(got) != "mine" {
		t.Errorf("the user's file became %q, %v", got, err)
	}
}

func TestCalibrateWithASlowModelEndsWithinItsLimit(t *testing.T) {
	needBrowser(t)
	t.Chdir(t.TempDir())
	srv := serveModel(t, modeltest.Config{}, modeltest.NewEndlessScript(modeltest.Hang()))
	got := fara(t, "calibrate", "--endpoint", srv.URL(), "--api", "openai", "--load-timeout", "300ms", "--model-timeout", "300ms", "--json")
	if got.code != exitModel || got.stdout != "" {
		t.Errorf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	empty(t, ".")
}
