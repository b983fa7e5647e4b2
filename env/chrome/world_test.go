package chrome_test

import (
	"strings"
	"testing"
	"time"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
)

func TestQuestionsCanBeDismissed(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{Dialogs: chrome.Dismiss})
	for script, want := range map[string]struct{ title, note string }{
		"alert('A');document.title='after'":      {"after", "closed"},
		"document.title=confirm('Sure?')":        {"false", "Cancel"},
		"document.title=prompt('Name?','Ann')":   {"null", "Cancel"},
		"onbeforeunload=()=>1;location.href='/'": {"Site", "yes"},
	} {
		b.Open(`<title>-</title><body onclick="` + script + `" style="height:500px">`)
		b.Do(env.Action{Kind: env.LeftClick, Point: at(50, 50)})
		var notes []env.Note
		if !envtest.Eventually(func() bool {
			obs := b.See()
			notes = append(notes, envtest.Noted(obs.Notes, env.NoteDialog)...)
			return obs.Title == want.title
		}) || len(notes) != 1 || !strings.Contains(notes[0].Text, want.note) {
			t.Errorf("%s: notes %+v, want %q and the title %q", script, notes, want.note, want.title)
		}
	}
}

func TestConsoleMessagesAreHandedOn(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 10)
	b := ownTab(t, chrome.Config{Console: func(text string) { heard <- text }})
	b.Open(`<script>console.log('solving', 7, 'now')</script>`)
	select {
	case got := <-heard:
		if want := "solving 7 now"; got != want {
			t.Errorf("console: got %q, want %q", got, want)
		}
	case <-time.After(envtest.Within):
		t.Error("console: nothing heard")
	}
}

func TestFramesCanBeJPEG(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{FrameFormat: chrome.JPEG})
	b.Open(`<h1>x`)
	if obs := b.See(); obs.MIME != "image/jpeg" || !strings.HasPrefix(string(obs.Image), "\xff\xd8") || obs.ImageSize != obs.Viewport {
		t.Errorf("got %s of %v starting %x, want a JPEG of %v", obs.MIME, obs.ImageSize, obs.Image[:2], obs.Viewport)
	}
}
