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

func TestReadGivesWhatIsVisible(t *testing.T) {
	b := sharedTab(t)
	b.site.Page("/inner", `<p>from the frame</p>`)
	b.open(`<title>Shop</title><style>.h{display:none}</style><h1>Mugs</h1><p>A <a href="/buy">cheap</a> one</p><p class=h>hidden words</p><p style="visibility:hidden">unseen words</p>
<script>var secret='script words'</script><input value=typed><input type=password value=hunter2><input type=hidden value=token><select><option>S<option selected>M</select>
<input type=checkbox checked>gift<table><tr><th>a<th>b<tr><td>1<td>2</table><div id=host></div><iframe src="/inner"></iframe>
<script>host.attachShadow({mode:'open'}).innerHTML='<p>from the shadow</p><slot></slot>'</script>`)
	doc, err := b.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "read", doc.Markdown, "# Mugs", "[cheap]("+b.site.URL+"/buy)", "typed", "[x]", "gift", "from the frame", "from the shadow", "| 1 | 2 |", "M")
	for _, no := range []string{"hidden words", "unseen words", "script words", "hunter2", "token", "S\n"} {
		if strings.Contains(doc.Markdown, no) {
			t.Errorf("read: %q is in it:\n%s", no, doc.Markdown)
		}
	}
	if doc.Title != "Shop" || doc.URL != b.site.URL+"/page" {
		t.Errorf("read: got %q at %q", doc.Title, doc.URL)
	}
}

func TestReadOfAHugePageIsCut(t *testing.T) {
	b := sharedTab(t).open(`<div id=d></div><script>d.textContent='word '.repeat(100000)</script>`)
	doc, err := b.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(doc.Markdown); n > 201000 || !strings.Contains(doc.Markdown[n-60:], "cut here") {
		t.Errorf("read of 500000 characters: got %d, ending in %q", n, doc.Markdown[n-60:])
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
