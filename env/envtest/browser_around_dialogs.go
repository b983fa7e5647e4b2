package envtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fara/env"
)

func dialogCases() []browserCase {
	return []browserCase{
		{"a message is closed and quoted", nil, dialog("alert('A');document.title='after'", "after", "A")},
		{"a confirmation is answered", nil, dialog("document.title=confirm('Sure?')", "true", "Sure?")},
		{"an input is answered with what it proposes", nil, dialog("document.title=prompt('Name?','Ann')", "Ann", "Name?")},
		{"a dialog by a timer is answered", nil, dialog("setTimeout(()=>{alert('later');document.title='after'},50)", "after", "later")},
		{"a dialog by a timer while nobody looks is answered", nil, dialog("setTimeout(()=>{alert('idle');document.title='after'},1500)", "after", "idle")},
		{"a dialog during loading is answered", nil, loadDialog},
		{"twenty dialogs in a row are answered and told", nil, manyDialogs},
		{"dialogs for ever end", nil, endlessDialogs},
		{"leaving a page that asks is answered yes", nil, leavingDialog},
		{"a dialog while typing does not lose a letter", nil, typingDialog},
		{"a dialog while dragging does not hold the button", nil, draggingDialog},
		{"a dialog in a popup is answered", own, popupDialog},
		{"a dialog in a frame is answered once", nil, frameDialog},
	}
}

func dialog(script, title, quote string) func(t *testing.T, b *Tab) {
	return func(t *testing.T, b *Tab) {
		b.Open(`<title>-</title><body onclick="` + script + `" style="height:500px">`)
		b.Click(50, 50)
		obs := b.until("answered", func(obs env.Observation) bool { return obs.Title == title })
		notes := Noted(obs.Notes, env.NoteDialog)
		if len(notes) != 1 || notes[0].Quote != quote || strings.Contains(notes[0].Text, quote) && len(quote) > 1 {
			t.Errorf("notes: got %+v, want one that quotes %q apart from our words", notes, quote)
		}
	}
}

func loadDialog(t *testing.T, b *Tab) {
	began := time.Now()
	b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.Page("/asks", `<title>-</title><script>alert('loading');document.title='loaded '+confirm('go on?')</script>`)})
	obs := b.See()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if notes := Noted(obs.Notes, env.NoteDialog); obs.Title != "loaded true" || len(notes) != 2 {
		t.Errorf("got %q, notes %+v; want both answered and noted", obs.Title, notes)
	}
}

func manyDialogs(t *testing.T, b *Tab) {
	b.Open(`<title>-</title><body onclick="for(let i=1;i<21;i++)alert('message '+i);document.title='after'" style="height:500px">`)
	b.Click(50, 50)
	obs := b.until("through", func(obs env.Observation) bool { return obs.Title == "after" })
	notes := Noted(obs.Notes, env.NoteDialog)
	if len(notes) != 20 {
		t.Fatalf("got %d notes, want 20", len(notes))
	}
	for i, n := range notes {
		if want := fmt.Sprintf("message %d", i+1); n.Quote != want {
			t.Errorf("note %d: got %q, want %q", i, n.Quote, want)
		}
	}
}

func endlessDialogs(t *testing.T, b *Tab) {
	b.Open(`<title>-</title><body onclick="for(;;)alert('again')" style="height:500px">`)
	began := time.Now()
	b.Click(50, 50)
	obs := b.See()
	if took := time.Since(began); took > Within {
		t.Errorf("a page that asks for ever held us for %v", took)
	}
	notes := Noted(obs.Notes, env.NoteDialog)
	if len(notes) > 22 {
		t.Errorf("got %d notes, want few", len(notes))
	}
	b.Open(`<title>alive</title>`)
	b.Says("alive")
}

func leavingDialog(t *testing.T, b *Tab) {
	b.Open(`<body onclick="x=1" style="height:500px"><script>addEventListener('beforeunload',e=>{e.preventDefault();e.returnValue='stay?'})</script>`)
	b.Click(50, 50)
	b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.URL + "/"})
	obs := b.See()
	if obs.URL != b.Site.URL+"/" || len(Noted(obs.Notes, env.NoteDialog)) != 1 {
		t.Errorf("got %s with %+v, want the next page and one note", obs.URL, obs.Notes)
	}
}

func typingDialog(t *testing.T, b *Tab) {
	b.Open(`<title>-</title><input id=i` + target + `onkeydown="if(event.key=='c')alert('c!')" oninput="document.title=i.value">`)
	b.Do(env.Action{Kind: env.Type, Point: point(50, 50), Text: "abcde"})
	b.Says("abcde")
}

func draggingDialog(t *testing.T, b *Tab) {
	b.Open(`<title>-</title><body style="height:500px"><script>n=0;onmousemove=e=>{if(e.buttons&&!n++)alert('moving')};onmouseup=()=>document.title='up'</script>`)
	b.Do(env.Action{Kind: env.MouseMove, Point: point(50, 50)})
	b.Do(env.Action{Kind: env.LeftClickDrag, Point: point(200, 200)})
	obs := b.until("released", func(obs env.Observation) bool { return obs.Title == "up" })
	if len(Noted(obs.Notes, env.NoteDialog)) != 1 {
		t.Errorf("notes: got %+v, want the dialog", obs.Notes)
	}
}

func popupDialog(t *testing.T, b *Tab) {
	b.Site.Page("/pop", `<title>-</title><script>alert('hello from the popup');document.title='popped'</script>`)
	b.Open(`<body style="height:500px" onclick="window.open('/pop')">`)
	b.Click(50, 50)
	obs := b.until("popped", func(obs env.Observation) bool { return obs.Title == "popped" })
	if notes := Noted(obs.Notes, env.NoteDialog); len(notes) != 1 {
		t.Errorf("notes: got %+v, want one", notes)
	}
}

func frameDialog(t *testing.T, b *Tab) {
	for name, inner := range map[string]string{
		"same site":  b.Site.Page("/inner", `<script>alert('from inside');parent.postMessage('done','*')</script>`),
		"other site": elsewhere(b.Site.URL + "/inner"),
	} {
		b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.Page("/outer", `<title>-</title><script>onmessage=e=>document.title=e.data</script><iframe src="`+inner+`"></iframe>`)})
		obs := b.until("answered", func(obs env.Observation) bool { return obs.Title == "done" })
		if notes := Noted(obs.Notes, env.NoteDialog); len(notes) != 1 || notes[0].Quote != "from inside" {
			t.Errorf("%s: notes %+v, want one that quotes it", name, notes)
		}
	}
}
