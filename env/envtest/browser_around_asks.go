package envtest

import (
	"fmt"
	"testing"

	"fara/env"
)

func askCases() []browserCase {
	cases := []browserCase{
		{"printing while the page loads is only noted", nil, printOnLoad},
		{"printing in a frame is only noted", nil, printInFrame},
		{"what a page asks for is noted once", nil, permissions},
		{"a window that no click asked for is told", nil, blockedWindow},
		{"full screen and pointer lock leave the picture as it is", own, fullScreen},
		{"a window that moves itself leaves the picture as it is", own, movedWindow},
	}
	for name, script := range map[string]string{
		"print": "window.print()", "command": "document.execCommand('print')", "fresh frame": "let f=document.createElement('iframe');document.body.append(f);f.contentWindow.print()",
	} {
		cases = append(cases, browserCase{"printing is only noted: " + name, nil, printing(script)})
	}
	for name, html := range map[string]string{
		"mail": `<a href="mailto:ann@example.test"` + target + `>x</a>`, "telephone": `<a href="tel:+123"` + target + `>x</a>`,
		"custom": `<a href="steam://run/1"` + target + `>x</a>`, "new tab": `<a href="mailto:ann@example.test" target=_blank` + target + `>x</a>`, "form": `<form action="mailto:ann@example.test"><button` + target + `>x</button></form>`,
		"window": `<button` + target + `onclick="window.open('mailto:ann@example.test')">x</button>`,
		"script": `<button` + target + `onclick="location.href='mailto:ann@example.test'">x</button>`,
	} {
		cases = append(cases, browserCase{"a link to another program is told: " + name, nil, func(t *testing.T, b *Tab) { otherProgram(t, b, html) }})
	}
	return cases
}

func printing(script string) func(t *testing.T, b *Tab) {
	return func(t *testing.T, b *Tab) {
		b.Open(`<title>-</title><script>seen='';onbeforeprint=onafterprint=e=>seen+=e.type+' '</script><body style="height:500px" onclick="` + script + `;document.title='after '+seen">`)
		b.Click(50, 50)
		obs := b.until("on", func(obs env.Observation) bool { return obs.Title != "-" })
		notes := Noted(obs.Notes, env.NoteAsked)
		if len(notes) != 1 {
			t.Fatalf("notes: got %+v, want one", obs.Notes)
		}
		Contains(t, "note", notes[0].Text, "print")
		if want := "after beforeprint afterprint"; script[0] != 'l' && obs.Title != want {
			t.Errorf("page says %q, want %q", obs.Title, want)
		}
	}
}

func printOnLoad(t *testing.T, b *Tab) {
	b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.Page("/prints", `<title>-</title><body onload="print();document.title='loaded'">`)})
	obs := b.See()
	if obs.Title != "loaded" || len(Noted(obs.Notes, env.NoteAsked)) != 1 {
		t.Errorf("got %q, notes %+v; want the page on and one note", obs.Title, obs.Notes)
	}
}

func printInFrame(t *testing.T, b *Tab) {
	inner := b.Site.Page("/inner", `<script>print();parent.postMessage('printed','*')</script>`)
	for name, address := range map[string]string{"same site": inner, "other site": elsewhere(inner)} {
		b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.Page("/outer", `<title>-</title><script>onmessage=e=>document.title=e.data</script><iframe src="`+address+`"></iframe>`)})
		obs := b.until("printed", func(obs env.Observation) bool {
			return obs.Title == "printed" && len(Noted(obs.Notes, env.NoteAsked)) > 0
		})
		if len(Noted(obs.Notes, env.NoteAsked)) != 1 {
			t.Errorf("%s: notes %+v, want one", name, obs.Notes)
		}
	}
}

func permissions(t *testing.T, b *Tab) {
	html := `<title>-</title><script>
said=new Set(); const say=x=>{said.add(x);document.title=[...said].sort().join()};
const ask=()=>{
 navigator.geolocation.getCurrentPosition(()=>say('location given'),()=>say('location'));
 Notification.requestPermission().then(x=>say('notifications '+x));
 navigator.mediaDevices.getUserMedia({audio:true}).then(()=>say('camera given'),()=>say('camera'));
 navigator.clipboard.readText().then(()=>say('clipboard given'),()=>say('clipboard'));
}</script><body style="height:500px" onclick="ask();ask()">`
	wants := []string{"your location", "notifications", "camera", "clipboard"}
	for range 2 { // a page loaded again is a page of its own
		b.Open(html)
		b.Click(50, 50)
		obs := b.until("denied", func(obs env.Observation) bool { return obs.Title == "camera,clipboard,location,notifications denied" })
		notes := Noted(obs.Notes, env.NoteAsked)
		if len(notes) != len(wants) {
			t.Fatalf("notes: got %+v, want one for each of %q", notes, wants)
		}
		Contains(t, "notes", fmt.Sprint(notes), append(wants, "denied")...)
	}
}

func blockedWindow(t *testing.T, b *Tab) {
	b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.Page("/opens", `<title>-</title><script>document.title=String(window.open('/'))</script>`)})
	obs := b.See()
	if notes := Noted(obs.Notes, env.NoteAsked); len(notes) != 1 || obs.Title != "null" || len(obs.Tabs) != 1 {
		t.Errorf("got %q, tabs %+v, notes %+v; want no window and one note", obs.Title, obs.Tabs, notes)
	}
}

func otherProgram(t *testing.T, b *Tab, html string) {
	b.Open(`<title>page</title>` + html)
	b.Click(50, 50)
	obs := b.until("told", func(obs env.Observation) bool { return len(Noted(obs.Notes, env.NoteAsked)) > 0 && len(obs.Tabs) == 1 })
	notes := Noted(obs.Notes, env.NoteAsked)
	if len(notes) != 1 || notes[0].Quote == "" || obs.URL != b.Site.URL+"/page" || obs.Title != "page" {
		t.Errorf("got %s titled %q, notes %+v; want the page still and one note that quotes the address", obs.URL, obs.Title, notes)
	}
	b.Fails(env.Action{Kind: env.VisitURL, URL: "mailto:ann@example.test"}, env.Navigation)
	b.Open(`<title>-</title><body style="height:500px" onclick="document.title='still takes clicks'">`)
	b.Click(50, 50)
	b.Says("still takes clicks")
}

func fullScreen(t *testing.T, b *Tab) {
	size := b.See().Viewport
	b.Open(`<title>-</title><body style="height:500px" onclick="document.documentElement.requestFullscreen().finally(()=>{document.title=innerWidth+'x'+innerHeight;document.body.requestPointerLock()})">`)
	b.Click(50, 50)
	obs := b.until("answered", func(obs env.Observation) bool { return obs.Title != "-" })
	if obs.Title != size.String() || obs.ImageSize != size {
		t.Errorf("page says %q, the picture is %v, want %v", obs.Title, obs.ImageSize, size)
	}
	b.Open(`<title>-</title><body style="height:500px" onclick="document.title=event.clientX+' '+event.clientY">`)
	b.Click(123, 45)
	b.Says("123 45")
}

func movedWindow(t *testing.T, b *Tab) {
	size := b.See().Viewport
	b.Site.Page("/pop", `<title>-</title><script>moveTo(10,10);resizeTo(300,200);moveBy(5,5);resizeBy(9,9);document.title=innerWidth+'x'+innerHeight</script><body style="height:500px" onclick="document.title=event.clientX">`)
	b.Open(`<body style="height:500px" onclick="window.open('/pop','p','width=400,height=300')">`)
	b.Click(50, 50)
	obs := b.until("open", func(obs env.Observation) bool { return obs.Title == size.String() })
	if obs.ImageSize != size {
		t.Errorf("the picture is %v, want %v", obs.ImageSize, size)
	}
	b.Click(321, 45)
	b.Says("321")
}
