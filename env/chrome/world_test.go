package chrome_test

import (
	"strings"
	"testing"
	"time"

	"fara/env"
	"fara/env/chrome"
)

func TestAFileChooserDoesNotStopThePage(t *testing.T) {
	b := sharedTab(t).open(`<title>-</title><input type=file style="position:absolute;left:0;top:0;width:200px;height:40px"><button style="position:absolute;left:0;top:100px" onclick="document.title='alive'">go</button>`)
	b.do(env.Action{Kind: env.LeftClick, Point: at(50, 20)})
	if notes := noted(b.see().Notes, env.NoteDialog); len(notes) != 1 || !strings.Contains(notes[0].Text, "file") {
		t.Errorf("notes %+v, want one about a file", notes)
	}
	b.do(env.Action{Kind: env.LeftClick, Point: at(10, 110)})
	b.titled("alive")
}

func TestQuestionsCanBeDismissed(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{Dialogs: chrome.Dismiss})
	for script, want := range map[string]struct{ title, note string }{
		"alert('A');document.title='after'":      {"after", "closed"},
		"document.title=confirm('Sure?')":        {"false", "Cancel"},
		"document.title=prompt('Name?','Ann')":   {"null", "Cancel"},
		"onbeforeunload=()=>1;location.href='/'": {"Site", "yes"},
	} {
		b.open(`<title>-</title><body onclick="` + script + `" style="height:500px">`)
		b.do(env.Action{Kind: env.LeftClick, Point: at(50, 50)})
		var notes []env.Note
		if !eventually(t, func() bool {
			obs := b.see()
			notes = append(notes, noted(obs.Notes, env.NoteDialog)...)
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
	b.open(`<script>console.log('solving', 7, 'now')</script>`)
	select {
	case got := <-heard:
		if want := "solving 7 now"; got != want {
			t.Errorf("console: got %q, want %q", got, want)
		}
	case <-time.After(within):
		t.Error("console: nothing heard")
	}
}

func TestFramesCanBeJPEG(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{FrameFormat: chrome.JPEG})
	if obs := b.open(`<h1>x`).see(); obs.MIME != "image/jpeg" || !strings.HasPrefix(string(obs.Image), "\xff\xd8") || obs.ImageSize != obs.Viewport {
		t.Errorf("got %s of %v starting %x, want a JPEG of %v", obs.MIME, obs.ImageSize, obs.Image[:2], obs.Viewport)
	}
}
