package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFormsThatADialectLacksAreFoundAtOnce(t *testing.T) {
	// Nobody listens there: the server is never asked.
	for _, c := range []struct{ flag, want string }{
		{"--constrain", "ui-tars-1.5 are lines of text"}, {"--tools", "ui-tars-1.5 write their actions as text"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		got := fara(t, "run", "x", "--dialect", "ui-tars-1.5", c.flag, "--endpoint", "http://127.0.0.1:9", "--out", out)
		got.oneLine(t, exitUsage, c.flag, c.want, "--dialect json")
		empty(t, out)
		fara(t, "doctor", "--dialect", "ui-tars-1.5", c.flag, "--endpoint", "http://127.0.0.1:9").oneLine(t, exitUsage, c.flag, c.want)
	}
}

// wordsOf is what fara prompt says about whose words a prompt is.
func wordsOf(t *testing.T, args ...string) string {
	t.Helper()
	got := fara(t, append([]string{"prompt"}, args...)...)
	if got.code != exitSuccess || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("%v: exit code %d, stderr %q, want one line", args, got.code, got.stderr)
	}
	return got.stderr
}

func TestPromptSaysWhetherItIsThePublishedOne(t *testing.T) {
	prompt := fara(t, "prompt", "--dialect", "fara-7b").stdout
	file := filepath.Join(t.TempDir(), "prompt.txt")
	if err := os.WriteFile(file, []byte(prompt), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"in our own words; --prompt-file takes": {"--dialect", "fara-7b"},
		"from " + file + ", which is not":       {"--dialect", "fara-7b", "--prompt-file", file},
		"is not known for qwen3-vl":             {"--dialect", "qwen3-vl"},
	} {
		if got := wordsOf(t, args...); !strings.Contains(got, want) {
			t.Errorf("%v: got %q, want %q in it", args, got, want)
		}
	}

	// A family whose published prompt is this very one.
	sum := sha256.Sum256([]byte(strings.TrimSuffix(prompt, "\n")))
	dialect := fara(t, "prompt", "--dialect", "fara-7b", "--as-file").stdout
	at := strings.Index(dialect, "sha256: ") + len("sha256: ")
	mine := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(mine, []byte(dialect[:at]+hex.EncodeToString(sum[:])+dialect[at+64:]), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := wordsOf(t, "--dialect", mine); !strings.Contains(got, "byte for byte as published") {
		t.Errorf("the published prompt: got %q", got)
	}
	if got := wordsOf(t, "--dialect", mine, "--viewport", "1280x800"); !strings.Contains(got, "but for the screen of 1288x812") || !strings.Contains(got, "--viewport 1428x896") {
		t.Errorf("on another screen: got %q", got)
	}
}
