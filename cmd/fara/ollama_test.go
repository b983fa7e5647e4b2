package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fara/model/ollama/ollamatest"
	"fara/trajectory"
)

// shortPrompt keeps the tiny model's prompt short: it has a token for each byte.
const shortPrompt = "Act.\n<tools>\n" +
	`{"function": {"parameters": {"properties": {"action": {"enum": ["left_click", "terminate"]}}}}}` + "\n</tools>"

// The tiny models' weights are random, so nothing they say makes sense. What
// can be shown is that everything around them works, and that an ending says so.
func TestRealOllama(t *testing.T) {
	needBrowser(t)
	endpoint := ollamatest.Start(t)
	prompt := filepath.Join(t.TempDir(), "prompt.txt")
	if err := os.WriteFile(prompt, []byte(shortPrompt), 0o600); err != nil {
		t.Fatal(err)
	}

	t.Run("ModelsThatTalkNonsenseEndHonestly", func(t *testing.T) {
		got := fara(t, "run", "Click.", "--url", site(t, "hello"), "--endpoint", endpoint, "--model", ollamatest.Vision, "--dialect", "fara-1.5",
			"--prompt-file", prompt, "--viewport", "320x256", "--num-ctx", "4096", "--temperature", "1", "--json", "--out", t.TempDir())
		all := lines(t, got.stdout)
		last := all[len(all)-1]
		if got.code == exitSuccess || last["status"] == "success" || last["answer"] != "" {
			t.Fatalf("nonsense became %v: %s", last, got.stderr)
		}
		run, err := trajectory.Read(last["dir"].(string))
		if err != nil {
			t.Fatal(err)
		}
		if run.Task.API != "ollama" {
			t.Errorf("the API is %s, want ollama, which was to be found out", run.Task.API)
		}
		asked := 0
		for _, e := range run.Events {
			if p := e.Proposed; p != nil {
				asked++
				// A picture of 320x256 is 80 tokens and 2; the text is as many again and more.
				if p.Usage.PromptTokens < 200 || len(p.Frames) != 1 {
					t.Errorf("reply %d: %d prompt tokens and frames %v", asked, p.Usage.PromptTokens, p.Frames)
				}
			}
		}
		if asked == 0 && last["reason"] != "incomplete_replies" {
			t.Errorf("the model was never heard: %v", last)
		}
	})

	t.Run("DoctorFindsOutThatItDoesNotSee", func(t *testing.T) {
		got := fara(t, "doctor", "--endpoint", endpoint, "--model", ollamatest.Vision, "--dialect", "fara-1.5", "--temperature", "1")
		for _, w := range []string{"yes  browser", "yes  server      Ollama 0.", "loaded with 16384", "yes  model", "yes  context", "no   sight"} {
			if !strings.Contains(got.stdout, w) {
				t.Errorf("stdout lacks %q:\n%s", w, got.stdout)
			}
		}
		if got.code != exitModel {
			t.Errorf("exit code %d", got.code)
		}
	})

	t.Run("CalibrateFindsOutThatItDoesNotPoint", func(t *testing.T) {
		t.Chdir(t.TempDir())
		got := fara(t, "calibrate", "--endpoint", endpoint, "--model", ollamatest.Vision, "--dialect", "fara-1.5", "--constrain",
			"--prompt-file", prompt, "--viewport", "320x256", "--num-ctx", "4096", "--temperature", "1", "--clicks", "10")
		if got.code != exitNoSuccess || !strings.Contains(got.stdout, "does not fit") {
			t.Errorf("exit code %d:\n%s%s", got.code, got.stdout, got.stderr)
		}
		empty(t, ".")
	})

	t.Run("TextModelIsRefused", func(t *testing.T) {
		got := fara(t, "doctor", "--endpoint", endpoint, "--model", ollamatest.Text, "--dialect", "fara-1.5")
		if got.code != exitModel || !strings.Contains(got.stdout, "takes no images") {
			t.Errorf("exit code %d:\n%s", got.code, got.stdout)
		}
		out := filepath.Join(t.TempDir(), "out")
		fara(t, "run", "x", "--endpoint", endpoint, "--model", ollamatest.Text, "--dialect", "fara-1.5", "--out", out).
			oneLine(t, exitModel, ollamatest.Text, "vision")
		empty(t, out)
	})

	t.Run("MissingModelListsWhatIsThere", func(t *testing.T) {
		fara(t, "run", "x", "--endpoint", endpoint, "--model", "nope", "--dialect", "fara-1.5").
			oneLine(t, exitModel, "nope", ollamatest.Vision, "ollama pull")
	})
}
