package replay_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fara/env"
	"fara/env/envtest"
	"fara/replay"
)

// The report is for looking at without a network: nothing in it leads out, what pages
// wrote is text, and every picture lies beside it.
func TestReportNeedsNoNetwork(t *testing.T) {
	page := &envtest.Env{Viewport: small, Elements: fields()}
	page.Elements[2].Name = `<script src="https://evil.example/x.js"></script>`
	page.Note(env.Note{Kind: env.NoteDialog, Text: "it said", Quote: `<img src=//evil.example/y>`})
	report := play(t, filled(t), page, replay.Config{Onward: replay.KeepGoing, Limit: 1})
	raw, err := os.ReadFile(filepath.Join(report.Dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for _, bad := range []string{"<script", "<img src=//", "<a ", "<link", "@import", "url(", "<b>it</b>"} {
		if strings.Contains(text, bad) {
			t.Errorf("the report has %q", bad)
		}
	}
	for _, want := range []string{"6 actions, 6 frames, 2 steps with a difference, 0 model calls", "Buy &lt;b&gt;it&lt;/b&gt;.", `id="step6"`, `class="click" cx="200" cy="320"`, "default-src 'none'"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	sources := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(text, -1)
	if len(sources) != 12 {
		t.Errorf("got %d pictures, want those of six steps, then and now", len(sources))
	}
	for _, s := range sources {
		if _, err := os.Stat(filepath.Join(report.Dir, filepath.FromSlash(s[1]))); err != nil || filepath.IsAbs(s[1]) {
			t.Errorf("the picture %q: %v", s[1], err)
		}
	}
}
